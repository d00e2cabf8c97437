import FlowModel

// The end of a step, and its effect on its dependents.
extension Plan {
  /// True if the outcome of a step allows its dependents to run.
  func isSatisfied(_ step: StepIndex) -> Bool { isSatisfied(step, states[step].outcome, states[step].reason) }

  @inline(__always)
  private func isSatisfied(_ step: StepIndex, _ outcome: Outcome?, _ reason: SkipReason?) -> Bool {
    switch outcome {
    case .success: !hasEndedForGood(step)
    case .failure, .timedOut: traits[step].flags.contains(.optional)
    case .skipped:
      reason == .condition || reason == .disabled || reason == .upToDate
        || reason == .notSelected && !isSelected(step)
    case .cancelled, nil: false
    }
  }

  /// Adds a step to the list that ``finishCollected(at:)`` finishes.
  mutating func collect(_ step: StepIndex, _ outcome: Outcome, _ reason: SkipReason?) {
    outstanding.collected.append((step, outcome, reason))
  }

  /// Finishes the collected steps, including those collected in the meantime.
  mutating func finishCollected(at now: Int) {
    var next = 0
    while next < outstanding.collected.count {
      let (step, outcome, reason) = outstanding.collected[next]
      next += 1
      if traits[step].flags.contains(.fanOut) { closeFanOut(step, outcome, at: now) }
      finish(step, outcome, reason, at: now)
    }
    outstanding.collected.removeAll(keepingCapacity: true)
  }

  /// Finishes a task. If it is a step, its dependents are released or skipped, and the gate may be decided. If it is an
  /// item, the caller updates its step with ``refresh(_:at:)``.
  mutating func finish(_ task: PlanTask, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    guard self[state: task].status != .done else { return }
    guard task.isItem else {
      leave(task.step)
      return end(task.step, outcome, reason, endedAt: now, at: now) { _, _ in false }
    }
    move(task, to: .done)
    change(task) { $0.end(outcome, reason, at: now) }
    countEnd(ofItem: task, outcome, reason)
    noteEnd(of: task, outcome, reason, at: now)
  }

  mutating func finish(_ step: StepIndex, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    finish(PlanTask(step), outcome, reason, at: now)
  }

  /// Ends a step: the only place in which a step becomes done. Records the end, counts it for the gate, and releases or
  /// skips the dependents. The caller removes the step from the counts of its status: `finish` before this call, a fast
  /// path when it starts the next step or ends. The method is inlined for fast paths, in which most of its conditions
  /// are constants.
  ///
  /// - Parameters:
  ///   - endedAt: The time at which the step ended, at most `now`.
  ///   - queue: Queues a step that has no prerequisites left and returns true. If it returns false, the step is
  ///     released in the usual way.
  @inline(__always)
  mutating func end(
    _ step: StepIndex, _ outcome: Outcome, _ reason: SkipReason?, endedAt: Int, at now: Int,
    queue: (inout Plan, StepIndex) -> Bool
  ) {
    noteInOrder(step)
    counts.unsettled &-= 1
    states[step].end(outcome, reason, at: endedAt)
    noteEnd(of: step, outcome, reason, at: endedAt)
    let satisfied = isSatisfied(step, outcome, reason)
    let flags = traits[step].flags
    if flags.contains(.blocking) {
      finishBlocking(step, satisfied: satisfied || flags.contains(.excused), at: now)
    }
    if flags.contains(.entry) {
      if outcome == .skipped, let reason { return skipInclude(of: step, reason) }
      if outcome == .success { skipDisabled(behind: step) }
    }
    for edge in successorEdges(of: step) {
      let successor = graph.successors[edge]
      guard states[successor].status == .waiting else { continue }
      if satisfied || (reason == .eventNeverPosted && isHandled(step, before: successor)) {
        states[successor].open &-= 1
        if states[successor].open == 0, !queue(&self, successor) { release(successor, at: now) }
      } else if isPrewarming && !traits[successor].flags.contains(.prewarm) {
        // Activation may disable the successor, which then finishes as satisfied, so its failed dependency is only
        // noted here.
        outstanding.failedBeforeActivation.append(successor)
      } else {
        failDependency(of: successor, neverPosted: reason == .eventNeverPosted, at: now)
      }
    }
  }

