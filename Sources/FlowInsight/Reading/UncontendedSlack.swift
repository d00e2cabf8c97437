import FlowModel

/// The slack of every step of a run at once, where no step can ever wait for a slot: then each step begins when the
/// last of what it waits for came, and what a step may take longer is what is left on its longest way to the gate.
///
/// Exactly what ``CoursePlayback`` finds by playing the run again step by step, in one walk there and one back. Where
/// slots are short, or what failed decided what ran, that does not hold, and there is none.
package struct UncontendedSlack {
  /// By how much each step could take longer without moving the gate; `Int.max`: by any time.
  package private(set) var slack: [Int]

  private let course: RunCourse
  private var behind: [[(step: Int, offset: Int?)]]
  private var starts: [Int]

  /// The slack of a run whose gate, played again, is ready at `base`; nil if it has to be played.
  package init?(_ course: RunCourse, readyAt base: Int) {
    guard Self.hasSlots(course), Self.hasGoneWell(course) else { return nil }
    self.course = course
    slack = Array(repeating: .max, count: course.steps.count)
    behind = Array(repeating: [], count: course.steps.count)
    starts = Array(repeating: 0, count: course.steps.count)
    var open = [Int](repeating: 0, count: course.steps.count)
    guard connect(&open), let order = walk(&open) else { return nil }
    let last = course.steps.indices.filter(isAwaited).map { starts[$0] + span($0) }.max() ?? 0
    // What the real plan makes of the run is the judge.
    guard last == base else { return nil }
    // By how much each step could start later. Its minimum counts from its own start, so it takes its whole span all the same;
    // a step may itself take longer by what its minimum held it.
    var delays = slack
    for step in order.reversed() {
      if isAwaited(step) {
        delays[step] = base - starts[step] - span(step)
        slack[step] = base - starts[step] - length(step)
      }
      for next in behind[step] where delays[next.step] != .max {
        let latest = delays[next.step] + starts[next.step] - starts[step]
        delays[step] = min(delays[step], latest - (next.offset ?? span(step)))
        slack[step] = min(slack[step], latest - (next.offset ?? length(step)))
      }
    }
  }

  /// Whether there is a slot for each step whenever it is ready.
  private static func hasSlots(_ course: RunCourse) -> Bool {
    var members: [String: Int] = [:]
    var count = 0
    for index in course.steps.indices where course.takesPart(index) {
      count += 1
      members[course.shape.steps[index].queue, default: 0] += 1
    }
    return count <= course.shape.concurrency ?? .max
      && members.allSatisfy { $0.value <= course.shape.widths[$0.key] ?? .max }
  }

  /// Whether nothing that ran came after what did not end well.
  private static func hasGoneWell(_ course: RunCourse) -> Bool {
    course.steps.indices.allSatisfy { index in
      !course.takesPart(index)
        || course.shape.steps[index].needs.allSatisfy { need in
          course.steps[need].startedAt == nil || course.steps[need].outcome == .success
        }
    }
  }

  /// Notes what comes after what, and how many of those each waits for; false: something waits for an unknown step.
  private mutating func connect(_ open: inout [Int]) -> Bool {
    for index in course.steps.indices where course.takesPart(index) {
      for need in course.shape.steps[index].needs where course.steps[need].startedAt != nil {
        // After a step that waits for the gate: nothing the gate waits for.
        guard course.takesPart(need) else { return false }
        behind[need].append((index, nil))
        open[index] += 1
      }
      for name in course.shape.steps[index].after where name != LifecycleEvent.activate.rawValue {
        guard let event = course.events[name] else { return false }
        guard let poster = event.poster, let began = course.steps[poster].startedAt else {
          starts[index] = max(starts[index], event.at)
          continue
        }
        guard course.takesPart(poster) else { return false }
        behind[poster].append((index, max(0, event.at - began)))
        open[index] += 1
      }
    }
    return true
  }

  /// When each step begins, and an order in which each is behind what it waits for; nil: there is none.
  private mutating func walk(_ open: inout [Int]) -> [Int]? {
    var order = course.steps.indices.filter { course.takesPart($0) && open[$0] == 0 }
    let count = course.steps.indices.count { course.takesPart($0) }
    order.reserveCapacity(count)
    var next = 0
    while next < order.count {
      let step = order[next]
      next += 1
      for other in behind[step] {
        starts[other.step] = max(starts[other.step], starts[step] + (other.offset ?? span(step)))
        open[other.step] -= 1
        if open[other.step] == 0 { order.append(other.step) }
      }
    }
    return order.count == count ? order : nil
  }

  private func isAwaited(_ step: Int) -> Bool { course.shape.steps[step].isBlocking && course.takesPart(step) }

  private func length(_ step: Int) -> Int { course.length(of: step) }

  /// From its start to its end, its minimum included.
  private func span(_ step: Int) -> Int { max(length(step), course.minimum(of: step)) }
}

extension RunCourse {
  /// Whether a step ran, or runs, without waiting for the gate.
  fileprivate func takesPart(_ step: Int) -> Bool {
    steps[step].startedAt != nil && !shape.steps[step].isDeferred
  }

  /// How long a step was at work, its attempts and the pauses between them together.
  func length(of step: Int) -> Int {
    guard let started = steps[step].startedAt else { return 0 }
    return max(0, (steps[step].workEndedAt ?? started) - started)
  }

  /// The step's own minimum, where that held it when its work was done; else 0.
  func minimum(of step: Int) -> Int {
    guard let started = steps[step].startedAt, let ended = steps[step].endedAt, steps[step].workEndedAt != ended else {
      return 0
    }
    return ended - started
  }
}
