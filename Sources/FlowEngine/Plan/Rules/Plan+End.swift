import FlowModel

extension Plan {
  /// Ends the run if it is idle and all steps have finished. If it is idle while steps wait for events, skips those
  /// steps, because the events can no longer be posted.
  mutating func checkIdle(at now: Int) {
    beginKeeping()
    while endedAt == nil, isIdleButForWaiters, !beginKeeping() {
      if releaseFinalSteps(at: now) { continue }
      if counts.unsettled == 0, readiness.outcome != nil {
        close(at: now)
        return
      }
      guard readiness.outcome != nil || cancelledAt != never else {
        // The run waits only for the gate. A gate that has a maximum, or has been decided, opens without further steps.
        guard !readiness.isDecided else { return }
        if endFollowing(beforeGate: true, at: now) { continue }
        guard readiness.bounds.maximumNanoseconds == nil, skipWaiters(among: blockingAncestry(), at: now)
        else { return }
        continue
      }
      if endFollowing(beforeGate: false, at: now) { continue }
      // A cleanup step that waits for bodies may still run and post events.
      guard outstanding.awaitingBodies.isEmpty else { return }
      guard skipWaiters(among: events.waitingSteps, at: now) else { return }
      releaseIdle(at: now)
    }
  }

  /// Sets a time limit for the wait for the main thread, if a step that ignored its deadline occupies it and no other
  /// step can make progress.
  mutating func limitMainHold(at now: Int) {
    guard outstanding.mainHolder != nil, !outstanding.mainHoldIsLimited, counts.queued > 0,
      counts.queued == queues[0].ready.count,
      counts.running + counts.retrying + counts.holding + counts.deciding == 0
    else { return }
    outstanding.mainHoldIsLimited = true
    timers.insert(PlanTimer(atNanoseconds: now + Self.cleanupNanoseconds, kind: .mainLimit, step: 0, attempt: 0))
  }

  /// Fails the steps that wait for the main thread, because it was not released in time.
  mutating func endMainHold(at now: Int) {
    outstanding.mainHoldIsLimited = false
    guard let holder = outstanding.mainHolder else { return }
    let name = stepID(of: holder).text
    for step in queues[0].members where states[step].status == .queued {
      particulars.failures[step] = StepFailure(
        code: "main-queue-held", message: "the main queue is held by '\(name)', which ignored its deadline")
      collect(step, .failure, nil)
    }
  }

  /// True if nothing in progress could post an event that a step waits for or finish a step.
  private var isIdleButForWaiters: Bool {
    if !counts.isStill || !outstanding.endingFiles.isEmpty { return false }
    if cancelledAt != never { return true }
    guard hasStarted, activatedAt != never, outstanding.announcedEvents <= 0, !outstanding.outsideSourceIsOpen,
      outstanding.awaitingBodies.isEmpty
    else { return false }
    return counts.unsettled == 0 || !outstanding.serving.contains { mayPost($0) }
  }

  /// True if a running service may still post an event that a step waits for or that adds items to a fan-out.
  private func mayPost(_ service: StepIndex) -> Bool {
    guard let fact = facts[service] else { return false }
    if hasStoppedKeeping, !mayPostAtEnd(service) { return false }
    if fact.isFedFromOutside, outstanding.outsideServicesEnd, outstanding.expectedFromOutside <= 0,
      outstanding.unhandledPosts[service] ?? 0 <= 0
    {
      return false
    }
    return fact.postedEvents.contains { name in
      guard let event = events.indices[name] else { return false }
      if isFollowed(Int(event)) { return true }
      guard events.times[Int(event)] == never else { return false }
      return events.waiters[Int(event)].contains { states[$0].status == .waiting }
    }
  }

  /// True if a service that posts events from outside the run has unhandled posts of the events that it follows. It may
  /// then still post at the end of the run.
  func mayPostAtEnd(_ service: StepIndex) -> Bool {
    facts[service]?.isFedFromOutside == true && outstanding.unhandledPosts[service] ?? 0 > 0
  }

  /// Skips the steps that wait for an event. Returns false if there are none.
  private mutating func skipWaiters(among steps: [StepIndex], at now: Int) -> Bool {
    for step in steps where states[step].status == .waiting && awaitsEvent(step) {
      collect(step, .skipped, .eventNeverPosted)
    }
    guard !outstanding.collected.isEmpty else { return false }
    finishCollected(at: now)
    return true
  }

  private func awaitsEvent(_ step: StepIndex) -> Bool {
    guard states[step].marks.contains(.awaitsEvent) else { return false }
    return options(of: step).after.contains { events.time(of: $0) == nil }
  }

  /// Returns the unfinished blocking steps and their unfinished dependencies, direct or indirect.
  func blockingAncestry() -> [StepIndex] {
    var isIn = [Bool](repeating: false, count: states.count)
    var ancestry: [StepIndex] = []
    for index in graph.topologicalOrder.reversed() where states[index].status != .done {
      guard isIn[Int(index)] || traits[index].flags.contains(.blocking) else { continue }
      ancestry.append(index)
      for need in needs(of: index) { isIn[Int(need)] = true }
    }
    return ancestry
  }

  /// Ends a run whose steps have all finished: waits for bodies that were asked to end, which may still use the
  /// services, then asks the services to stop and waits for them.
  private mutating func close(at now: Int) {
    isClosing = true
    guard outstanding.cancelling.isEmpty else { return }
    stopServices(among: outstanding.serving, at: now)
    guard outstanding.serving.isEmpty else { return }
    endedAt = now
    let conclusion = runConclusion()
    self.conclusion = conclusion
    effects.append(.end(conclusion))
  }

