import FlowEngine

/// The critical path of a run, from activation to the instant at which the gate was ready, timed out or failed. If no
/// step blocks the gate, or if a run without a gate failed, the path extends to the end of the last step. Every
/// nanosecond of the path has exactly one cause.
package struct CriticalPath: Sendable {
  /// The segments of the path in order of time, without gaps.
  package private(set) var links: [PathSegment] = []
  /// The instant at which the path ends, in nanoseconds after activation.
  package let end: Int

  private let course: RunCourse
  private var visited: Set<Int> = []
  /// The ends of all bodies, at which they released their slots, in order of time. Among bodies that ended at the same
  /// instant, the last one in the file comes first.
  private let ends: [(step: Int, end: Int)]

  package init(_ course: RunCourse) {
    self.course = course
    ends = course.steps.indices.flatMap { step in
      course.steps[step].bodies.filter { !$0.isEmpty }.map { (step, $0.upperBound) }
    }.sorted { ($0.end, $1.step) < ($1.end, $0.step) }
    var last: Int?
    (end, last) = Self.end(of: course)
    var time = end
    while let step = last, time > 0 {
      visited.insert(step)
      (last, time) = walk(step, from: time)
    }
    // The rest has no known cause, because the report lacks steps.
    if time > 0 { add(nil, .thread, from: 0, to: time) }
    links.reverse()
  }

  /// The total time of each cause in nanoseconds. The sum is the length of the path.
  package var causes: [PathCause: Int] {
    var sums: [PathCause: Int] = [:]
    for link in links { sums[link.cause, default: 0] += link.length }
    return sums
  }

  private static func end(of course: RunCourse) -> (Int, Int?) {
    // Without a gate, a failure does not end the critical path.
    let isRun = course.outcome == .failed && !course.hasGate
    let blocking = isRun ? [] : course.steps.indices.filter { course.shape.steps[$0].isBlocking }
    if !isRun, course.outcome == .timedOut || course.outcome == .failed, let opened = course.openedAt {
      let instant = course.outcome == .timedOut ? course.maximum ?? opened : opened
      if let late = lateStep(course, blocking, at: instant) { return (max(0, instant), late) }
    }
    let candidates = blocking.isEmpty ? Array(course.steps.indices) : blocking
    let limit = blocking.isEmpty ? .max : course.readyAt ?? .max
    var last: Int?
    for step in candidates {
      guard let ended = course.steps[step].endedAt, ended <= limit, course.steps[step].outcome != .skipped else {
        continue
      }
      if last.map({ ended > course.steps[$0].endedAt! }) ?? true { last = step }
    }
    let end = blocking.isEmpty ? last.flatMap { course.steps[$0].endedAt } : course.readyAt
    return (max(0, end ?? last.flatMap { course.steps[$0].endedAt } ?? 0), last)
  }

  /// Returns the blocking step that made the gate fail or time out: the one that failed last or, if none failed, the
  /// first one in the file that was running. If none was running, returns the first one that had not ended, or nil if
  /// all had ended.
  private static func lateStep(_ course: RunCourse, _ blocking: [Int], at instant: Int) -> Int? {
    let isOpen = { (step: Int) in course.steps[step].endedAt.map { $0 > instant } ?? true }
    if course.outcome == .failed {
      let failed = blocking.filter {
        let outcome = course.steps[$0].outcome
        return !isOpen($0) && (outcome == .failure || outcome == .timedOut)
      }
      if let last = failed.max(by: { course.steps[$0].endedAt! < course.steps[$1].endedAt! }) { return last }
    }
    let open = blocking.filter(isOpen)
    return open.first { course.steps[$0].startedAt.map { $0 < instant } ?? false } ?? open.first
  }

  private mutating func add(_ step: Int?, _ cause: PathCause, from start: Int, to end: Int) {
    let start = max(0, start)
    guard end > start || cause == .queue || cause == .resources || cause == .event, end >= start else { return }
    if let last = links.last, last.step == step, last.cause == cause, cause != .run, last.start == end {
      links[links.count - 1].start = start
      return
    }
    links.append(PathSegment(step: step, cause: cause, start: start, end: end))
  }

  /// Adds the segments of a step up to `time`. Returns the step and the instant at which the path continues backward.
  private mutating func walk(_ step: Int, from time: Int) -> (Int?, Int) {
    let state = course.steps[step]
    guard let started = state.startedAt, started <= time else {
      if let ended = state.endedAt, ended <= time { return trigger(of: step, before: ended, from: time) }
      return wait(of: step, until: time)
    }
    var cursor = time
    if let ended = state.endedAt, ended < time {
      add(step, .thread, from: ended, to: time)
      cursor = ended
    }
    cursor = work(of: step, from: cursor)
    return slot(of: step, from: cursor)
  }

  /// Adds the segments of a step's attempts, the pauses between them, and the delay by the step's minimum. Returns the
  /// start of the earliest segment.
  private mutating func work(of step: Int, from time: Int) -> Int {
    let state = course.steps[step]
    let started = state.startedAt ?? time
    guard state.items.isEmpty else { return items(of: step, from: time, to: started) }
    return attemptTimes(
      state.attemptTimes, of: step, started..<max(started, time), beginnings: state.beginnings,
      isSuccess: state.outcome == .success)
  }

  private mutating func attemptTimes(
    _ attemptTimes: [Range<Int>], of step: Int, _ whole: Range<Int>, beginnings: [Int]?, isSuccess: Bool
  ) -> Int {
    var cursor = whole.upperBound
    var isLast = true
    for attempt in (attemptTimes.isEmpty ? [whole] : attemptTimes).reversed() where attempt.lowerBound <= cursor {
      let ended = min(max(attempt.upperBound, attempt.lowerBound), cursor)
      if ended < cursor { add(step, isLast && isSuccess ? .stepMinimum : .retry, from: ended, to: cursor) }
      // The attempt was sent to an executor at its start. No work was done until a worker started it.
      let begun = beginnings.map { times in
        times.first { attempt.lowerBound <= $0 && $0 <= ended } ?? ended
      }
      add(step, .run, from: begun ?? attempt.lowerBound, to: ended)
      if let begun { add(step, .executor, from: attempt.lowerBound, to: begun) }
      cursor = attempt.lowerBound
      isLast = false
    }
    if cursor > whole.lowerBound { add(step, .retry, from: whole.lowerBound, to: cursor) }
    return min(cursor, whole.lowerBound)
  }

  /// Adds the segments of a step's items, from the item that ended last to the first. Each earlier item released the
  /// slot of the next one.
  private mutating func items(of step: Int, from time: Int, to started: Int) -> Int {
    var cursor = time
    var cause = PathCause.thread
    for item in course.steps[step].items.sorted(by: { $0.time.upperBound > $1.time.upperBound })
    where cursor > started && item.time.upperBound <= cursor && item.time.lowerBound < cursor {
      if item.time.upperBound < cursor { add(step, cause, from: item.time.upperBound, to: cursor) }
      cursor = attemptTimes(item.attemptTimes, of: step, item.time, beginnings: item.beginnings, isSuccess: true)
      cause = slotCause(of: step)
    }
    // The step had started with other items, and this item waited for a slot.
    if cursor > started { add(step, slotCause(of: step), from: started, to: cursor) }
    return min(cursor, started)
  }

  /// Adds the wait from the instant at which a step was ready to its start. The step waited for a slot or resources
  /// that another step used, or for a thread.
  private mutating func slot(of step: Int, from started: Int) -> (Int?, Int) {
    let ready = min(course.steps[step].readyAt ?? started, started)
    guard ready < started else { return trigger(of: step, before: ready, from: ready) }
    if let holder = holder(of: step, from: ready, to: started) {
      add(step, waitsForSlot(step, at: holder.end) ? .queue : .resources, from: holder.end, to: started)
      return holder
    }
    let isRemote = course.steps[step].beginnings != nil
    add(step, isRemote ? .executor : course.shape.isDurable ? .commit : .thread, from: ready, to: started)
    return trigger(of: step, before: ready, from: ready)
  }

  /// True if the number of steps that run at the same time is limited, for the step's queue or for the whole run.
  private func isLimited(_ step: Int) -> Bool {
    course.shape.concurrency != nil || course.shape.widths[course.shape.steps[step].queue] != nil
  }

  /// True if the step waited for a slot until `time` rather than for resources of the machine.
  private func waitsForSlot(_ step: Int, at time: Int) -> Bool {
    guard isLimited(step), course.shape.steps[step].takesResources, course.shape.concurrency == nil else {
      return isLimited(step)
    }
    let queue = course.shape.steps[step].queue
    let occupied = course.steps.indices.count { other in
      guard course.shape.steps[other].queue == queue, let started = course.steps[other].startedAt, started < time else {
        return false
      }
      return course.steps[other].endedAt.map { $0 >= time } ?? true
    }
    return occupied >= course.shape.widths[queue] ?? .max
  }

  /// Returns the cause of an item's wait for other items of the same step.
  private func slotCause(of step: Int) -> PathCause {
    course.shape.steps[step].takesResources && !isLimited(step) ? .resources : .queue
  }

  /// Returns the step that released the slot or the resources for `step`: the one that ended last before the start.
  /// Returns nil if `step` waited for no other step.
  private func holder(of step: Int, from ready: Int, to started: Int) -> (step: Int, end: Int)? {
    let queue = course.shape.steps[step].queue
    let takesResources = course.shape.steps[step].takesResources
    guard isLimited(step) || takesResources else { return nil }
    for index in (0..<endedNotAfter(started)).reversed() {
      let (other, end) = ends[index]
      guard end > ready else { return nil }
      if other != step, !visited.contains(other),
        course.shape.concurrency != nil || (isLimited(step) && course.shape.steps[other].queue == queue)
          || (takesResources && course.shape.steps[other].takesResources)
      {
        return (other, end)
      }
    }
    return nil
  }

  /// Returns the number of bodies that had ended by `time`. Bodies that took no time are not counted.
  private func endedNotAfter(_ time: Int) -> Int {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].end <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds the wait before a step was ready. Returns the step and the instant at which the path continues: those of the
  /// dependency, event or gate that the step waited for last.
  private mutating func trigger(of step: Int, before ready: Int, from time: Int) -> (Int?, Int) {
    let shape = course.shape.steps[step]
    var latest = 0
    var need: Int?
    for other in shape.needs where !visited.contains(other) {
      guard let ended = course.steps[other].endedAt, ended <= ready, ended > latest else { continue }
      (latest, need) = (ended, other)
    }
    var event: RunCourse.Event?
    for name in shape.after {
      guard let posted = course.events[name], posted.at <= ready, posted.at > latest else { continue }
      (latest, event, need) = (posted.at, posted, nil)
    }
    if shape.isDeferred, let opened = course.openedAt, opened <= ready, opened > latest {
      add(step, .thread, from: opened, to: time)
      return gate(step, opened)
    }
    if latest < time { add(step, .thread, from: latest, to: time) }
    if let event { return came(event, to: step) }
    return (need, latest)
  }

  private mutating func came(_ event: RunCourse.Event, to step: Int) -> (Int?, Int) {
    if let poster = event.poster, !visited.contains(poster),
      course.steps[poster].startedAt.map({ $0 <= event.at }) ?? false
    {
      add(step, .event, from: event.at, to: event.at)
      return (poster, event.at)
    }
    add(step, .event, from: 0, to: event.at)
    return (nil, 0)
  }

  /// Adds a deferred step's wait for the gate: first the delay by the gate's minimum, then the gate's own wait. In a
  /// run without a gate, the step waited for the other steps.
  private mutating func gate(_ step: Int, _ opened: Int) -> (Int?, Int) {
    let ready = course.outcome == .ready ? min(course.readyAt ?? opened, opened) : opened
    var last: Int?
    for other in course.steps.indices where course.shape.steps[other].isBlocking && !visited.contains(other) {
      guard let ended = course.steps[other].endedAt, ended <= ready, ended > 0 else { continue }
      if last.map({ ended > course.steps[$0].endedAt! }) ?? true { last = other }
    }
    let cause: PathCause = course.hasGate ? .gate : .thread
    // Without a gate, deferred steps and those of `finally` start after the last of the other steps.
    guard course.outcome == .ready || !course.hasGate, let last else {
      add(step, cause, from: 0, to: opened)
      return (nil, 0)
    }
    add(step, cause, from: ready, to: opened)
    return (last, ready)
  }

  /// Adds the wait of a step that had not started when the path ended, for example for a slot, an event or the gate.
  /// Returns the step with which the path continues, and the time from which it does.
  private mutating func wait(of step: Int, until time: Int) -> (Int?, Int) {
    let shape = course.shape.steps[step]
    if let ready = course.steps[step].readyAt, ready <= time {
      add(step, isLimited(step) ? .queue : shape.takesResources ? .resources : .thread, from: ready, to: time)
      return trigger(of: step, before: ready, from: ready)
    }
    let open = shape.needs.first { need in
      !visited.contains(need) && (course.steps[need].endedAt.map { $0 > time } ?? true)
    }
    if let open { return (open, time) }
    var since = 0
    var need: Int?
    for other in shape.needs where !visited.contains(other) {
      if let ended = course.steps[other].endedAt, ended <= time, ended > since { (since, need) = (ended, other) }
    }
    let isEvent = shape.after.contains { name in course.events[name].map { $0.at > time } ?? true }
    add(step, isEvent ? .event : shape.isDeferred ? .gate : .thread, from: since, to: time)
    return (need, since)
  }
}
