import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// A retry that can never start is a mistake: all errors end the step at once, or the pause outlasts the deadline.
  mutating func checkRetries() {
    for (step, location) in workflow.steps.enumerated() where location.hasOptions {
      guard let retry = location.options.retry, retry.attempts > 1, node(.retry, of: step) != nil else { continue }
      if let max = location.options.deadline?.max, retry.delay >= max, retry.jitter == .none {
        report(
          .retryWithoutEffect,
          "step '\(name(step))' pauses \(DurationText.format(retry.delay)) before its second attempt "
            + "but times out after \(DurationText.format(max))",
          at: span(.retry, of: step), help: "shorten the delay or lengthen the deadline")
      }
      guard let declaration = actions.declaration(ofStep: step), !declaration.errors.isEmpty,
        !declaration.errors.contains(where: \.isRetryable)
      else { continue }
      report(
        .retryWithoutEffect,
        "step '\(name(step))' has 'retry', but no error of '\(declaration.name)' can be retried",
        at: span(.retry, of: step), help: "remove 'retry'; see flowrun plugins show \(declaration.name)")
    }
  }
}
