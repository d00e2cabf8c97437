import FlowModel

extension Plan {
  /// Whether a settled step counts as satisfied for its dependants and the gate.
  func isSatisfied(_ step: StepIndex) -> Bool {
    let state = states[Int(step)]
    switch state.outcome {
    case .success: return true
    case .failure, .timedOut: return traits[Int(step)].flags.contains(.optional)
    case .skipped: return state.reason == .condition || state.reason == .disabled
    case .cancelled, nil: return false
    }
  }

  /// Puts a step on the list of those about to be settled. The list keeps cascades flat: a chain of any length is
  /// walked without recursion.
  mutating func collect(_ step: StepIndex, _ outcome: Outcome, _ reason: SkipReason?) {
    unsettledSkips.append((step, outcome, reason))
  }

  /// Settles what was collected, and what that entails.
  mutating func settleCollected(at now: Int) {
    var next = 0
    while next < unsettledSkips.count {
      let (step, outcome, reason) = unsettledSkips[next]
      next += 1
      settle(step, outcome, reason, at: now)
    }
    unsettledSkips.removeAll(keepingCapacity: true)
  }

  /// Ends a step for everybody else: dependants are released or skipped, the gate hears of it.
  mutating func settle(_ step: StepIndex, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    let place = Int(step)
    guard states[place].status != .done else { return }
    leave(states[place].status, step)
    states[place].status = .done
    states[place].outcome = outcome
    states[place].reason = reason
    states[place].endedAt = now
    unsettledCount -= 1
    if outcome == .success {
      noteSuccess(of: step, at: now)
    } else {
      note(.ended, step, at: now, Int32(outcome.rawValue))
    }
    let satisfied = isSatisfied(step)
    if traits[place].flags.contains(.blocking) { settleBlocking(step, satisfied: satisfied, at: now) }
    let first = Int(graph.successorStarts[place])
    let end = Int(graph.successorStarts[place + 1])
    guard first < end else { return }
    let neverPosted = reason == .eventNeverPosted
    for edge in first..<end {
      let successor = graph.successors[edge]
      guard states[Int(successor)].status == .waiting else { continue }
      if satisfied {
        countDown(successor, at: now)
      } else if isPrewarming && !traits[Int(successor)].flags.contains(.prewarm) {
        // Activation may still say that the successor is disabled.
        failedBeforeActivation.append(successor)
      } else {
        failNeed(of: successor, neverPosted: neverPosted, at: now)
      }
    }
  }

  /// A need of a waiting step ended unsatisfied.
  mutating func failNeed(of step: StepIndex, neverPosted: Bool, at now: Int) {
    let place = Int(step)
    states[place].marks.insert(neverPosted ? .needNeverPosted : .needFailed)
    let flags = traits[place].flags
    if cancelledAt != never {
      if flags.contains(.seesCancellation) { countDown(step, at: now) } else { collect(step, .skipped, .runCancelled) }
    } else if neverPosted && !flags.contains(.always) {
      collect(step, .skipped, .eventNeverPosted)
    } else if flags.contains(.seesFailure) {
      countDown(step, at: now)
    } else {
      collect(step, .skipped, .upstreamFailed)
    }
  }

  /// One thing less to wait for.
  mutating func countDown(_ step: StepIndex, at now: Int) {
    states[Int(step)].open -= 1
    if states[Int(step)].open == 0 { release(step, at: now) }
  }

  /// A step has nothing to wait for but activation, an idle run, its `if`, a place to run.
  mutating func release(_ step: StepIndex, at now: Int) {
    let place = Int(step)
    let flags = traits[place].flags
    if flags.isDisjoint(with: [.conditional, .idle, .disabled]) && !isPrewarming {
      enqueue(step, at: now)
      return
    }
    if isPrewarming && !flags.contains(.prewarm) {
      states[place].status = .held
      heldForActivation.append(step)
    } else if flags.contains(.disabled) {
      collect(step, .skipped, .disabled)
    } else {
      proceed(step, at: now)
    }
  }

  /// Asks for the `if` of a released step, or admits it.
  private mutating func proceed(_ step: StepIndex, at now: Int) {
    guard traits[Int(step)].flags.contains(.conditional) else { return admit(step, at: now) }
    states[Int(step)].status = .deciding
    decidingCount += 1
    effects.append(.evaluate(step))
  }

  /// Queues a step whose `if` holds; an idle one waits for the run to be idle first.
  mutating func admit(_ step: StepIndex, at now: Int) {
    if traits[Int(step)].flags.contains(.idle) && cancelledAt == never {
      states[Int(step)].status = .held
      heldForIdle.append(step)
    } else {
      enqueue(step, at: now)
    }
  }

  /// Lets idle steps go when the gate is open and nothing else is queued or running.
  mutating func releaseIdle(at now: Int) {
    guard !heldForIdle.isEmpty, gateOutcome != nil, busyCount == 0, decidingCount == 0, cancelledAt == never else {
      return
    }
    let steps = heldForIdle.sorted { traits[Int($0)].rank < traits[Int($1)].rank }
    heldForIdle.removeAll()
    for step in steps where states[Int(step)].status == .held { enqueue(step, at: now) }
  }

  /// Takes a step out of the counts of the status it leaves.
  mutating func leave(_ status: StepStatus, _ step: StepIndex) {
    switch status {
    case .waiting, .held, .done: break
    case .deciding: decidingCount -= 1
    case .queued:
      let trait = traits[Int(step)]
      queues[Int(trait.queue)].ready.remove(Int(trait.position))
      queuedCount -= 1
      if !trait.flags.contains(.idle) { busyCount -= 1 }
    case .running:
      runningCount -= 1
      if !traits[Int(step)].flags.contains(.idle) { busyCount -= 1 }
    case .retrying: retryingCount -= 1
    case .holding:
      holdingCount -= 1
      if !traits[Int(step)].flags.contains(.idle) { busyCount -= 1 }
    }
  }
}
