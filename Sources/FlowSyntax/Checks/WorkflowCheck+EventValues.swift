import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Checks references to the values of events. The event must exist. A read before the first post is only a warning: the
/// value is null then, which may be intended.
extension WorkflowCheck {
  /// Returns the declared type of an event's value, or nil if none is declared.
  func valueType(of event: String) -> ValueType? {
    if let declared = workflow.events.first(where: { $0.name == event }), let value = declared.value {
      return value.type
    }
    return actions.entries.lazy.compactMap { $0.declaration?.eventValues.first { $0.name == event }?.type }.first
  }

  mutating func checkEventReference(_ reference: ContextReference, _ site: ExpressionSite, at location: TextSpan) {
    guard let event = reference.path.first else { return }
    let known = knownEvents()
    guard known.contains(event) else {
      return report(
        .unknownEvent, "'events' has no event '\(event)'", at: location,
        correction: correction(event, among: known.sorted()), otherwise: "declare it under 'events'")
    }
    guard reference.path.count > 1 else { return }
    guard reference.path[1].lowercased() == "value" else {
      return report(
        .unknownMember, "'events.\(event)' has no member '\(reference.path[1])'", at: location, help: "it has 'value'")
    }
    guard let step = site.step, !reference.hasFallback, !waits(step, for: event) else { return }
    report(
      .eventMayBeUnposted, "step '\(name(step))' may start before '\(event)' is posted, and then its value is null",
      at: location, help: "write 'after: \(event)' at the step or at one of its dependencies, or '… || a default'")
  }

  /// True if the step or one of its direct or indirect dependencies waits for the event or runs for its posts.
  private func waits(_ step: Int, for event: String) -> Bool {
    let steps = workflow.upstream(of: StepIndex(step)).map { Int($0) } + [step]
    return steps.contains { workflow.steps[$0].hasOptions && workflow.steps[$0].options.events.contains(event) }
  }
}
