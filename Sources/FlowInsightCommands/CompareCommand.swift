import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowInsight
import FlowModel

/// `flowrun compare A B`: shows which times changed, and whether each change is significant.
struct CompareCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares two sets of runs: the gate, each step, the critical path to the gate.",
    discussion: """
      Each side is a report, a folder of reports, or a recorded run; or both are forecasts as JSON. \
      Each difference of medians is shown with its 95 % interval (bootstrap); an interval that contains zero is within \
      the noise. In budgets, baseline is the first side.
      Examples:
        flowrun compare before after
        flowrun compare main-reports branch-reports --budget 'median(ready) <= baseline*1.05'
        flowrun compare before after --format html -o page.html
      """)

  @Argument(help: ArgumentHelp("The baseline.", valueName: "BASELINE"), completion: .file(extensions: ["json"]))
  var before: String

  @Argument(
    help: ArgumentHelp("The runs to compare with the baseline.", valueName: "RUNS"),
    completion: .file(extensions: ["json"]))
  var after: String

  @Option(
    name: .customLong("budget"),
    help: ArgumentHelp("A rule such as 'median(gate) <= baseline*1.05'; exits 3 when it is broken.", valueName: "RULE"))
  var budgets: [String] = []

  @OptionGroup var launches: LaunchGroups
  @OptionGroup var output: InsightOutput
  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    let rules = try BudgetArguments.read(budgets, hasBaseline: true)
    try output.check()
    if let old = try ForecastFile.read(before), let new = try ForecastFile.read(after) {
      return try compare(old, new, rules)
    }
    let sources = RunSources(place: place, plugins: plugins)
    let (allOld, allNew) = (RunSample(try sources.runs(before)), RunSample(try sources.runs(after)))
    try SampleCheck.sameWorkflow(allOld.runs + allNew.runs)
    try SampleCheck.steps(of: rules, allNew.stepNames)
    let (before, now) = (try launches.groups(of: allOld.runs), try launches.groups(of: allNew.runs))
    let pairs = try pairs(before, now)
    var judgment = LaunchGroups.Judgment()
    let rest = UnmatchedLaunches(before: before, now: now, rules, &judgment)
    guard pairs.count == 1, rest.isEmpty else { return try write(pairs, rest, rules, judgment) }
    let (old, new) = (pairs[0].old, pairs[0].new)
    let comparison = RunComparison(old, new)
    let results = new.check(rules, baseline: old)
    try output.write(
      text: { ComparisonText(comparison: comparison, budgets: results, style: $0).text },
      json: { ComparisonJSON(comparison: comparison, budgets: results).value },
      html: { InsightPages.page(comparison, results).html })
    end(results)
  }

  /// The runs of one launch group, before and after the change.
  private struct Pair {
    var name: String
    var old: RunSample
    var new: RunSample
  }

  private func pairs(_ before: [LaunchGroups.Group], _ now: [LaunchGroups.Group]) throws -> [Pair] {
    let pairs = now.compactMap { group in
      before.first { $0.launch == group.launch }.map { Pair(name: group.name, old: $0.sample, new: group.sample) }
    }
    guard pairs.isEmpty else { return pairs }
    throw UsageProblem(
      "the runs were launched differently: before by \(before.map(\.name).joined(separator: ", ")), now by "
        + "\(now.map(\.name).joined(separator: ", ")); --launch all compares them all the same")
  }

  /// Writes the comparison of each launch group, followed by the groups that only one side has.
  private func write(
    _ pairs: [Pair], _ rest: UnmatchedLaunches, _ rules: [BudgetRule], _ judgment: LaunchGroups.Judgment
  ) throws {
    try LaunchGroups.checkPage(output.format, pairs.map(\.name))
    var judgment = judgment
    let results = pairs.map { judgment.results(rules, $0.new, baseline: $0.old) }
    let comparisons = pairs.map { RunComparison($0.old, $0.new) }
    try output.write(
      text: { style in
        let texts = pairs.indices.map { index in
          style.bold("launched by \(pairs[index].name)") + "\n"
            + ComparisonText(comparison: comparisons[index], budgets: results[index], style: style).text
            + LaunchGroups.Judgment.note(rules, pairs[index].new)
        }
        return (texts + (rest.isEmpty ? [] : [rest.text(rules, style)])).joined(separator: "\n")
      },
      json: {
        let groups = pairs.indices.map { index in
          var object = ComparisonJSON(comparison: comparisons[index], budgets: results[index]).value.objectValue ?? [:]
          object["launch"] = .string(pairs[index].name)
          return Value.object(object)
        }
        return .object(ValueObject([("groups", .array(groups))] + rest.members))
      },
      html: { InsightPages.page(comparisons[0], results[0], notes: rest.notes).html })
    judgment.end(rules)
  }

  private func compare(_ old: ForecastRecord, _ new: ForecastRecord, _ rules: [BudgetRule]) throws {
    guard old.workflow == new.workflow else {
      throw UsageProblem("these are forecasts of two workflows, '\(old.workflow)' and '\(new.workflow)'")
    }
    try SampleCheck.steps(of: rules, new.stepNames)
    let results = new.check(rules, baseline: old)
    let comparison = ForecastComparison(before: old, after: new, budgets: results)
    try output.write(text: comparison.text, json: { comparison.value }, html: { comparison.page })
    end(results)
  }

  private func end(_ results: [BudgetResult]) {
    if results.contains(where: \.isBroken) { ExitStatus.budgetBroken.exit() }
  }
}

enum ForecastFile {
  /// Returns the forecast in a file, or nil if there is no such file or it does not contain a forecast.
  static func read(_ path: String) throws -> ForecastRecord? {
    guard FileAccess.isRegular(path) else { return nil }
    guard let value = try? JSONText.parse(try FileAccess.read(path)) else { return nil }
    return ForecastRecord(value)
  }
}