  /// The range of the step's dependents in `graph.successors`.
  @inline(__always)
  func successorEdges(of step: StepIndex) -> Range<Int> {
    // The table has an additional entry after the last step, which marks the end of that step's successors.
    let trait = traits.baseAddress.unsafelyUnwrapped + Int(step)
    return Int(trait[0].firstSuccessor)..<Int(trait[1].firstSuccessor)
  }

  /// Handles the unsatisfied end of a waiting step's dependency: skips the step, unless it handles failures.
  mutating func failDependency(of step: StepIndex, neverPosted: Bool, at now: Int) {
    states[step].marks.insert(neverPosted ? .dependencyNeverPosted : .dependencyFailed)
    let flags = traits[step].flags
    if cancelledAt != never {
      if outlastsCancellation(step) { countDown(step, at: now) } else { collect(step, .skipped, .runCancelled) }
    } else if !flags.isDisjoint(with: [.seesStatus, .exit]) {
      countDown(step, at: now)
    } else {
      collect(step, .skipped, neverPosted ? .eventNeverPosted : .upstreamFailed)
    }
  }

  /// Removes one prerequisite, and releases the step if none are left.
  mutating func countDown(_ step: StepIndex, at now: Int) {
    states[step].open -= 1
    if states[step].open == 0 { release(step, at: now) }
  }

  /// Releases a step without prerequisites: queues or finishes it, or first evaluates its `if`, determines its items,
  /// or holds it until activation, until bodies or services have ended, or until the run is idle.
  @inline(never)
  mutating func release(_ step: StepIndex, at now: Int) {
    let flags = traits[step].flags
    if flags.isDisjoint(with: [.conditional, .idle, .disabled, .fanOut, .exit, .final]) && !isPrewarming {
      enqueue(step, at: now)
    } else if isPrewarming && !flags.contains(.prewarm) {
      move(step, to: .held)
      outstanding.heldForActivation.append(step)
    } else if flags.contains(.disabled) {
      collect(step, .skipped, .disabled)
    } else if awaitsBodies(step) {
      holdForBodies(step)
    } else if flags.contains(.exit), endsServices(ofFileEndingIn: step, at: now) {
      // `noteStop` releases the exit again when the services have stopped.
    } else if flags.contains(.exit), let outcome = exitOutcome(step) {
      collect(step, outcome.outcome, outcome.reason)
    } else if flags.contains(.conditional) {
      move(step, to: .deciding)
      effects.append(.evaluate(step))
    } else {
      admit(step, at: now)
    }
  }

  mutating func decide(_ step: StepIndex, _ decision: Decision, at now: Int) {
    if outstanding.reconsidered.remove(step) != nil {
      if decision != .run, states[step].status != .done { end(step, at: now) }
      return
    }
    guard states[step].status == .deciding else { return }
    move(step, to: .waiting)
    switch decision {
    case .run:
      if cancelledAt != never { states[step].marks.insert(.cleanup) }
      admit(step, at: now)
    case .fail(let failure):
      particulars.failures[step] = failure
      collect(step, .failure, nil)
    case .skip:
      collect(step, .skipped, reasonForSkipping(step))
    }
  }

  /// Returns the reason for skipping a step whose `if` is false. In a cancelled run, that is the cancellation.
  /// Otherwise, except in `finally`, a failed dependency takes precedence, because the step did not handle the failure.
  private func reasonForSkipping(_ step: StepIndex) -> SkipReason {
    let marks = states[step].marks
    if cancelledAt != never { return .runCancelled }
    if traits[step].flags.contains(.final) { return .condition }
    if marks.contains(.dependencyFailed) { return .upstreamFailed }
    return marks.contains(.dependencyNeverPosted) ? .eventNeverPosted : .condition
  }

  /// Queues a step whose `if` is true or missing. A step with `defer: idle` is held until the run is idle.
  private mutating func admit(_ step: StepIndex, at now: Int) {
    if traits[step].flags.contains(.idle) && cancelledAt == never {
      move(step, to: .held)
      outstanding.heldForIdle.append(step)
    } else {
      queueUp(step, at: now)
    }
  }

  /// Queues held idle steps if the gate is open and no other step is queued or running.
  mutating func releaseIdle(at now: Int) {
    guard !outstanding.heldForIdle.isEmpty, readiness.outcome != nil, counts.busy == 0, counts.deciding == 0,
      cancelledAt == never
    else { return }
    let steps = outstanding.heldForIdle.sorted { traits[$0].rank < traits[$1].rank }
    outstanding.heldForIdle.removeAll()
    for step in steps where states[step].status == .held { queueUp(step, at: now) }
  }
}
