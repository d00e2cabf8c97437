import FlowModel

/// A summary of the critical paths of a forecast's first runs.
package struct CloseLook: Sendable {
  package var runs = 0
  /// The share of runs in which each step was on the critical path.
  package var criticality: [Double] = []
  /// The share of the time on the critical path to the gate that each step took.
  package var timeShare: [Double] = []
  /// The share of the critical path's total time by cause. Unlike `timeShare`, it includes segments without a step.
  package var causes: [PathCause: Double] = [:]

  init() {}

  /// Combines the critical paths of simulated runs.
  init(_ courses: [RunCourse]) {
    runs = courses.count
    guard let first = courses.first else { return }
    var on = [Int](repeating: 0, count: first.steps.count)
    var time = [Int](repeating: 0, count: first.steps.count)
    var sums: [PathCause: Int] = [:]
    var total = 0
    for course in courses {
      let criticalPath = CriticalPath(course)
      for step in Set(criticalPath.links.compactMap(\.step)) { on[step] += 1 }
      for link in criticalPath.links {
        sums[link.cause, default: 0] += link.length
        if let step = link.step { time[step] += link.length }
      }
      total += criticalPath.end
    }
    criticality = on.map { Double($0) / Double(courses.count) }
    timeShare = time.map { total == 0 ? 0 : Double($0) / Double(total) }
    causes = sums.mapValues { total == 0 ? 0 : Double($0) / Double(total) }
  }
}

extension ForecastModel {
  /// Simulates the runs with these numbers again and traces them, so that their critical paths can be computed.
  package func courses(_ runs: some Sequence<Int>) -> [RunCourse] {
    let shape = CourseShape(started)
    var player = RunPlayer(started, in: ForecastWorld(self))
    player.trace = RunTrace()
    return runs.map { run in
      play(run, with: &player)
      return RunCourse(shape, player.plan, player.trace ?? RunTrace())
    }
  }
}
