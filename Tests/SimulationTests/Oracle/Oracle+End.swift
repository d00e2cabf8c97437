import FlowModel
import FlowTestKit

/// Idle steps, the idle run, its end, and cancellation.
extension Oracle {
  /// Passes over everything until nothing changes, then starts the steps for which there is capacity. *Decision*: an
  /// item of the agenda is applied with all its consequences, gate included, before any step starts.
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

  // MARK: - Idle

  /// "`idle` (after it opened, when no step but idle ones and services is queued or running)". *Decision*: taken
  /// literally, a step between attempts does not count; one held by its minimum is running.
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

  // MARK: - Quiet

  /// "no step is queued, running or between attempts (services do not count, unless a step waits for an event one of
  /// them declares), no `--event` is outstanding and no outside source is open". The gate does not matter.
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

  /// In an idle run "every step that still waits for an event is skipped as `event-never-posted`"; its dependents
  /// follow by their own conditions. If only the gate is missing and there is no `max`, "its waiting blocking steps are
  /// skipped and the gate opens `failed`". *Decision*: these are the steps that wait for an event among the blocking
  /// steps and their dependencies. A gate that is about to open is awaited.
  mutating func skipWhatNobodyPosts() -> Bool {
    guard activatedAt != nil, cancelledAt == nil, !isStopping, isIdleButForTheGate else { return false }
    guard isGateOpen || (gateMax == nil && !blocking.contains(where: failsGate)) else { return false }
    let awaited = isGateOpen ? Set(steps.indices) : awaitedByGate
    let waiting = awaited.filter { !isFinished($0) && !missingEvents(of: $0).isEmpty }
    for step in waiting { skip(step, "event-never-posted") }
    return !waiting.isEmpty
  }

  /// The unfinished blocking steps, and their dependencies.
  var awaitedByGate: Set<Int> {
    var awaited = Set(blocking.filter { !isFinished($0) })
    for step in topologicalOrder.reversed() where awaited.contains(step) { awaited.formUnion(needs[step]) }
    return awaited
  }

  // MARK: - A held main queue

  /// *Decision*: the main thread cannot be replaced, so steps behind an abandoned one on `main` may wait in vain. Once
  /// only they are left, they wait 5 s, then they fail.
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

  /// "Then services stop, handles close …, and the run ends". *Decision*: the run waits, no longer than the grace, for
  /// every body that was asked to end, so that handles close after the last of them.
  mutating func endIfOver() {
    guard steps.indices.allSatisfy(isFinished) else { return }
    if cancelledAt == nil {
      guard isGateOpen, isIdleButForTheGate else { return }
    }
    isStopping = true
    // "services stop after that": a command that was asked to end may still use them.
    if isAnyBodyEnding { return }
    tellServicesToStop()
    if bodies.allSatisfy({ $0.returnedAt != nil || $0.isAbandoned }) { endedAt = now }
  }

  // MARK: - Cancel

  /// "running steps are cancelled, waiting ones skipped `run-cancelled` except those whose `if` holds with
  /// `cancelled()` or `always()`", which start, or continue. *Decision*: any other running step has its outcome at
  /// once, as with a step deadline, and its body the grace to return. A step between attempts or held by its minimum is
  /// cancelled too. A ready service continues until everything else has finished.
  mutating func cancel() {
    guard cancelledAt == nil else { return }
    cancelledAt = now
    if gate.outcome == nil { gate.outcome = "cancelled" }
    for step in steps.indices where !isFinished(step) {
      // "Runs when everything is finished, whatever happened, also when the run is cancelled": steps that have begun
      // continue.
      if options[step].isFinal, states[step].attempts > 0 { continue }
      // "As in GitHub Actions, it goes on within the 5 s": so does a step that cleans up because of its `if`, evaluated
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
        // Queued or waiting for an idle run: its `if` is evaluated again.
        states[step].phase = .waiting
        states[step].isWaitingForIdleness = false
      }
    }
  }

  /// "`cleanup` counts from when the last cancelled step has ended"
  mutating func noteCleanup() {
    if cancelledAt != nil, cleanupBeganAt == nil, !isAnyBodyEnding { cleanupBeganAt = now }
  }

  /// True if a body was asked to end and has neither returned nor been abandoned. Ready services do not count.
  var isAnyBodyEnding: Bool {
    bodies.contains { $0.toldToStopAt != nil && $0.returnedAt == nil && !$0.isAbandoned && !$0.isReady }
  }

  func isCleanup(_ step: Int) -> Bool {
    let condition = conditions[step]
    // Before activation only `prewarm: true` steps run, even if the run is cancelled.
    guard activatedAt != nil || mayRunBeforeActivation(step) else { return false }
    return options[step].isFinal || condition.names("cancelled") || condition.names("always")
  }

  /// "these run at once, deferred or not, within 5 s together": they wait for dependencies and for the end of what was
  /// cancelled, but neither for events nor for the gate.
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

  /// *Decision*: cleanup that has not finished 5 s after the cancellation is cancelled, or skipped if it has not
  /// started.
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
