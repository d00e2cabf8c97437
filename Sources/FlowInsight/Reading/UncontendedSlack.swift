import FlowModel

/// The slack of all steps of a run in which no step waits for a slot. In such a run, each step starts when its last
/// dependency or event arrives. Its slack is the margin of the longest path from it to the gate.
///
/// The result equals that of ``CoursePlayback``, which simulates the run for each step, but is computed with one
/// forward and one backward pass. It is not available if slots are scarce, or if failures decided which steps ran.
package struct UncontendedSlack {
  /// The largest increase of each step's duration that does not delay the gate, or `Int.max` if there is no limit.
  package private(set) var slack: [Int]

  private let course: RunCourse
  private var behind: [[(step: Int, offset: Int?)]]
  private var starts: [Int]

  /// Computes the slack of a run whose gate is ready at `base` in a simulation. Returns nil if only simulations can
  /// find the slack.
  package init?(_ course: RunCourse, readyAt base: Int) {
    guard Self.hasSlots(course), Self.hasGoneWell(course) else { return nil }
    self.course = course
    slack = Array(repeating: .max, count: course.steps.count)
    behind = Array(repeating: [], count: course.steps.count)
    starts = Array(repeating: 0, count: course.steps.count)
    var open = [Int](repeating: 0, count: course.steps.count)
    guard connect(&open), let order = walk(&open) else { return nil }
    let last = course.steps.indices.filter(isAwaited).map { starts[$0] + span($0) }.max() ?? 0
    // A different result means that the assumptions do not hold, so the slack must be found by simulations.
    guard last == base else { return nil }
    // The possible delay of each step's start. A step's minimum counts from its start, so a delayed step still takes
    // its whole span. The work alone can grow further, by the time that the minimum delayed the end.
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

  /// True if there is a slot for every step, even if all run at the same time.
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

  /// True if every step that takes part ran after dependencies that succeeded or did not run.
  private static func hasGoneWell(_ course: RunCourse) -> Bool {
    course.steps.indices.allSatisfy { index in
      !course.takesPart(index)
        || course.shape.steps[index].needs.allSatisfy { need in
          course.steps[need].startedAt == nil || course.steps[need].outcome == .success
        }
    }
  }

  /// Collects the dependents of each step, and counts its dependencies in `open`. Returns false if a step depends on a
  /// deferred step, or waits for an event that was not posted or came from a deferred step.
  private mutating func connect(_ open: inout [Int]) -> Bool {
    for index in course.steps.indices where course.takesPart(index) {
      for need in course.shape.steps[index].needs where course.steps[need].startedAt != nil {
        // A step after a deferred step starts only when the gate has opened, which is not computed here.
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

  /// Computes the start of each step. Returns the steps in topological order, or nil if they form a cycle.
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

  /// Returns the time from the start to the end of a step, including the delay by its minimum.
  private func span(_ step: Int) -> Int { max(length(step), course.minimum(of: step)) }
}

extension RunCourse {
  /// True if the step started and is not deferred.
  fileprivate func takesPart(_ step: Int) -> Bool {
    steps[step].startedAt != nil && !shape.steps[step].isDeferred
  }

  /// Returns the time from a step's start to the end of its last attempt, including pauses between attempts.
  func length(of step: Int) -> Int {
    guard let started = steps[step].startedAt else { return 0 }
    return max(0, (steps[step].workEndedAt ?? started) - started)
  }

  /// Returns the step's minimum if it delayed the end of the step, or 0.
  func minimum(of step: Int) -> Int {
    guard let started = steps[step].startedAt, let ended = steps[step].endedAt, steps[step].workEndedAt != ended else {
      return 0
    }
    return ended - started
  }
}
