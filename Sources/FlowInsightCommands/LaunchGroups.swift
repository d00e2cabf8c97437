import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowEngine
import FlowInsight
import FlowModel

/// The option that selects runs by their launches.
struct LaunchGroups: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Looks only at runs launched for this reason, such as user, or in this group, such as 'user (prewarmed)'; all looks \
      at all runs together. Otherwise each group is shown separately.
      """,
      valueName: "REASON"))
  var launch: String?

  struct Group {
    /// The launch that the runs have in common, or nil if runs of all launches are in one group.
    var launch: LaunchGroup?
    var sample: RunSample

    var name: String { launch?.name ?? "all launches" }
  }

  /// Groups the runs by their launches, the largest group first. With `--launch`, returns only the groups that it
  /// selects. With `--launch all`, all runs are in one group.
  func groups(of runs: [ReportedRun]) throws(UsageProblem) -> [Group] {
    if launch == "all" { return [Group(launch: nil, sample: RunSample(runs))] }
    let groups = LaunchGroup.grouped(runs).map { Group(launch: $0.group, sample: RunSample($0.runs)) }
    guard let launch else { return groups }
    let reasons = LaunchReason.allCases.map(\.rawValue)
    let chosen = groups.filter { $0.launch?.reason == launch || $0.name == launch }
    guard reasons.contains(launch) || !chosen.isEmpty else {
      throw UsageProblem(
        "--launch '\(launch)': expected one of \((reasons + ["all"]).joined(separator: ", ")), or a group such as "
          + "'\(groups[0].name)'")
    }
    guard !chosen.isEmpty else {
      throw UsageProblem(
        "--launch '\(launch)': the runs were launched by \(groups.map(\.name).joined(separator: ", "))")
    }
    return chosen
  }

  /// Collects whether a budget was exceeded in any of several groups.
  struct Judgment {
    private(set) var isBroken = false
    private var judged = 0

    /// Checks the budgets of a group. Returns no results if the group has too few runs.
    mutating func results(
      _ rules: [BudgetRule], _ sample: RunSample, baseline: RunSample? = nil
    ) -> [BudgetResult] {
      guard sample.runs.count >= LaunchGroup.leastJudged else { return [] }
      judged += 1
      let results = sample.check(rules, baseline: baseline)
      if results.contains(where: \.isBroken) { isBroken = true }
      return results
    }

    /// Ends the process with the exit code for an exceeded budget, if there is one. Warns if no group had enough runs.
    func end(_ rules: [BudgetRule]) {
      if isBroken { ExitStatus.budgetBroken.exit() }
      guard !rules.isEmpty, judged == 0 else { return }
      StandardOutput.writeError(
        "flowrun: warning: the budgets were not judged: no group of launches has \(LaunchGroup.leastJudged) runs; choose "
          + "one with --launch, or look at all runs together with --launch all\n"
      )
    }

    /// Returns a note that the group has too few runs for its budgets, or an empty string if it has enough.
    static func note(_ rules: [BudgetRule], _ sample: RunSample) -> String {
      rules.isEmpty || sample.runs.count >= LaunchGroup.leastJudged
        ? "" : "the budgets are not judged: this group of launches has fewer than \(LaunchGroup.leastJudged) runs\n"
    }
  }

  /// Throws a usage error if an HTML page was requested for several groups.
  static func checkPage(_ format: InsightOutput.Format, _ names: [String]) throws(UsageProblem) {
    guard format == .html, names.count > 1 else { return }
    throw UsageProblem(
      "a page shows runs that were launched in one way, and these were launched by \(names.joined(separator: ", ")); "
        + "choose one with --launch")
  }
}
