import ArgumentParser
import FlowCommandKit
import FlowInsight
import FlowModel

/// `flowrun analyze RUN|REPORT.json…`: why runs took as long as they did.
struct AnalyzeCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Explains where the time of a run went: critical path to the gate, waits and slack.",
    discussion: """
      Give a report (--report of a run), a folder of reports, or a recorded run: a part of its id, last or last-failed. \
      One run gets its critical path; several get the distribution of their times.
      Examples:
        flowrun analyze last
        flowrun analyze report.json --format json
        flowrun analyze reports --budget 'p95(gate) <= 2.5s'
      """)

  @Argument(
    help: ArgumentHelp("Reports, folders of reports, or runs.", valueName: "RUNS"),
    completion: .file(extensions: ["json"]))
  var runs: [String]

  @Option(
    name: .customLong("budget"),
    help: ArgumentHelp("A rule such as 'p95(gate) <= 2.5s'; exits 3 when it is broken.", valueName: "RULE"))
  var budgets: [String] = []

  @OptionGroup var output: InsightOutput
  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    let rules = try BudgetArguments.read(budgets, hasBaseline: false)
    try output.check()
    let sources = RunSources(place: place, plugins: plugins)
    let sample = RunSample(try runs.flatMap { try sources.runs($0) })
    try SampleCheck.sameWorkflow(sample.runs)
    try SampleCheck.steps(of: rules, sample.stepNames)
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
}

/// What is wrong with runs that are looked at together.
enum SampleCheck {
  /// Throws a usage problem where runs are of different workflows.
  static func sameWorkflow(_ runs: [ReportedRun]) throws(UsageProblem) {
    guard let first = runs.first else { throw UsageProblem("there is no run to look at") }
    if let other = runs.first(where: { $0.workflow != first.workflow }) {
      throw UsageProblem("these are runs of two workflows, '\(first.workflow)' and '\(other.workflow)'")
    }
  }

  /// Throws a usage problem where a rule names a step that no run has.
  static func steps(of rules: [BudgetRule], _ names: [String]) throws(UsageProblem) {
    var workflow = Workflow(name: "", steps: [])
    workflow.steps = names.map { Step(id: StepID(unchecked: $0), uses: "") }
    try BudgetArguments.check(rules, of: workflow)
  }
}
