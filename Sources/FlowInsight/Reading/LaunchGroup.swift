/// The way in which an app was launched. Times of different groups cannot be compared: a launch in the background shows
/// no window, and a prewarmed launch has done some of its work in advance.
package struct LaunchGroup: Sendable, Hashable {
  /// The reason for the launch, or `none` if the run was not activated.
  package let reason: String
  /// The first entry into the app, such as `cold`, or `prewarmed`.
  package let entry: String

  /// The minimum number of runs in a group for its budgets to be checked if there are several groups.
  package static let leastJudged = 5

  package init(of run: ReportedRun) {
    self.init(reason: run.launchReason, entry: run.firstEntry, isPrewarmed: run.isPrewarmed)
  }

  /// Creates the group of a run from values of its report.
  package init(reason: String?, entry: String?, isPrewarmed: Bool) {
    self.reason = reason ?? "none"
    self.entry = isPrewarmed ? "prewarmed" : entry ?? "cold"
  }

  /// The name of the group for people.
  package var name: String { "\(reason) (\(entry))" }

  /// Groups runs. The largest group comes first.
  package static func grouped(_ runs: [ReportedRun]) -> [(group: LaunchGroup, runs: [ReportedRun])] {
    Dictionary(grouping: runs, by: LaunchGroup.init(of:)).map { ($0.key, $0.value) }
      .sorted { ($0.1.count, $1.0.name) > ($1.1.count, $0.0.name) }
  }
}
