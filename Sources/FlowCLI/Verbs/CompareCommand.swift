import ArgumentParser
import FlowInsight
import FlowModel

/// `flowrun compare A B`: what changed, and whether it is more than chance.
struct CompareCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares launches with others: the gate, each step, the way to the gate.",
    discussion: """
      Each side is a report, a folder of reports, or a run that is remembered; or both are forecasts as JSON. Differences of medians come with the interval in \
      which 95 of 100 samples drawn again lie (bootstrap); one that holds zero is within the noise. In budgets, baseline is the \
      first side.
      Examples:
        flowrun compare before after
        flowrun compare main-reports branch-reports --budget 'median(ready) <= baseline*1.05'
      """)

  @Argument(help: "What was before.", completion: .file(extensions: ["json"]))
  var before: String

  @Argument(help: "What is now.", completion: .file(extensions: ["json"]))
  var after: String

  @Option(
    name: .customLong("budget"), help: "A rule such as 'median(gate) <= baseline*1.05'; exits 3 when it is broken.")
  var budgets: [String] = []

  @Option(help: "text or json.")
  var format = Format.text

  @Option(name: .customShort("o"), help: "Writes to this file instead of standard output.")
  var output: String?

  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  /// How a comparison is written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  func perform() async throws {
    let rules = try BudgetArguments.read(budgets, hasBaseline: true)
    if let output { try OutputFile.check(output) }
    if let old = try ForecastFile.read(before), let new = try ForecastFile.read(after) {
      return try compare(old, new, rules)
    }
    let sources = LaunchSources(place: place, plugins: plugins)
    let old = LaunchSample(try sources.launches(before))
    let new = LaunchSample(try sources.launches(after))
    try SampleCheck.sameWorkflow(old.launches + new.launches)
    try SampleCheck.steps(of: rules, new.stepNames)
    let comparison = LaunchComparison(old, new)
    let results = new.check(rules, baseline: old)
    try write(
      text: { ComparisonText(comparison: comparison, budgets: results, style: $0).text },
      json: { ComparisonJSON(comparison: comparison, budgets: results).value })
    end(results)
  }

  private func compare(_ old: ForecastRecord, _ new: ForecastRecord, _ rules: [BudgetRule]) throws {
    guard old.workflow == new.workflow else {
      throw UsageProblem("these are forecasts of two workflows, '\(old.workflow)' and '\(new.workflow)'")
    }
    try SampleCheck.steps(of: rules, new.stepNames)
    let results = new.check(rules, baseline: old)
    let comparison = ForecastComparison(before: old, after: new, budgets: results)
    try write(text: comparison.text, json: { comparison.value })
    end(results)
  }

  private func write(text: (TextStyle) -> String, json: () -> Value) throws(FileProblem) {
    let bytes: [UInt8]
    switch format {
    case .text:
      let text = text(TextStyle(isColored: output == nil && StandardOutput.allowsColor))
      guard output != nil else { return StandardOutput.write(text) }
      bytes = Array(text.utf8)
    case .json: bytes = JSONText.bytes(of: json(), layout: .indented) + [10]
    }
    if let output { try OutputFile.write(bytes, to: output) } else { StandardOutput.write(bytes) }
  }

  private func end(_ results: [BudgetResult]) {
    if results.contains(where: \.isBroken) { ExitStatus.budgetBroken.exit() }
  }
}

/// Forecasts that stand in files.
enum ForecastFile {
  /// The forecast in a file; nil: there is no such file, or it holds something else.
  static func read(_ path: String) throws -> ForecastRecord? {
    guard FileAccess.isRegular(path) else { return nil }
    guard let value = try? JSONText.parse(try FileAccess.read(path)) else { return nil }
    return ForecastRecord(value)
  }
}
