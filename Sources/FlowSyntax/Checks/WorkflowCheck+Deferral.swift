import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Determines which steps are deferred, and reports steps with `blocking: true` that are deferred in some or all
  /// runs.
  mutating func checkDeferral() {
    let roles = GateRoles(workflow, order: order)
    self.roles = roles
    guard roles.isAnyDeferred else { return }
    for step in workflow.steps.indices where workflow.steps[step].options.blocking == true {
      let deferral = roles.deferral(of: StepIndex(step))
      if deferral != .never {
        reportDeferral(of: step, isCertain: deferral == .always, Int(roles.cause(ofDeferring: StepIndex(step))))
      }
    }
  }

  private mutating func reportDeferral(of step: Int, isCertain: Bool, _ cause: Int) {
    let through = cause == step ? "" : ", as it needs '\(name(cause))'"
    let related = [Diagnostic.RelatedLocation(span(.deferral, of: cause), "'\(name(cause))' is deferred here")]
    if isCertain {
      report(
        .blockingDeferred, "step '\(name(step))' is blocking but cannot start before the gate opens\(through)",
        at: span(.blocking, of: step), related: related, help: "remove 'blocking: true', or do not defer the step")
    } else {
      report(
        .blockingMayBeDeferred,
        "step '\(name(step))' is blocking but may start only after the gate opens\(through)",
        at: span(.blocking, of: step), related: related,
        help: "where the expression is true at activation, the run ends with exit code 2")
    }
  }

  /// True if the step is deferred in all runs.
  func isDeferred(_ step: Int) -> Bool { roles?.isDeferred(StepIndex(step)) == true }

  /// True if the step is deferred in some or all runs.
  func mayBeDeferred(_ step: Int) -> Bool { (roles?.deferral(of: StepIndex(step)) ?? .never) != .never }

  /// True if the step is blocking in some or all runs.
  func mayBlock(_ step: Int) -> Bool { (roles?.blocking(of: StepIndex(step)) ?? .always) != .never }

  func isDisabled(_ step: Int) -> Bool { workflow.steps[step].hasOptions && workflow.steps[step].options.isDisabled }

  /// Returns, for each step, whether the gate waits for it or for one of its dependents.
  func stepsBeforeGate() -> [Bool] {
    var isBefore = workflow.steps.indices.map { mayBlock($0) && !isDeferred($0) && !isDisabled($0) }
    for step in order.reversed().map(Int.init) where isBefore[step] {
      for need in workflow.steps[step].needs { isBefore[Int(need)] = true }
    }
    return isBefore
  }
}
