import FlowEngine

extension LaunchGroup {
  /// The minimum number of runs in a group for its budgets to be checked, if there are several groups.
  package static let leastJudged = 5

  package init(of run: ReportedRun) {
    self.init(reason: run.launchReason, entry: run.firstEntry, isPrewarmed: run.isPrewarmed)
  }

  /// Groups runs that were launched for the same reason, entered in the same way and both prewarmed or not. The largest
  /// group comes first.
  package static func grouped(_ runs: [ReportedRun]) -> [(group: LaunchGroup, runs: [ReportedRun])] {
    Dictionary(grouping: runs, by: LaunchGroup.init(of:)).map { ($0.key, $0.value) }
      .sorted { ($0.1.count, $1.0.name) > ($1.1.count, $0.0.name) }
  }
}
