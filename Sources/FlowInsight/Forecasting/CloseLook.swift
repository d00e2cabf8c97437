import FlowModel

/// What the first launches of a forecast were made of.
package struct CloseLook: Sendable {
  /// How many launches were looked at.
  package var launches = 0
  /// How often each step was on the critical chain, as a share.
  package var criticality: [Double] = []
  /// The share of the way to the gate that each step had.
  package var timeShare: [Double] = []
  /// How the whole way divides among causes, as shares.
  package var causes: [ChainCause: Double] = [:]

  init() {}

  /// Looks at launches that have been played.
  init(_ courses: [LaunchCourse]) {
    launches = courses.count
    guard let first = courses.first else { return }
    var on = [Int](repeating: 0, count: first.steps.count)
    var time = [Int](repeating: 0, count: first.steps.count)
    var sums: [ChainCause: Int] = [:]
    var total = 0
    for course in courses {
      let chain = CriticalChain(course)
      for step in Set(chain.links.compactMap(\.step)) { on[step] += 1 }
      for link in chain.links {
        sums[link.cause, default: 0] += link.length
        if let step = link.step { time[step] += link.length }
      }
      total += chain.end
    }
    criticality = on.map { Double($0) / Double(courses.count) }
    timeShare = time.map { total == 0 ? 0 : Double($0) / Double(total) }
    causes = sums.mapValues { total == 0 ? 0 : Double($0) / Double(total) }
  }
}

extension ForecastModel {
  /// Plays launches by their numbers, noting everything that chains need.
  package func courses(_ launches: some Sequence<Int>) -> [LaunchCourse] {
    let shape = CourseShape(started)
    var player = LaunchPlayer(started, in: ForecastWorld(self))
    player.trace = LaunchTrace()
    return launches.map { launch in
      play(launch, with: &player)
      return LaunchCourse(shape, player.plan, player.trace ?? LaunchTrace())
    }
  }
}
