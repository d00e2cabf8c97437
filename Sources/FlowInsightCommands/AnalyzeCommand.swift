import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowInsight
import FlowModel

/// `flowrun analyze RUN|REPORT.json…`: explains the durations of runs.
struct AnalyzeCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Explains where the time of a run went: critical path to the gate, waits and slack.",
    discussion: """
      Give a report (--report of a run), a folder of reports, or a recorded run: a part of its id, last or last-failed. \
      One run gets its critical path; several get the distribution of their times, by the way they were launched.
      Examples:
        flowrun analyze last
        flowrun analyze report.json --format json
        flowrun analyze reports --budget 'p95(gate) <= 2.5s'
        flowrun analyze reports --launch background
      """)

  @Argument(
    help: ArgumentHelp("Reports, folders of reports, or runs.", valueName: "RUNS"),
    completion: .file(extensions: ["json"]))
  var runs: [String]

  @Option(
    name: .customLong("budget"),
    help: ArgumentHelp("A rule such as 'p95(gate) <= 2.5s'; exits 3 when it is broken.", valueName: "RULE"))
  var budgets: [String] = []

  @OptionGroup var launches: LaunchGroups
  @OptionGroup var output: InsightOutput
  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    let rules = try BudgetArguments.read(budgets, hasBaseline: false)
    try output.check()
    let sources = RunSources(place: place, plugins: plugins)
    let all = RunSample(try runs.flatMap { try sources.runs($0) })
    try SampleCheck.sameWorkflow(all.runs)
    try SampleCheck.steps(of: rules, all.stepNames)
    let groups = try launches.groups(of: all.runs)
    guard groups.count == 1 else { return try write(groups, rules) }
    let sample = groups[0].sample
    let results = sample.check(rules)
    if sample.runs.count == 1 {
      let analysis = RunAnalysis(sample.runs[0])
      try output.write(
        text: { AnalysisText(analysis: analysis, budgets: results, style: $0).text },
        json: { AnalysisJSON(analysis: analysis, budgets: results).value },
        html: { InsightPages.page(analysis, results).html })
    } else {
      try output.write(
        text: { SampleText(sample: sample, budgets: results, style: $0).text },
        json: { SampleJSON(sample: sample, budgets: results).value },
        html: { InsightPages.page(sample, results).html })
    }
    if results.contains(where: \.isBroken) { ExitStatus.budgetBroken.exit() }
  }

  /// Writes one analysis for each launch group.
  private func write(_ groups: [LaunchGroups.Group], _ rules: [BudgetRule]) throws {
    try LaunchGroups.checkPage(output.format, groups.map(\.name))
    var judgment = LaunchGroups.Judgment()
    let results = groups.map { judgment.results(rules, $0.sample) }
    try output.write(
      text: { style in
        zip(groups, results).map { group, budgets in
          SampleText(sample: group.sample, budgets: budgets, style: style, launch: group.name).text
            + LaunchGroups.Judgment.note(rules, group.sample)
        }.joined(separator: "\n")
      },
      json: {
        .object([
          "workflow": .string(groups[0].sample.runs[0].workflow),
          "groups": .array(
            zip(groups, results).map { group, budgets in
              var object = SampleJSON(sample: group.sample, budgets: budgets).value.objectValue ?? [:]
              object["launchReason"] = .string(group.launch?.reason ?? "all")
              object["entry"] = .string(group.launch?.entry ?? "all")
              return .object(object)
            }),
        ])
      },
      html: { "" })
    judgment.end(rules)
  }
}

/// Checks the runs whose statistics are to be computed together, and the budgets for them.
package enum SampleCheck {
  /// Throws a usage error if there are no runs, or if they do not all belong to one workflow.
  package static func sameWorkflow(_ runs: [ReportedRun]) throws(UsageProblem) {
    guard let first = runs.first else { throw UsageProblem("there is no run to look at") }
    if let other = runs.first(where: { $0.workflow != first.workflow }) {
      throw UsageProblem("these are runs of two workflows, '\(first.workflow)' and '\(other.workflow)'")
    }
  }

  /// Throws a usage error if a rule names a step that none of the runs has.
  static func steps(of rules: [BudgetRule], _ names: [String]) throws(UsageProblem) {
    var workflow = Workflow(name: "", steps: [])
    workflow.steps = names.map { Step(id: StepID(unchecked: $0), uses: "") }
    try BudgetArguments.check(rules, of: workflow)
  }
}
