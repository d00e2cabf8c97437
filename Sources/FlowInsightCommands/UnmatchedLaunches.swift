import FlowCLI
import FlowEngine
import FlowInsight
import FlowModel

/// The launch groups that only one side of a comparison has.
struct UnmatchedLaunches {
  /// A launch group on the new side, with the results of the budgets that need no baseline.
  struct Row {
    var group: LaunchGroups.Group
    var budgets: [BudgetResult] = []
  }

  let before: [LaunchGroups.Group]
  let now: [Row]

  var isEmpty: Bool { before.isEmpty && now.isEmpty }

  /// Finds the groups without a counterpart. Checks the budgets that need no baseline for the groups on the new side.
  init(
    before: [LaunchGroups.Group], now: [LaunchGroups.Group], _ rules: [BudgetRule],
    _ judgment: inout LaunchGroups.Judgment
  ) {
    self.before = before.filter { group in !now.contains { $0.launch == group.launch } }
    let absolute = rules.filter { if case .baseline = $0.limit { false } else { true } }
    self.now = now.filter { group in !before.contains { $0.launch == group.launch } }
      .map { Row(group: $0, budgets: absolute.isEmpty ? [] : judgment.results(absolute, $0.sample)) }
  }

  /// A sentence for each of the groups.
  var notes: [String] {
    before.map { "only before: \(Self.text($0))" } + now.map { "only now: \(Self.text($0.group))" }
  }

  private static func text(_ group: LaunchGroups.Group) -> String {
    "\(group.sample.runs.count.counted("run")), launched by \(group.name)"
  }

  func text(_ rules: [BudgetRule], _ style: TextStyle) -> String {
    var lines = [style.bold("not compared")] + before.map { "  only before: \(Self.text($0))" }
    for row in now {
      lines.append("  only now: \(Self.text(row.group))")
      lines += BudgetText.lines(row.budgets, style).map { "  " + $0 }
      let skipped = rules.count - row.budgets.count
      if skipped > 0 { lines.append("    \(skipped.counted("budget")) not judged") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The members that are added to a comparison in JSON.
  var members: [(String, Value)] {
    func value(_ group: LaunchGroups.Group, _ budgets: [BudgetResult]?) -> Value {
      var object: ValueObject = ["launch": .string(group.name), "runs": .integer(group.sample.runs.count)]
      if let budgets { object["budgets"] = .array(budgets.map(ForecastJSON.value)) }
      return .object(object)
    }
    return [
      ("onlyBefore", .array(before.map { value($0, nil) })),
      ("onlyAfter", .array(now.map { value($0.group, $0.budgets) })),
    ]
  }
}
