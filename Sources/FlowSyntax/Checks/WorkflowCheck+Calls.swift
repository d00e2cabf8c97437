import FlowDiagnostics
import FlowModel

/// Checks steps that call an action for each post of an event. The event must repeat, the action must be installed and
/// callable, and its inputs must be valid.
extension WorkflowCheck {
  mutating func checkCalls() {
    guard actions.entries.contains(where: { $0.declaration?.calls != nil }) else { return }
    for step in workflow.steps.indices {
      guard let declaration = actions.declaration(ofStep: step), let call = declaration.calls, !isSettled else {
        continue
      }
      for input in [call.event, call.action] {
        guard workflow.steps[step].with[input]?.containsExpression == true else { continue }
        report(
          .eventNotLiteral, "the input '\(input)' of '\(declaration.name)' must be a literal",
          at: location(of: input, step), help: "write one step for each, with 'if' where it depends on something")
      }
      checkFollowedEvent(of: step, declaration, call)
      checkCalledAction(of: step, declaration, call)
    }
  }

  /// Returns the action that a step calls for each post of an event, or nil if it calls none or the action is not
  /// installed.
  func calledAction(of step: Int) -> ActionDeclaration? {
    guard let call = actions.declaration(ofStep: step)?.calls,
      let name = workflow.steps[step].with[call.action]?.stringValue
    else { return nil }
    return catalog.declaration(named: name)
  }

  /// Returns the handles required by a step's action, and by the action that it calls for each post.
  func requirements(of step: Int) -> [HandleKey] {
    guard let declaration = actions.declaration(ofStep: step) else { return [] }
    return declaration.calls == nil
      ? declaration.requires : declaration.requires + (calledAction(of: step)?.requires ?? [])
  }

  private func location(of input: String, _ step: Int) -> TextSpan {
    let member = node(.with, of: step).flatMap { tree.member(input, of: $0) }
    return member.map { tree.span($0.value) } ?? span(.uses, of: step)
  }

  private mutating func checkFollowedEvent(of step: Int, _ declaration: ActionDeclaration, _ call: ActionCall) {
    guard case .string(let event)? = workflow.steps[step].with[call.event], !Value.string(event).containsExpression
    else {
      return
    }
    if workflow.events.contains(where: { $0.name == event && $0.repeats }) { return }
    reportFollowed(event, "step '\(name(step))' follows '\(event)'", at: location(of: call.event, step), .inputRejected)
  }

  /// Reports an event that is never posted or does not repeat, although a step does something for each post.
  mutating func reportFollowed(_ event: String, _ what: String, at location: TextSpan, _ code: DiagnosticCode) {
    let known = knownEvents()
    let help = "declare it: events: { \(event): { repeats: true } }"
    guard known.contains(event) else {
      return report(
        .unknownEvent, "\(what), which is never posted", at: location,
        correction: correction(event, among: known.sorted()),
        otherwise: help)
    }
    report(code, "\(what), which does not repeat: only its first post counts", at: location, help: help)
  }

  private mutating func checkCalledAction(of step: Int, _ declaration: ActionDeclaration, _ call: ActionCall) {
    let with = workflow.steps[step].with
    guard case .string(let action)? = with[call.action], !Value.string(action).containsExpression else { return }
    guard let called = catalog.declaration(named: action) else {
      if reportMoved(action, "step '\(name(step))' calls", at: self.location(of: call.action, step)) { return }
      return report(
        .unknownAction, "step '\(name(step))' calls '\(action)', which is not an installed action",
        at: location(of: call.action, step), correction: actionCorrection(action), otherwise: actionHelp(action))
    }
    if let reason = Self.reasonAgainstCalling(called) {
      report(
        .inputRejected, "step '\(name(step))' cannot call '\(action)' for each post: \(reason)",
        at: location(of: call.action, step), help: "use it in a step that waits for the event with 'after'")
    } else if case .object(let given)? = with[call.inputs] ?? .object([:]) {
      let mapping = node(.with, of: step).flatMap { tree.member(call.inputs, of: $0)?.value }
      checkInputs(given, at: mapping, of: step, called)
    }
  }

  private static func reasonAgainstCalling(_ action: ActionDeclaration) -> String? {
    if action.isService { return "it is a service, which never returns" }
    if !action.provides.isEmpty { return "it provides a handle, which steps share for the whole run" }
    if !action.events.isEmpty || action.eventFromInput != nil { return "it posts events, which would start steps" }
    return nil
  }
}
