import FlowModel
import FlowTestKit

/// The rules for the life of a step, from waiting to its end.
extension Oracle {
  // MARK: - Before a step starts

  func isFinished(_ step: Int) -> Bool { states[step].phase == .finished }

  func isHeld(_ step: Int) -> Bool { if case .held = states[step].phase { true } else { false } }

  func isPausing(_ step: Int) -> Bool { if case .pausing = states[step].phase { true } else { false } }

  /// A step is satisfied if it succeeded, if it is optional and failed or timed out, or if it was skipped for
  /// `condition` or `disabled`. After every other end, it is unsatisfied. So is a service that was ready and has ended
  /// for good (`hasEndedForGood`).
  func isSatisfied(_ step: Int) -> Bool {
    switch states[step].outcome {
    case "success": !hasEndedForGood(step)
    case "failure", "timed-out": options[step].isOptional
    case "skipped": states[step].reason == "condition" || states[step].reason == "disabled"
    default: false
    }
  }

  func isUnsatisfied(_ step: Int) -> Bool { isFinished(step) && !isSatisfied(step) }

  func missingEvents(of step: Int) -> [String] { options[step].after.filter { events[$0] == nil } }

  var isGateOpen: Bool { gate.openedAt != nil }

  /// *Decision*: a `prewarm` step whose `enabled` or `defer` is an expression waits for activation, because that is
  /// when the expression is evaluated.
  func mayRunBeforeActivation(_ step: Int) -> Bool {
    let options = self.options[step]
    if case .expression = options.enabled { return false }
    if case .expression = options.deferral { return false }
    return options.prewarm
  }

  /// Applies the rules to one waiting step. Returns true if something has changed.
  mutating func consider(_ step: Int) -> Bool {
    guard states[step].phase == .waiting, !states[step].isWaitingForIdleness else { return false }
    if cancelledAt != nil { return considerForCleanup(step) }
    // Before activation, only steps with `prewarm: true` run, and nothing is decided about other steps.
    guard activatedAt != nil || mayRunBeforeActivation(step) else { return false }
    if let reason = reasonToSkipAtOnce(step) {
      skip(step, reason)
      return true
    }
    // The `if` is evaluated once: when all dependencies have finished, all events have been posted and, if the step is
    // deferred, the gate is open.
    guard needs[step].allSatisfy(isFinished), missingEvents(of: step).isEmpty, haveOthersFinished(before: step) else {
      return false
    }
    if states[step].isDeferred && !isGateOpen { return false }
    guard conditions[step].value({ valueNow($0, of: step) }).truth == true else {
      skip(step, reasonWhenFalse(step))
      return true
    }
    if states[step].isIdle {
      states[step].isWaitingForIdleness = true
    } else {
      queue(step)
    }
    return true
  }

  /// Returns the reason for skipping a step at once because it can no longer run, or nil if it may still run. A step
  /// whose `if` calls a status function is not skipped at once: its `if` is evaluated when all dependencies have
  /// finished. Any other step is skipped as soon as a dependency is unsatisfied.
  func reasonToSkipAtOnce(_ step: Int) -> String? {
    if statesStatus[step] { return nil }
    if needs[step].contains(where: { states[$0].reason == "event-never-posted" }) { return "event-never-posted" }
    return needs[step].contains(where: isUnsatisfied) ? "upstream-failed" : nil
  }

  /// False for a step of `finally` while a step outside `finally` has not finished, or a body that was asked to end has
  /// neither returned nor been abandoned.
  func haveOthersFinished(before step: Int) -> Bool {
    !options[step].isFinal || !isAnyBodyEnding && steps.indices.allSatisfy { options[$0].isFinal || isFinished($0) }
  }

  /// True if the step makes `failure()` true for its dependents: it is unsatisfied for a reason other than
  /// `event-never-posted`.
  func isFailed(_ step: Int) -> Bool { isUnsatisfied(step) && states[step].reason != "event-never-posted" }

