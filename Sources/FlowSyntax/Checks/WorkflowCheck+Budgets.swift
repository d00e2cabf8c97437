import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports unknown steps in `budgets`.
  mutating func checkBudgets() {
    guard let node = locations.value(.budgets), tree.kind(node) == .sequence else { return }
    for element in tree.elements(node) where tree.kind(element) == .scalar {
      guard let rule = try? BudgetRule(parsing: tree.text(element)), let step = rule.step,
        !workflow.steps.contains(where: { $0.id == step })
      else { continue }
      report(
        .unknownStep, "there is no step '\(step)' to measure", at: tree.span(element),
        correction: Correction(step.text, among: workflow.steps.map(\.id.text)))
    }
  }
}
