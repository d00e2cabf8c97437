import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports events in `after` that cannot be posted.
  mutating func checkEvents() {
    checkPostedNames()
    guard workflow.steps.contains(where: { $0.hasOptions && !$0.options.after.isEmpty }) else { return }
    let known = knownEvents()
    let names = known.sorted()
    for (step, location) in workflow.steps.enumerated() where location.hasOptions && !location.options.after.isEmpty {
      guard let node = node(.after, of: step), !isFull else { continue }
      for element in tree.kind(node) == .sequence ? tree.elements(node) : [node] {
        guard let event = tree.text(of: element), !known.contains(event) else { continue }
        report(
          .unknownEvent, "step '\(name(step))' waits for '\(event)', which is never posted", at: tree.span(element),
          correction: correction(event, among: names),
          otherwise: "declare it under 'events' when it comes from outside, or post it with flow.post")
      }
    }
  }

  /// Returns the location of the event's name in the step that waits for it or runs for its posts.
  func eventSpan(_ event: String, of step: Int) -> TextSpan {
    if workflow.steps[step].options.fanOut?.event == event, let fanOut = node(.foreach, of: step) {
      return tree.span(tree.member(ForeachKey.event.rawValue, of: fanOut)?.value ?? fanOut)
    }
    guard let node = node(.after, of: step) else { return idSpan(step) }
    guard tree.kind(node) == .sequence else { return tree.span(node) }
    return tree.span(tree.elements(node).first { tree.text(of: $0) == event } ?? node)
  }

  /// Returns the events that the workflow declares, those that its actions and included files post, and the lifecycle
  /// events.
  func knownEvents() -> Set<String> {
    var known = Set(workflow.events.map(\.name)).union(LifecycleEvent.allCases.map(\.rawValue))
    for entry in actions.entries { known.formUnion(entry.declaration?.events ?? []) }
    for step in workflow.steps.indices { known.formUnion(eventsPosted(by: step)) }
    return known.union(includedEvents())
  }

  /// Returns the events that a step may post.
  func eventsPosted(by step: Int) -> [String] {
    actions.declaration(ofStep: step)?.eventsPosted(with: workflow.steps[step].with) ?? []
  }

  private mutating func checkPostedNames() {
    guard actions.entries.contains(where: { $0.declaration?.eventFromInput != nil }) else { return }
    for step in workflow.steps.indices {
      guard let declaration = actions.declaration(ofStep: step), let input = declaration.eventFromInput,
        let value = workflow.steps[step].with[input], let mapping = node(.with, of: step),
        let member = tree.member(input, of: mapping)
      else { continue }
      if value.containsExpression {
        report(
          .eventNotLiteral, "the input '\(input)' of '\(declaration.name)' names an event and must be a literal",
          at: tree.span(member.value), help: "write one step for each event, with 'if' where it depends on something")
      } else if case .string(let event) = value {
        checkName(event, .event, member.value)
      }
    }
  }
}
