import FlowModel
import FlowPluginKit

// Events are posted by steps and from outside the run, and their posts may have values.
extension WorkflowRun {
  /// Posts an event from outside the run with a value, which steps read as `events.NAME.value` or `item.value`. Later
  /// posts of the event have no effect unless it repeats. Throws if the event or its value may come only from steps, if
  /// the value does not match the declaration of the event, or if the value or the values of the run together become
  /// too large.
  public func post(_ event: String, value: Value) throws(EventValueProblem) {
    if let problem = prepared.eventValues.problem(fromOutside: value, of: event) { throw problem }
    let aftermath = withPlan { state -> Aftermath? in
      guard keep(value, of: event, &state) else { return nil }
      state.plan.apply(.posted(event), at: state.instant(clock.now))
      return carryOut(&state)
    }
    guard let aftermath else { throw Self.tooLarge }
    perform(aftermath)
  }

  /// Posts an event of a step with a value. Throws if the action did not declare the event, the value does not match
  /// its declaration, the value or the values of the run together become too large, or the run has made 10,000 posts.
  package func post(_ event: String, value: Value, step: StepIndex) throws {
    let owner = instances.owner(of: step)
    let declaration = prepared.action(of: owner).declaration
    guard declaration.eventsPosted(with: prepared.graph.workflow.steps[Int(owner)].with).contains(event) else {
      throw ActionError(
        "undeclared-event", "'\(declaration.name)' posted '\(event)', which it does not declare", isRetryable: false)
    }
    if let problem = prepared.eventValues.problem(value, of: event) {
      throw ActionError("event-value", problem.description, isRetryable: false)
    }
    let aftermath = try withPlan { state -> Aftermath in
      guard state.postedCount < Limits.events else {
        throw ActionError("too-many-events", "the run has posted \(Limits.events) events", isRetryable: false)
      }
      guard keep(value, of: event, &state) else {
        throw ActionError("event-value", Self.tooLarge.description, isRetryable: false)
      }
      state.postedCount += 1
      state.plan.post(event, by: step, at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  private static var tooLarge: EventValueProblem {
    EventValueProblem(tooLarge: Limits.eventValuesBytes)
  }

  /// Stores the value of the next post, and hides it if it is secret. Returns false if the values of all posts would
  /// become too large.
  func keep(_ value: Value, of event: String, _ state: inout RunState) -> Bool {
    guard let number = state.plan.numberOfNextPost(of: event) else { return true }
    guard state.eventValues.keep(value, of: event, number: number) else { return false }
    guard !value.isNull else { return true }
    if let secret = prepared.eventValues.secretPart(of: value, event) {
      mask?.add(secret, of: event, number: number)
    } else if journal != nil {
      state.unwrittenOutputs.values.append(RecordedEventValue(event: event, number: number, value: ["value": value]))
    }
    return true
  }

  /// Adds `change` to the number of events expected from outside the run.
  package func expectFromOutside(_ change: Int) { self.change(.expectsFromOutside(change)) }

  /// Records that a service has handled a post of an event that it follows.
  package func handledPost(of step: StepIndex) { change(.handledPost(instances.owner(of: step))) }
}
