import FlowModel
import FlowTestKit

/// The rules for idle steps, the idle run, the end of the run, and its cancellation.
extension Oracle {
  /// Applies all rules until nothing changes, then starts the steps for which there is capacity. *Decision*: an item of
  /// the agenda is applied with all its consequences, including those for the gate, before any step starts.
  mutating func finishEverything() {
    while true {
      if steps.indices.reduce(false, { consider($1) || $0 }) { continue }
      if considerGate() { continue }
      if releaseIdle() { continue }
      if endFollowing() { continue }
      if skipWhatNobodyPosts() { continue }
      break
    }
    startQueued()
    limitMainHold()
    endIfOver()
  }

  // MARK: - Idle steps

  /// Queues the idle steps that wait. They start after the gate has opened, when only idle steps and services are
  /// queued or running. *Decision*: a step between two attempts counts as neither, and a step that its minimum delays
  /// counts as running.
  mutating func releaseIdle() -> Bool {
    let idle = steps.indices.filter { states[$0].isWaitingForIdleness }
    guard cancelledAt == nil, !idle.isEmpty else { return false }
    guard !steps.indices.contains(where: { !states[$0].isIdle && isQueuedOrRunning($0) }) else { return false }
    for step in idle { queue(step) }
    return true
  }

  func isQueuedOrRunning(_ step: Int) -> Bool {
    states[step].phase == .queued || states[step].phase == .running || isHeld(step)
  }

  // MARK: - The idle run

  /// True if no step is queued, running or between attempts, no `--event` is outstanding, and no outside source is
  /// open. Services count only if a step waits for an event that they declare. The state of the gate does not matter.
  var isIdleButForTheGate: Bool {
    if steps.indices.contains(where: { isQueuedOrRunning($0) || isPausing($0) }) { return false }
    let comesFromOutside = outside.contains { if case .cancel = $0 { false } else { true } }
    if comesFromOutside { return false }
    let open = steps.indices.filter { !isFinished($0) }
    let awaited = Set(open.flatMap { missingEvents(of: $0) + followedEvents(of: $0) })
    return !bodies.contains { body in
      body.isReady && body.returnedAt == nil && !body.isAbandoned
        && scenario.scripts[body.step].declaredEvents.contains(where: awaited.contains)
    }
  }

  /// In an idle run, skips each step that still waits for an event, with the reason `event-never-posted`. Its
  /// dependents follow from their own conditions. If the run waits only for a gate without a maximum, the blocking
  /// steps that wait are skipped, and the gate opens as `failed`. *Decision*: these are the steps that wait for an
  /// event among the blocking steps and their dependencies. If the gate is about to open, nothing is skipped.
  mutating func skipWhatNobodyPosts() -> Bool {
    guard activatedAt != nil, cancelledAt == nil, !isStopping, isIdleButForTheGate else { return false }
    guard isGateOpen || (gateMax == nil && !blocking.contains(where: failsGate)) else { return false }
    let awaited = isGateOpen ? Set(steps.indices) : awaitedByGate
    let waiting = awaited.filter { !isFinished($0) && !missingEvents(of: $0).isEmpty }
    for step in waiting { skip(step, "event-never-posted") }
    return !waiting.isEmpty
  }

  /// The unfinished blocking steps, and their unfinished dependencies.
  var awaitedByGate: Set<Int> {
    var awaited = Set(blocking.filter { !isFinished($0) })
    for step in topologicalOrder.reversed() where awaited.contains(step) { awaited.formUnion(needs[step]) }
    return awaited
  }

  // MARK: - A held main queue

  /// *Decision*: the main thread cannot be replaced, so steps on `main` may wait in vain for an abandoned one. When no
  /// other step is queued, running or between attempts, they wait 5 s and then fail.
  mutating func limitMainHold() {
    let queued = steps.indices.filter { states[$0].phase == .queued }
    let isAnythingElseGoingOn = steps.indices.contains { states[$0].phase == .running || isHeld($0) || isPausing($0) }
    guard mainLimit == nil, isMainHeld, !queued.isEmpty, queued.allSatisfy({ queueName(of: $0) == "main" }),
      !isAnythingElseGoingOn
    else { return }
    mainLimit = now + Self.cleanupBudget
  }

  var isMainHeld: Bool {
    bodies.contains { queueName(of: $0.step) == "main" && $0.isAbandoned && !$0.isReady && $0.returnedAt == nil }
  }

  mutating func endMainHold() {
    mainLimit = nil
    guard isMainHeld else { return }
    for step in steps.indices where states[step].phase == .queued && queueName(of: step) == "main" {
      if isFanOut(step) { giveUpItems(of: step, "failure") } else { finish(step, "failure") }
    }
  }