  /// Returns the current value of a name in an expression. `step` is the step whose condition contains it, or nil.
  func valueNow(_ name: String, of step: Int?) -> OracleExpression.Value {
    let direct = step.map { needs[$0] } ?? []
    let isFinal = step.map { options[$0].isFinal } ?? false
    switch name {
    // In `finally`, this is the outcome of all steps together, as in `run.conclusion`.
    case "success()" where isFinal: return .boolean(!["failure", "cancelled"].contains(conclusion))
    case "failure()" where isFinal: return .boolean(conclusion == "failure")
    case "always()": return .boolean(true)
    case "cancelled()": return .boolean(cancelledAt != nil)
    case "success()": return .boolean(direct.allSatisfy(isSatisfied))
    case "failure()": return .boolean(direct.contains(where: isFailed))
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    case "launch.first": return .boolean(scenario.launch.isFirst)
    case "launch.reason": return .text(scenario.launch.reason.rawValue)
    case "gate.outcome": return gate.outcome.map { .text($0) } ?? .null
    default:
      if name.hasPrefix("inputs.") { return Self.value(scenario.inputs[String(name.dropFirst(7))]) }
      if name.hasPrefix("launch.options.") { return Self.value(scenario.launch.options[String(name.dropFirst(15))]) }
      preconditionFailure("the oracle does not know '\(name)'")
    }
  }

  private static func value(_ value: Value?) -> OracleExpression.Value {
    switch value {
    case .boolean(let flag): .boolean(flag)
    case .string(let text): .text(text)
    case nil, .null: .null
    default: preconditionFailure("the oracle reads only booleans and strings")
    }
  }

  /// Returns the reason for skipping a step whose condition is false. *Decision*: a failure affects everything
  /// downstream until a step handles it with `failure()` or `always()`, and a step that does not run handles nothing.
  /// So the reason is `condition` only if all dependencies are satisfied. In `finally`, it is always `condition`.
  func reasonWhenFalse(_ step: Int) -> String {
    if options[step].isFinal { return "condition" }
    if needs[step].contains(where: isFailed) { return "upstream-failed" }
    return needs[step].contains(where: isUnsatisfied) ? "event-never-posted" : "condition"
  }

  // MARK: - The start of steps

  mutating func queue(_ step: Int) {
    states[step].phase = .queued
    states[step].isWaitingForIdleness = false
    if states[step].readyAt == nil { states[step].readyAt = now }
    if isFanOut(step) { expand(step) }
  }

  /// Starts queued steps by rank, as far as `concurrency`, the widths of queues and the resources of the machine allow.
  mutating func startQueued() {
    while let step = rankOrder.first(where: canStart) {
      notePassing(by: step)
      if isFanOut(step) { startItem(of: step) } else { start(step) }
    }
  }

  private func canStart(_ step: Int) -> Bool {
    states[step].phase == .queued && hasSlot(step) && machineAllows(step)
      && (!isFanOut(step) || nextUnit(of: step) != nil)
  }

  func queueName(of step: Int) -> String {
    options[step].queue ?? (states[owner(of: step)].isDeferred ? "utility" : "user-initiated")
  }

  func hasSlot(_ step: Int) -> Bool {
    if let limit = scenario.workflow.concurrency, bodies.filter({ isActive($0) }).count >= limit { return false }
    let queue = queueName(of: step)
    guard let width = queueWidths[queue] else { return true }
    return bodies.filter { queueName(of: $0.step) == queue && holdsSlot($0, in: queue) }.count < width
  }

  /// True if a body counts against `concurrency`. A body that was asked to end counts until it returns or its grace of
  /// 1 s has ended. *Decision*: a service releases its slot when it is ready, because all other steps may wait for it.
  func isActive(_ body: Body) -> Bool { body.returnedAt == nil && !body.isAbandoned && !body.isReady }

  /// True if a body counts against the width of its queue. The rules are the same as for `concurrency`, except that
  /// later steps on `main` wait for an abandoned body, because the main thread cannot be replaced.
  func holdsSlot(_ body: Body, in queue: String) -> Bool {
    isActive(body) || (queue == "main" && body.isAbandoned && !body.isReady && body.returnedAt == nil)
  }

  mutating func start(_ step: Int) {
    states[step].phase = .running
    states[step].attempts += 1
    if states[step].startedAt == nil { states[step].startedAt = now }
    bodies.append(
      Body(
        step: step, sequence: bodies.count, startedAt: now,
        script: script(of: step).behavior(attempt: states[step].attempts), isService: script(of: step).isService))
  }

  // MARK: - Bodies

  /// Returns the index of the step's body that has neither returned nor been asked to end, or nil if there is none.
  func currentBody(of step: Int) -> Int? {
    bodies.lastIndex { $0.step == step && $0.returnedAt == nil && $0.toldToStopAt == nil }
  }

  func readyTime(of body: Body) -> Int? {
    body.isService ? body.script.readyAfter.map { body.startedAt + $0.nanoseconds } : nil
  }

