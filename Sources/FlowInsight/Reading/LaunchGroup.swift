/// The way in which an app was launched. Times of different groups say nothing about each other: a launch in the background shows no window,
/// and a prewarmed one has done a part of its work before it begins.
package struct LaunchGroup: Sendable, Hashable {
  /// The launch reason; `none` if the run was not activated.
  package let reason: String
  /// The first entry, such as `cold`, or `prewarmed`.
  package let entry: String

  /// The number of runs from which on budgets are judged in one of several groups.
  package static let leastJudged = 5

  /// The group of a run.
  package init(of run: ReportedRun) {
    self.init(reason: run.launchReason, entry: run.firstEntry, isPrewarmed: run.isPrewarmed)
  }

  /// The group of a run with these figures in its report.
  package init(reason: String?, entry: String?, isPrewarmed: Bool) {
    self.reason = reason ?? "none"
    self.entry = isPrewarmed ? "prewarmed" : entry ?? "cold"
  }

  /// The group as people read it.
  package var name: String { "\(reason) (\(entry))" }

  /// The runs by group, the largest group first.
  package static func grouped(_ runs: [ReportedRun]) -> [(group: LaunchGroup, runs: [ReportedRun])] {
    Dictionary(grouping: runs, by: LaunchGroup.init(of:)).map { ($0.key, $0.value) }
      .sorted { ($0.1.count, $1.0.name) > ($1.1.count, $0.0.name) }
  }
}
