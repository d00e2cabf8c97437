import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowSecrets

extension WorkflowRun: ActionHost {
  /// Why the application was launched; the defaults before activation.
  public var launch: Launch { state.withLock { $0.launch } }

  /// The id of a step.
  public func stepID(of step: StepIndex) -> StepID {
    guard let (owner, item) = instances.item(of: step) else { return prepared.graph.workflow.steps[Int(step)].id }
    return prepared.graph.workflow.steps[Int(owner)].id.item(item)
  }

  /// Run and step, and how often a success of the step was given up.
  public func idempotencyKey(of step: StepIndex) -> String {
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

  /// Those that the workflow's secrets come from, and those of the run that this one carries out an item of.
  public var withheldVariables: Set<String> {
    secretVariables.union(options.outer?.run.withheldVariables ?? [])
  }

  /// Whether the run has texts that are hidden wherever they are shown or recorded.
  public var hasSecrets: Bool { mask != nil || options.outer?.run.hasSecrets == true }

  /// Whether a value holds one of those texts.
  public func holdsSecret(_ value: Value) -> Bool {
    if let mask, mask.masked(value) != value { return true }
    return options.outer?.run.holdsSecret(value) == true
  }

  /// The variables that workflow and step state.
  public func environment(of step: StepIndex) -> [String: String] {
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

  /// The trace context of an attempt; nil: it has none of its own.
  public func traceparent(of step: StepIndex, attempt: Int) -> String? {
    options.traceparent?(stepID(of: step).text, attempt)
  }

  /// The time left until the deadline of the step or of this attempt; nil: none.
  public func remaining(of step: StepIndex, attempt: Int) -> Duration? {
    let (due, limit) = state.withLock { state in
      (state.plan.maximum(of: step, attempt: attempt), state.plan.limitOfUnbegun(step, attempt: attempt))
    }
    return due.map { .nanoseconds(max(0, $0 - clock.now)) } ?? limit
  }

  /// The body of a step that was started remotely has begun.
  public func begun(_ step: StepIndex, attempt: Int) {
    guard options.placement != nil else { return }
    change(.begun(step, attempt: attempt))
  }

  /// Whether this attempt is to end.
  public func isCancelled(_ step: StepIndex, attempt: Int) -> Bool {
    cancellations.isCancelled(step, attempt: attempt)
  }

  /// Calls the handler once this attempt is to end.
  public func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    cancellations.onCancel(step, attempt: attempt, handler)
  }

  /// The body of this attempt needs this time from now to end.
  public func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int) {
    change(.needsTimeToEnd(step, attempt: attempt, nanoseconds: time.nanoseconds))
    if let outer = options.outer { outer.run.needsTimeToEnd(time, step: outer.instance, attempt: outer.attempt) }
  }

  /// Says how far the step is.
  public func progress(_ fraction: Double, _ message: String, step: StepIndex) {
    emit(.stepProgress(stepID(of: step), fraction: min(1, max(0, fraction)), message: message))
  }

  /// Posts an event; throws when the action did not declare it or the run has had its 10,000.
  public func post(_ event: String, step: StepIndex) throws { try post(event, value: .null, step: step) }

  /// The handle under this key, or nil.
  public func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? {
    handles.handle(key, for: instances.owner(of: step))
      ?? options.outer.flatMap { $0.run.handle(key, step: $0.instance) }
  }

  /// Makes a handle available; what the step had provided before under this key is closed.
  public func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    let entry = HandleTable.ProvidedHandle(
      key: key, handle: handle, close: close, step: instances.owner(of: step))
    guard let closeReplaced = handles.provide(entry) else { return }
    do { try closeReplaced() } catch { warn("closing '\(key)' of an earlier attempt failed: \(error)") }
  }

  /// Reports a service ready.
  public func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) {
    let aftermath = withPlan { state -> Aftermath in
      guard state.plan.isAwaiting(step, attempt: attempt) else { return Aftermath() }
      if !outputs.isEmpty { keep(outputs, of: step, &state) }
      state.plan.apply(.ready(step, attempt: attempt), at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// Calls the handler once when this much time has passed on the run's clock.
  public func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    deadlines.schedule(afterNanoseconds: max(0, delay.nanoseconds), handler)
  }

  /// The same for the body of an attempt, which does nothing else until then.
  public func wake(
    after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void
  ) {
    guard options.clock != nil else { return wake(after: delay, handler) }
    let key = RunState.taskKey(step, attempt)
    // In one hold of the lock, so that the clock cannot move past an alarm that is not set yet.
    state.withLock { state in
      state.sleeping[key, default: 0] += 1
      wake(after: delay) { [self] in
        self.state.withLock { $0.sleeping[key, default: 1] -= 1 }
        handler()
      }
    }
  }

  /// Tells observers of the run of something that holds it up, as a warning that is not of its report.
  public func announce(_ message: String) { emit(.warning(message)) }

  /// Notes something that went wrong without being a failure, unless the run has noted it before.
  func warnOnce(_ message: String) {
    let isNew = state.withLock { state in
      if state.warnings.contains(message) { return false }
      state.warnings.append(message)
      return true
    }
    if isNew { emit(.warning(message)) }
  }

  /// Notes something that went wrong without being a failure.
  func warn(_ message: String) {
    state.withLock { $0.warnings.append(message) }
    emit(.warning(message))
  }
}
