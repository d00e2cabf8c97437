import FlowDiagnostics
import FlowModel

/// Whether a step starts only after the gate has opened, its needs included.
enum EffectiveDeferral: UInt8, Comparable {
  case never, depends, always

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension WorkflowCheck {
  /// Finds what is deferred; the gate can never wait for such a step.
  mutating func checkDeferral() {
    guard workflow.steps.contains(where: { $0.hasOptions && $0.options.deferral != .never }) else { return }
    deferrals = workflow.steps.map { step in
      switch step.hasOptions ? step.options.deferral : .never {
      case .never: .never
      case .afterGate, .idle: .always
      case .expression: .depends
      }
    }
    for step in order.map(Int.init) {
      for need in workflow.steps[step].needs { deferrals[step] = max(deferrals[step], deferrals[Int(need)]) }
    }
    for step in workflow.steps.indices where workflow.steps[step].options.blocking == true {
      if deferrals[step] != .never { reportDeferral(of: step) }
    }
  }

  private mutating func reportDeferral(of step: Int) {
    let cause = deferralCause(of: step)
    let through = cause == step ? "" : ", as it needs '\(name(cause))'"
    let related = [Diagnostic.RelatedPlace(span(.deferral, of: cause), "'\(name(cause))' is deferred here")]
    if deferrals[step] == .always {
      report(
        .blockingDeferred, "step '\(name(step))' is to block the gate and starts only after it opened\(through)",
        at: span(.blocking, of: step), related: related, help: "remove 'blocking: true', or do not defer the step")
    } else {
      report(
        .blockingMayBeDeferred,
        "step '\(name(step))' is to block the gate and may start only after it opened\(through)",
        at: span(.blocking, of: step), related: related,
        help: "where the expression is true at activation, the run ends with exit code 2")
    }
  }

  /// The step whose own `defer` puts `step` off.
  private func deferralCause(of step: Int) -> Int {
    var current = step
    while let need = workflow.steps[current].needs.first(where: { deferrals[Int($0)] == deferrals[current] }),
      workflow.steps[current].options.deferral == .never
    {
      current = Int(need)
    }
    return current
  }

  /// Whether a step starts only after the gate has opened.
  func isDeferred(_ step: Int) -> Bool { !deferrals.isEmpty && deferrals[step] == .always }

  /// Whether the gate waits for a step itself.
  func isBlocking(_ step: Int) -> Bool {
    (workflow.steps[step].hasOptions ? workflow.steps[step].options.blocking : nil) ?? !isDeferred(step)
  }

  /// Whether a step is switched off for good.
  func isDisabled(_ step: Int) -> Bool {
    workflow.steps[step].hasOptions && workflow.steps[step].options.enabled == .literal(false)
  }

  /// For each step whether the gate waits for it or for a step that needs it.
  func stepsBeforeGate() -> [Bool] {
    var isBefore = workflow.steps.indices.map { isBlocking($0) && !isDeferred($0) && !isDisabled($0) }
    for step in order.reversed().map(Int.init) where isBefore[step] {
      for need in workflow.steps[step].needs { isBefore[Int(need)] = true }
    }
    return isBefore
  }
}
