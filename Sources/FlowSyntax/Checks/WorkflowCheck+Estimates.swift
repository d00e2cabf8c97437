import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports steps whose estimate exceeds their deadline, because they would time out (L7).
  mutating func checkEstimates() {
    for (step, location) in workflow.steps.enumerated() where location.hasOptions {
      guard let high = location.options.estimate?.high, let max = location.options.deadline?.max, high > max else {
        continue
      }
      report(
        .estimateOverDeadline,
        "step '\(name(step))' is estimated to take up to \(DurationText.format(high)) "
          + "but times out after \(DurationText.format(max))",
        at: span(.estimate, of: step),
        related: node(.deadline, of: step).map { [.init(tree.span($0), "this is its deadline")] } ?? [],
        help: "lengthen the deadline or correct the estimate")
    }
  }
}