  /// The conclusion that the run would have if it ended now.
  func runConclusion() -> RunConclusion {
    if cancelledAt != never { return hasTimedOut ? .failure : .cancelled }
    var isPartial = readiness.outcome == .timedOut
    if readiness.outcome == .failed, readiness.failed.contains(where: { states[$0].reason == .eventNeverPosted }) {
      return .failure
    }
    for index in states.indices where !states[index].hasSucceeded {
      let outcome = outcome(of: StepIndex(index))
      // Steps that a resume leaves out although they had not finished make the run partial. Steps excluded by a
      // selection do not.
      if outcome == .skipped, states[index].reason == .notSelected, isSelected(StepIndex(index)) { isPartial = true }
      guard outcome == .failure || outcome == .timedOut else { continue }
      guard !traits[index].flags.isDisjoint(with: [.optional, .excused]) else { return .failure }
      isPartial = true
    }
    return isPartial || fanOuts.hasOptionalFailure ? .partial : .success
  }

  // MARK: Cancellation

  /// Cancels the run. Running steps are asked to end and finish at once as cancelled; waiting steps are skipped. Steps
  /// whose `if` calls `cancelled()` or `always()`, and those of `finally`, may still start or continue.
  mutating func cancel(at now: Int) {
    guard cancelledAt == never else { return }
    cancelledAt = now
    noteEntry(.cancelled(atNanoseconds: now))
    if readiness.outcome == nil { readiness.outcome = .cancelled }
    // In topological order, so the dependencies of a cleanup step have finished when it is released.
    for index in graph.topologicalOrder {
      switch states[index].status {
      case .running, .retrying, .holding: reconsider(index, at: now)
      case .queued where states[index].attempt > 0, .held where states[index].attempt > 0,
        .deciding where states[index].attempt > 0:
        reconsider(index, at: now)
      case .waiting, .held, .deciding, .queued:
        let mayRun = activatedAt != never || traits[index].flags.contains(.prewarm)
        if mayRun, outlastsCancellation(index), !traits[index].flags.contains(.disabled) {
          prepareCleanup(index)
        } else {
          collect(index, .skipped, .runCancelled)
        }
      case .done: break
      }
    }
    outstanding.heldForActivation.removeAll()
    outstanding.heldForIdle.removeAll()
    finishCollected(at: now)
    for index in graph.topologicalOrder
    where states[index].status == .waiting && states[index].open == 0 {
      release(index, at: now)
    }
  }

  /// Starts the time limit for cleanup once all bodies that the cancellation asked to end have returned. Cleanup steps
  /// start only then.
  mutating func beginCleanupTime(at now: Int) {
    guard !hasCleanupBegun, outstanding.cancelling.isEmpty, outstanding.reconsidered.isEmpty else { return }
    hasCleanupBegun = true
    let time = graph.workflow.cleanup?.nanoseconds ?? Self.cleanupNanoseconds
    timers.insert(PlanTimer(atNanoseconds: now + time, kind: .cleanupLimit, step: 0, attempt: 0))
  }

  /// Handles a step that had started when the run was cancelled: ends it, or evaluates its `if` again if it may
  /// continue as cleanup.
  private mutating func reconsider(_ step: StepIndex, at now: Int) {
    let flags = traits[step].flags
    if flags.contains(.final) { return }
    guard flags.contains(.seesCancellation) else { return end(step, at: now) }
    outstanding.reconsidered.insert(step)
    effects.append(.evaluate(step))
  }

  /// Cancels a step that has started at least one attempt.
  mutating func end(_ step: StepIndex, at now: Int) {
    // The items of a fan-out are asked to end when the fan-out finishes.
    if states[step].status == .running, !traits[step].flags.contains(.fanOut) { tellToEnd(PlanTask(step), at: now) }
    collect(step, .cancelled, nil)
  }

  /// True if a step that has not started may run in a cancelled run: a cleanup step, or the exit of an included file.
  func outlastsCancellation(_ step: StepIndex) -> Bool {
    !traits[step].flags.isDisjoint(with: [.seesCancellation, .exit])
  }

  /// Resets a step so that it can run as cleanup. It then waits only for its dependencies, or for all other steps if it
  /// is in `finally`. After that its `if` is evaluated again.
  private mutating func prepareCleanup(_ step: StepIndex) {
    move(step, to: .waiting)
    fanOuts.forget(step)
    outstanding.awaitingBodies.remove(step)
    states[step].open =
      Int32(needs(of: step).count { states[$0].status != .done }) + (awaitsOthers(step) ? 1 : 0)
      + (outstanding.endingFiles.contains(step) ? 1 : 0)
  }

  /// Ends all unfinished steps, because the time limit for cleanup has been reached.
  mutating func endCleanup(at now: Int) {
    // Skip steps that have not started in reverse order, so that the end of a dependency releases none of them.
    for index in graph.topologicalOrder.reversed() {
      switch states[index].status {
      case .held where states[index].attempt > 0, .deciding where states[index].attempt > 0: break
      case .waiting, .held, .deciding: collect(index, .skipped, .runCancelled)
      case .queued where states[index].attempt == 0: collect(index, .skipped, .runCancelled)
      case .queued, .running, .holding, .retrying, .done: break
      }
    }
    for index in graph.topologicalOrder {
      switch states[index].status {
      case .running, .holding, .retrying: end(index, at: now)
      case .queued where states[index].attempt > 0, .held where states[index].attempt > 0,
        .deciding where states[index].attempt > 0:
        end(index, at: now)
      case .waiting, .held, .deciding, .queued, .done: break
      }
    }
  }
}
