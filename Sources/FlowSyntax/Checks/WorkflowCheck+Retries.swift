import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports a `retry` that has no effect, because no error of the action can be retried or because the first pause is
  /// at least as long as the deadline. Also reports reasons that the action does not declare.
  mutating func checkRetries() {
    for (step, location) in workflow.steps.enumerated() where location.hasOptions {
      guard let retry = location.options.retry, node(.retry, of: step) != nil else { continue }
      guard retry.attempts > 1 else {
        if let reasons = retry.reasons { checkReasons(reasons, of: step) }
        continue
      }
      if let max = location.options.deadline?.max, retry.delay >= max, retry.jitter == .none {
        report(
          .retryWithoutEffect,
          "step '\(name(step))' pauses \(DurationText.format(retry.delay)) before its second attempt "
            + "but times out after \(DurationText.format(max))",
          at: span(.retry, of: step), help: "shorten the delay or lengthen the deadline")
      }
      if let reasons = retry.reasons { checkReasons(reasons, of: step) }
      guard retry.reasons?.areExcepted ?? true, let declaration = actions.declaration(ofStep: step),
        !declaration.errors.isEmpty, !declaration.errors.contains(where: \.isRetryable)
      else { continue }
      report(
        .retryWithoutEffect,
        "step '\(name(step))' has 'retry', but no error of '\(declaration.name)' can be retried",
        at: span(.retry, of: step), help: "remove 'retry'; see flowrun plugins show \(declaration.name)")
    }
  }

  /// Reports error codes that the action does not declare.
  private mutating func checkReasons(_ reasons: RetryReasons, of step: Int) {
    guard let declaration = actions.declaration(ofStep: step), !isSettled else { return }
    let codes = declaration.errors.map(\.code)
    let known = RetryReasons.Reason.words.map(\.word) + codes
    for case .code(let code) in reasons.listed where !codes.contains(code) {
      let correction = correction(code, among: known)
      report(
        .unknownValue,
        "'retry' of step '\(name(step))' has the reason '\(code)', which '\(declaration.name)' does not have",
        at: span(.retry, of: step),
        help: (correction.map { $0.question + " " } ?? "") + "there are exit statuses and \(Self.list(known))")
    }
  }
}