  // MARK: - The end

  /// Stops the services and ends the run when all steps have finished and, unless the run was cancelled, the gate is
  /// open and the run is idle. *Decision*: the run waits for every body that was asked to end, but no longer than its
  /// grace, so that handles close after the last of them.
  mutating func endIfOver() {
    guard steps.indices.allSatisfy(isFinished) else { return }
    if cancelledAt == nil {
      guard isGateOpen, isIdleButForTheGate else { return }
    }
    isStopping = true
    // A command that was asked to end may still use a service.
    if isAnyBodyEnding { return }
    tellServicesToStop()
    if bodies.allSatisfy({ $0.returnedAt != nil || $0.isAbandoned }) { endedAt = now }
  }

  // MARK: - Cancellation

  /// Cancels running steps, and skips waiting ones as `run-cancelled`. Steps whose `if` is true with `cancelled()` or
  /// `always()` start or continue. *Decision*: any other running step has its outcome at once, as at its deadline, and
  /// its body has the grace to return. A step between attempts, or one that its minimum delays, is cancelled too. A
  /// ready service continues until everything else has finished.
  mutating func cancel() {
    guard cancelledAt == nil else { return }
    cancelledAt = now
    if gate.outcome == nil { gate.outcome = "cancelled" }
    for step in steps.indices where !isFinished(step) {
      // Steps of `finally` run even in a cancelled run, so those that have begun continue.
      if options[step].isFinal, states[step].attempts > 0 { continue }
      // A step that cleans up because of its `if` continues for up to 5 s, as in GitHub Actions. Its `if` is evaluated
      // again.
      if states[step].attempts > 0, conditions[step].names("cancelled") || conditions[step].names("always"),
        conditions[step].value({ valueNow($0, of: step) }).truth == true
      {
        continue
      }
      if isFanOut(step), states[step].attempts > 0 {
        giveUpItems(of: step, "cancelled")
        continue
      }
      if states[step].phase == .running { tellToStop(currentBody(of: step)!) }
      if states[step].attempts > 0 {
        finish(step, "cancelled")
      } else {
        // The step was queued, or waited for an idle run. Its `if` is evaluated again.
        states[step].phase = .waiting
        states[step].isWaitingForIdleness = false
      }
    }
  }

  /// Starts the time for cleanup when the last cancelled body has returned or was abandoned.
  mutating func noteCleanup() {
    if cancelledAt != nil, cleanupBeganAt == nil, !isAnyBodyEnding { cleanupBeganAt = now }
  }

  /// True if a body was asked to end, and has neither returned nor been abandoned. Ready services do not count.
  var isAnyBodyEnding: Bool {
    bodies.contains { $0.toldToStopAt != nil && $0.returnedAt == nil && !$0.isAbandoned && !$0.isReady }
  }

  func isCleanup(_ step: Int) -> Bool {
    let condition = conditions[step]
    // Before activation, only steps with `prewarm: true` run, even if the run is cancelled.
    guard activatedAt != nil || mayRunBeforeActivation(step) else { return false }
    return options[step].isFinal || condition.names("cancelled") || condition.names("always")
  }

  /// Queues a cleanup step whose condition is true, and skips any other step. Skips every step once the time for
  /// cleanup has ended. A cleanup step waits for its dependencies and for the ends of cancelled bodies, but neither for
  /// events nor for the gate, even if it is deferred.
  mutating func considerForCleanup(_ step: Int) -> Bool {
    guard isCleanup(step), !isBudgetSpent else {
      skip(step, "run-cancelled")
      return true
    }
    guard cleanupBeganAt != nil, needs[step].allSatisfy(isFinished), haveOthersFinished(before: step) else {
      return false
    }
    let condition = conditions[step]
    if condition.value({ valueNow($0, of: step) }).truth == true {
      queue(step)
    } else {
      skip(step, "run-cancelled")
    }
    return true
  }

  /// Cancels the cleanup steps that have not finished 5 s after cleanup began, and skips those that have not started.
  /// *Decision*: the limit counts from the end of the last cancelled body.
  mutating func spendCleanupBudget() {
    isBudgetSpent = true
    for step in steps.indices where !isFinished(step) {
      if isFanOut(step), states[step].attempts > 0 {
        giveUpItems(of: step, "cancelled")
        continue
      }
      if states[step].phase == .running { tellToStop(currentBody(of: step)!) }
      if states[step].attempts > 0 { finish(step, "cancelled") } else { skip(step, "run-cancelled") }
    }
  }
}