  /// Returns the time at which a body returns, on its own or after it was asked to end, or nil if that is not known.
  func end(of body: Body) -> Int? {
    let own = body.script.duration.map { body.startedAt + $0.nanoseconds }
    guard let told = body.toldToStopAt, let response = body.script.respondsToCancellationAfter else { return own }
    return min(own ?? .max, told + response.nanoseconds)
  }

  mutating func tellToStop(_ body: Int) {
    if bodies[body].toldToStopAt == nil { bodies[body].toldToStopAt = now }
  }

  /// Finishes the step of a service that is ready. For its dependents, the gate, idle steps and its deadline, the step
  /// has then finished.
  mutating func reportReady(_ body: Int) {
    bodies[body].isReady = true
    succeed(bodies[body].step)
  }

  mutating func bodyReturns(_ index: Int) {
    let body = bodies[index]
    let step = body.step
    bodies[index].returnedAt = now
    if body.isReady {
      serviceReturns(body)
    } else if body.toldToStopAt == nil {
      switch body.script.ending {
      case .success: succeed(step)
      case .failure(let isRetryable): attemptFailed(step, isRetryable: isRetryable, outcome: "failure")
      }
    } else if !body.isAbandoned {
      noteOverrun(of: body)
    }
    considerItems(of: owner(of: step))
  }

  /// Records the overrun of a body that returns after the step's maximum. Its outputs are dropped. *Decision*: the
  /// overrun of an abandoned body is the grace, and a cancelled body has none.
  mutating func noteOverrun(of body: Body) {
    guard states[body.step].outcome == "timed-out", body.toldToStopAt == states[body.step].endedAt else { return }
    states[body.step].overrun = now - states[body.step].endedAt!
  }

  /// *Decision*: if a ready service returns an error on its own, it has failed at that time for the run's conclusion,
  /// but its dependents still count it as finished. A service that stops within its grace concludes with `success`.
  mutating func serviceReturns(_ body: Body) {
    guard body.toldToStopAt == nil, !isStopping, body.script.ending != .success else { return }
    guard isFinished(body.step) else { return finish(body.step, "failure") }
    guard states[body.step].outcome == "success" else { return }
    states[body.step].hasFailedAfterReady = true
    if hasEndedForGood(body.step), cancelledAt == nil { withdraw(from: body.step) }
  }

  /// Ends the step as a success, but not before its minimum.
  mutating func succeed(_ step: Int) {
    let minimum = options[step].deadline?.min.map { states[step].startedAt! + $0.nanoseconds }
    if let minimum, minimum > now {
      states[step].phase = .held(until: minimum)
      considerItems(of: owner(of: step))
    } else {
      finish(step, "success")
    }
  }

  /// Schedules the next attempt, or ends the step. The step ends if the error is not retryable, if no attempt is left,
  /// or if the next attempt could not start before the maximum. *Decision*: if the last attempt has reached
  /// `attempt-deadline`, the outcome is `timed-out`.
  mutating func attemptFailed(_ step: Int, isRetryable: Bool, outcome: String) {
    let options = self.options[step]
    guard isRetryable, let retry = options.retry, states[step].attempts < retry.attempts else {
      return finish(step, outcome)
    }
    var pause = Double(retry.delay.nanoseconds)
    for _ in 1..<states[step].attempts { pause *= retry.backoff }
    pause = min(pause, Double(retry.maxDelay.nanoseconds))
    if retry.jitter == .full { pause *= script(of: step).draw(afterAttempt: states[step].attempts) }
    // The error of the action may request a longer pause.
    let asked = script(of: step).behavior(attempt: states[step].attempts).retryAfter
    let next = now + max(Int(pause), outcome == "failure" ? asked?.nanoseconds ?? 0 : 0)
    if let max = options.deadline?.max, next >= states[step].startedAt! + max.nanoseconds {
      return finish(step, outcome)
    }
    states[step].phase = .pausing(until: next)
    considerItems(of: owner(of: step))
  }

  mutating func finish(_ step: Int, _ outcome: String) {
    states[step].phase = .finished
    states[step].outcome = outcome
    states[step].endedAt = now
    if step >= steps.count { considerItems(of: owner(of: step)) }
  }

  mutating func skip(_ step: Int, _ reason: String) {
    finish(step, "skipped")
    states[step].reason = reason
    states[step].isWaitingForIdleness = false
  }
}
