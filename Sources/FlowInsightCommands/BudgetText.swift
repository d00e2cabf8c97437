import FlowCLI
import FlowInsight
import FlowModel

/// Formats budgets, with the measured and the allowed value of each.
enum BudgetText {
  static func lines(_ budgets: [BudgetResult], _ style: TextStyle) -> [String] {
    let width = budgets.map(\.rule.text.count).max() ?? 0
    return budgets.map { budget in
      let line = "  " + budget.rule.text.padded(to: width) + "  " + value(budget)
      return budget.isBroken ? style.red(line) : line
    }
  }

  private static func value(_ budget: BudgetResult) -> String {
    guard budget.isMeasured else { return "the step never runs, so there is nothing to check" }
    let found = budget.value.map { text($0, budget) } ?? "never"
    let allowed = budget.limit.map { text($0, budget) } ?? "never"
    return budget.isBroken ? "broken: \(found), the limit is \(allowed)" : "kept: \(found)"
  }

  private static func text(_ value: Double, _ budget: BudgetResult) -> String {
    budget.isShare ? share(value) : Milliseconds.text(value)
  }

  /// Formats a share in percent. Fractions below 1 % or above 99 % have two decimals, because they are easily mistaken
  /// for 0 % or 100 %.
  static func share(_ share: Double) -> String {
    let percent = share * 100
    let decimals = percent == percent.rounded() ? 0 : percent < 1 || percent > 99 ? 2 : 1
    return Milliseconds.fixed(percent, decimals) + " %"
  }
}
