import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowSecrets

extension WorkflowRun: ActionHost {
  /// The reason for the launch. Before activation, the defaults.
  public var launch: Launch { state.withLock { $0.launch } }

  /// The id of a step.
  public func stepID(of step: StepIndex) -> StepID {
    guard let (owner, item) = instances.item(of: step) else { return prepared.graph.workflow.steps[Int(step)].id }
    return prepared.graph.workflow.steps[Int(owner)].id.item(item)
  }

  /// Consists of the run, the step, and how often a success of the step was discarded.
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

  /// The variables that contain the workflow's secrets, including those of an outer run.
  public var withheldVariables: Set<String> {
    secretVariables.union(options.outer?.run.withheldVariables ?? [])
  }

  /// True if the run has secrets, which are hidden wherever text is shown or recorded.
  public var hasSecrets: Bool { mask != nil || options.outer?.run.hasSecrets == true }

  /// True if a value contains a secret.
  public func holdsSecret(_ value: Value) -> Bool {
    if let mask, mask.masked(value) != value { return true }
    return options.outer?.run.holdsSecret(value) == true
  }

  /// The variables of the workflow and the step.
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

  /// The trace context of an attempt, or nil if the run sets none.
  public func traceparent(of step: StepIndex, attempt: Int) -> String? {
    options.traceparent?(stepID(of: step).text, attempt)
  }

  /// The time left until the deadline of the step or of this attempt, or nil if there is none.
  public func remaining(of step: StepIndex, attempt: Int) -> Duration? {
    let (due, limit) = state.withLock { state in
      (state.plan.maximum(of: step, attempt: attempt), state.plan.limitOfUnbegun(step, attempt: attempt))
    }
    return due.map { .nanoseconds(max(0, $0 - clock.now)) } ?? limit
  }

  /// Records that the body of a remote step has begun.
  public func begun(_ step: StepIndex, attempt: Int) {
    guard options.placement != nil else { return }
    change(.begun(step, attempt: attempt))
  }

  /// True if this attempt was asked to end.
  public func isCancelled(_ step: StepIndex, attempt: Int) -> Bool {
    cancellations.isCancelled(step, attempt: attempt)
  }

  /// Calls the handler once this attempt is asked to end.
  public func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    cancellations.onCancel(step, attempt: attempt, handler)
  }

  /// Extends the time in which this attempt must end.
  public func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int) {
    change(.needsTimeToEnd(step, attempt: attempt, nanoseconds: time.nanoseconds))
    if let outer = options.outer { outer.run.needsTimeToEnd(time, step: outer.instance, attempt: outer.attempt) }
  }

  /// Reports the step's progress.
  public func progress(_ fraction: Double, _ message: String, step: StepIndex) {
    emit(.stepProgress(stepID(of: step), fraction: min(1, max(0, fraction)), message: message))
  }

  /// Posts an event. Throws if the action did not declare it or the run has reached the limit of 10,000 posts.
  public func post(_ event: String, step: StepIndex) throws { try post(event, value: .null, step: step) }

  /// The handle with this key, or nil.
  public func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? {
    handles.handle(key, for: instances.owner(of: step))
      ?? options.outer.flatMap { $0.run.handle(key, step: $0.instance) }
  }

  /// Makes a handle available. Closes the step's earlier handle with this key.
  public func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    let entry = HandleTable.ProvidedHandle(
      key: key, handle: handle, close: close, step: instances.owner(of: step))
    guard let closeReplaced = handles.provide(entry) else { return }
    do { try closeReplaced() } catch { warn("closing '\(key)' of an earlier attempt failed: \(error)") }
  }

  /// Reports that a service is ready.
  public func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) {
    let aftermath = withPlan { state -> Aftermath in
      guard state.plan.isAwaiting(step, attempt: attempt) else { return Aftermath() }
      if !outputs.isEmpty { keep(outputs, of: step, &state) }
      state.plan.apply(.ready(step, attempt: attempt), at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// Calls the handler once after this time on the run's clock.
  public func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    deadlines.schedule(afterNanoseconds: max(0, delay.nanoseconds), handler)
  }

  /// Like ``wake(after:_:)``, for an attempt whose body only waits meanwhile.
  public func wake(
    after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void
  ) {
    guard options.clock != nil else { return wake(after: delay, handler) }
    let key = RunState.taskKey(step, attempt)
    // Both happen while the lock is held, so that the clock cannot move past an alarm that is not set yet.
    state.withLock { state in
      state.sleeping[key, default: 0] += 1
      wake(after: delay) { [self] in
        self.state.withLock { $0.sleeping[key, default: 1] -= 1 }
        handler()
      }
    }
  }

  /// Reports something that delays the run, as a warning that is not part of its report.
  public func announce(_ message: String) { emit(.warning(message)) }

  /// Records a problem that is not a failure, unless the run has recorded the same one before.
  func warnOnce(_ message: String) {
    let isNew = state.withLock { state in
      if state.warnings.contains(message) { return false }
      state.warnings.append(message)
      return true
    }
    if isNew { emit(.warning(message)) }
  }

  /// Records a problem that is not a failure.
  func warn(_ message: String) {
    state.withLock { $0.warnings.append(message) }
    emit(.warning(message))
  }
}
