import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowSecrets

extension WorkflowRun: ActionHost {
  /// The reason for the launch and its options. Before activation, it has default values.
  package var launch: Launch { state.withLock { $0.launch } }

  /// Returns the id of a step or item.
  package func stepID(of step: StepIndex) -> StepID {
    guard let (owner, item) = instances.item(of: step) else { return prepared.graph.workflow.steps[Int(step)].id }
    return prepared.graph.workflow.steps[Int(owner)].id.item(item)
  }

  /// Returns a key that consists of the ids of run and step. If successes of the step were discarded, the key also
  /// contains their number.
  package func idempotencyKey(of step: StepIndex) -> String {
    var repetitions = 0
    if let origin {
      if let (owner, item) = instances.item(of: step) {
        repetitions = state.withLock { $0.itemRepetitions[owner]?[item] ?? 0 }
      } else {
        repetitions = origin.plan.repetitions[step] ?? 0
      }
    }
    return "\(run.id)/\(stepID(of: step))" + (repetitions > 0 ? "~\(repetitions)" : "")
  }

  /// The names of variables that contain secrets of the workflow or of an outer run.
  package var withheldVariables: Set<String> {
    secretVariables.union(options.outer?.run.withheldVariables ?? [])
  }

  /// True if the run has secrets, which are hidden in everything that is shown or recorded.
  package var hasSecrets: Bool { mask != nil || options.outer?.run.hasSecrets == true }

  /// True if the value contains a secret.
  package func holdsSecret(_ value: Value) -> Bool {
    if let mask, mask.masked(value) != value { return true }
    return options.outer?.run.holdsSecret(value) == true
  }

  /// Returns the variables of the workflow and the step, as a command of the step receives them.
  package func environment(of step: StepIndex) -> [String: String] {
    let owner = instances.owner(of: step)
    let own = prepared.detail(of: owner)?.environment
    let values = state.withLock { state -> ValueObject in
      var values = state.environment
      if prepared.graph.workflow.scope(of: owner) != nil { values = scope(owner, state).environment }
      if let own, own.literal?.isEmpty != true, let stated = try? scope(step, state).variables(own) {
        for (name, value) in stated { values[name] = value }
      }
      return values
    }
    var variables: [String: String] = [:]
    for (name, value) in values {
      variables[name] = value.isNull ? "" : value.stringValue ?? JSONText.write(value)
    }
    if variables["FORCE_COLOR"] == nil, variables["NO_COLOR"] == nil, forcesColor(of: owner) {
      variables["FORCE_COLOR"] = "1"
    }
    return variables
  }

  /// Returns the trace context of an attempt, or nil if the run has none.
  package func traceparent(of step: StepIndex, attempt: Int) -> String? {
    options.traceparent?(stepID(of: step).text, attempt)
  }

  /// Returns the time left until this attempt, its step or its fan-out times out, or nil if there is no limit.
  package func remaining(of step: StepIndex, attempt: Int) -> Duration? {
    let (due, limit) = state.withLock { state in
      (state.plan.maximum(of: step, attempt: attempt), state.plan.limitOfUnbegun(step, attempt: attempt))
    }
    return due.map { .nanoseconds(max(0, $0 - clock.now)) } ?? limit
  }

  /// Records that a worker has begun the body of a remote step.
  package func begun(_ step: StepIndex, attempt: Int) {
    guard options.placement != nil else { return }
    change(.begun(step, attempt: attempt))
  }

  /// True if this attempt was asked to end.
  package func isCancelled(_ step: StepIndex, attempt: Int) -> Bool {
    cancellations.isCancelled(step, attempt: attempt)
  }

  /// Calls the handler once when this attempt is asked to end, or immediately if it has been.
  package func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    cancellations.onCancel(step, attempt: attempt, handler)
  }

  /// Extends the grace of an attempt that was asked to end.
  package func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int) {
    change(.needsTimeToEnd(step, attempt: attempt, nanoseconds: time.nanoseconds))
    if let outer = options.outer { outer.run.needsTimeToEnd(time, step: outer.instance, attempt: outer.attempt) }
  }

  /// Reports the progress of a step to the observer.
  package func progress(_ fraction: Double, _ message: String, step: StepIndex) {
    emit(.stepProgress(stepID(of: step), fraction: min(1, max(0, fraction)), message: message))
  }

  /// Posts an event. Throws if the action did not declare the event, or if the run has already made 10,000 posts.
  package func post(_ event: String, step: StepIndex) throws { try post(event, value: .null, step: step) }

  /// Returns the handle with this key, or nil if there is none.
  package func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? {
    handles.handle(key, for: instances.owner(of: step))
      ?? options.outer.flatMap { $0.run.handle(key, step: $0.instance) }
  }

  /// Makes a handle available to later steps. Closes an earlier handle of the same step with this key.
  package func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    let entry = HandleTable.ProvidedHandle(
      key: key, handle: handle, close: close, step: instances.owner(of: step))
    guard let closeReplaced = handles.provide(entry) else { return }
    do { try closeReplaced() } catch { warn("closing '\(key)' of an earlier attempt failed: \(error)") }
  }

  /// Reports that a service is ready, with its outputs.
  package func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) {
    let aftermath = withPlan { state -> Aftermath in
      guard state.plan.isAwaiting(step, attempt: attempt) else { return Aftermath() }
      if !outputs.isEmpty { keep(outputs, of: step, &state) }
      state.plan.apply(.ready(step, attempt: attempt), at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// Calls the handler once after `delay` on the run's clock.
  package func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    deadlines.schedule(afterNanoseconds: max(0, delay.nanoseconds), handler)
  }

  /// Does the same as ``wake(after:_:)`` for a body that does nothing but wait, so that a virtual clock may advance.
  package func wake(
    after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void
  ) {
    guard options.clock != nil else { return wake(after: delay, handler) }
    let key = RunState.taskKey(step, attempt)
    // Both changes are made under the lock, because a virtual clock could otherwise advance between them.
    state.withLock { state in
      state.sleeping[key, default: 0] += 1
      wake(after: delay) { [self] in
        self.state.withLock { $0.sleeping[key, default: 1] -= 1 }
        handler()
      }
    }
  }

  /// Reports a delay of the run as a warning. The report does not contain it.
  package func announce(_ message: String) { emit(.warning(message)) }

  /// Records a warning, unless the run has recorded the same one before.
  func warnOnce(_ message: String) {
    let isNew = state.withLock { state in
      if state.warnings.contains(message) { return false }
      state.warnings.append(message)
      return true
    }
    if isNew { emit(.warning(message)) }
  }

  /// Adds a warning to the report, and reports it to the observer.
  func warn(_ message: String) {
    state.withLock { $0.warnings.append(message) }
    emit(.warning(message))
  }
}
