import Dispatch
import FlowModel

// Every change to a run has three stages: `withPlan` takes the lock and updates the plan, `carryOut` handles the
// consequences under the lock, and `perform` handles those outside it.
extension WorkflowRun {
  func change(_ event: PlanEvent) {
    let aftermath = withPlan { state in
      state.plan.apply(event, at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// Calls `body` under the lock, after revoking prefetched steps so that the plan is up to date. All code that changes
  /// the plan or reads the states of steps uses this method, except threads on a fast path.
  @inline(__always)
  func withPlan<Result: Sendable>(_ body: (inout RunState) throws -> Result) rethrows -> Result {
    try state.withLock { state in
      state.revokeBatches()
      return try body(&state)
    }
  }

  /// Carries out the plan's effects under the lock. Returns the work that must be done outside it, such as waking
  /// threads for ready steps.
  ///
  /// - Parameter onlyWatching: A pool whose threads run short steps, or nil. For this pool, a watch is set instead of
  ///   waking more threads.
  func carryOut(_ state: inout RunState, onlyWatching watched: Pool? = nil) -> Aftermath {
    state.plan.interruptFastPaths()
    var aftermath = Aftermath()
    let watched = watched.flatMap { state.pools[$0.index].busy > 0 ? $0 : nil }
    repeat {
      while state.plan.hasEffects {
        for effect in state.plan.takeEffects() { apply(effect, &state, &aftermath) }
      }
    } while isGuarded && endLostStarts(&state, &aftermath)
    if isGuarded, !isSureOfRun {
      awaitLease(&state, &aftermath)
    } else if state.durableStarts != nil {
      carryOutDurably(&state, &aftermath)
    } else if state.plan.canStart() {
      for pool in Pool.all where pool != watched {
        wakeThreads(of: pool, for: state.plan.startableSteps(in: pool), &state, &aftermath)
      }
      if let watched, state.plan.canStart(in: watched) { watch(watched, &state, &aftermath) }
    }
    if !state.resumptions.isEmpty {
      for pool in Pool.all where state.resumptions.count(in: pool) > 0 {
        if pool == watched {
          watch(pool, &state, &aftermath)
        } else {
          wakeThreads(of: pool, for: 0, &state, &aftermath)
        }
      }
    }
    if state.plan.remote != nil, !isGuarded || isSureOfRun { startRemotely(&state, &aftermath) }
    if let due = state.plan.nextTimerNanoseconds, state.timerAt.map({ due < $0 }) ?? true {
      state.timerAt = due
      aftermath.timerAt = due
    }
    if !state.isDelivering, state.plan.hasRecords {
      state.isDelivering = true
      aftermath.mustDeliver = true
    }
    return aftermath
  }

  private func apply(_ effect: PlanEffect, _ state: inout RunState, _ aftermath: inout Aftermath) {
    switch effect {
    case .evaluate(let step):
      let isStep = Int(step) < prepared.graph.workflow.steps.count
      let decision = isStep ? decide(step, state) : decide(item: step, &state)
      state.plan.apply(.decided(step, decision), at: state.instant(clock.now))
    case .expand(let step):
      if needsSurvey(step) {
        state.plan.noteSurvey(of: step)
        aftermath.surveys.append(step)
        return
      }
      let expansion = expand(step, &state)
      state.plan.apply(.expanded(step, expansion), at: state.instant(clock.now))
    case .gather(let step): gather(step, &state)
    case .cancel(let step, let attempt):
      aftermath.cancellations.append((step, attempt))
    case .gateDecided(let decision):
      if let opened = gateClock.send(.decided(decision)) { state.takeIn(opened) }
    case .posted(var post):
      post.value = state.eventValues.value(of: post.event, number: post.number)
      for follower in state.followers where follower.event == post.event { follower.posts.add(post) }
    case .timedOut:
      let warning = prepared.graph.workflow.timeoutMessage
      state.warnings.append(warning)
      aftermath.warning = warning
      if let opened = gateClock.send(.runTimedOut), opened.outcome != .cancelled { state.takeIn(opened) }
      state.plan.apply(.cancelled, at: state.instant(clock.now))
    case .end:
      aftermath.hasEnded = true
    }
  }

  /// Wakes threads until there is one for each startable step and for each body that can continue, or the pool has no
  /// room for more.
  func wakeThreads(
    of pool: Pool, for startable: Int, _ state: inout RunState, _ aftermath: inout Aftermath
  ) {
    let wanted = startable + state.resumptions.count(in: pool)
    while state.pools[pool.index].waking < wanted {
      guard state.pools[pool.index].hasRoom else {
        if state.pools[pool.index].isFull, startable > state.pools[pool.index].waking {
          state.threadShortage.noteLimit(pool, waiting: startable - state.pools[pool.index].waking)
        }
        return watch(pool, &state, &aftermath)
      }
      state.pools[pool.index].wake()
      aftermath.wakes[pool.index] += 1
    }
  }

  /// Starts a watch of a pool, unless there is one. If steps are still waiting when it ends, a thread is woken.
  private func watch(_ pool: Pool, _ state: inout RunState, _ aftermath: inout Aftermath) {
    if let time = state.pools[pool.index].startWatch() { aftermath.watchNanoseconds[pool.index] = UInt32(time) }
  }

  /// Does the work that must be done outside the lock after a change.
  func perform(_ aftermath: Aftermath) {
    if let warning = aftermath.warning { emit(.warning(warning)) }
    for (step, attempt) in aftermath.cancellations {
      cancellations.cancel(step, attempt: attempt)
      state.withLock { $0.tasks[RunState.taskKey(step, attempt)] }?.cancel()
    }
    if aftermath.wakes != .zero {
      for pool in Pool.all { for _ in 0..<aftermath.wakes[pool.index] { startThread(of: pool) } }
    }
    if aftermath.watchNanoseconds != .zero {
      let alarms = options.clock == nil ? deadlines : delivery
      for pool in Pool.all where aftermath.watchNanoseconds[pool.index] > 0 {
        alarms.schedule(afterNanoseconds: Int(aftermath.watchNanoseconds[pool.index])) { [self] in endWatch(of: pool) }
      }
    }
    // Threads for the first steps start before the gate's thread.
    if aftermath.mustBeginGate { gateClock.begin() }
    for expectation in aftermath.expectations { expect(expectation) }
    for start in aftermath.remoteStarts { runRemotely(start) }
    for step in aftermath.surveys { beginSurvey(of: step) }
    if let due = aftermath.timerAt {
      deadlines.schedule(atNanoseconds: due) { [self] in timerFired() }
    }
    if aftermath.mustDeliver { deliver() }
    if aftermath.mustAwaitLease { lookAtLeaseSoon() }
    if aftermath.mustFlush { journal?.thread.schedule(atNanoseconds: 0) { [self] in flush() } }
    if aftermath.hasEnded { close() }
  }

  private func startThread(of pool: Pool) {
    guard let quality = pool.qualityOfService else {
      // Submitting a closure would compare flags, for which the runtime looks up a conformance at each launch of an app.
      return DispatchQueue.main.async(execute: DispatchWorkItem { @Sendable [self] in work(in: pool) })
    }
    let alarms = options.clock == nil ? deadlines : delivery
    let isComing = threads.run(
      quality,
      refusedLater: { [self] in alarms.schedule(afterNanoseconds: 0) { [self] in noteMissingThread(of: pool) } },
      { [self] in work(in: pool) })
    if !isComing { noteMissingThread(of: pool) }
  }

  /// Records that the system has refused a thread. The pool continues with the threads that it has, and tries again at
  /// its next watch.
  private func noteMissingThread(of pool: Pool) {
    let aftermath = withPlan { state in
      state.noteMissingThread(in: pool, at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  private func timerFired() {
    let aftermath = withPlan { state in
      state.timerAt = nil
      state.plan.apply(.timePassed, at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  private func endWatch(of pool: Pool) {
    let aftermath = withPlan { state in
      // A virtual clock does not advance while bodies run.
      let now = options.clock == nil ? state.instant(clock.now) : .max
      let isStuck = state.pools[pool.index].endWatch(at: now)
      // If a thread has taken another step since the watch was set, the waiting steps have not waited that long.
      return carryOut(&state, onlyWatching: isStuck ? nil : pool)
    }
    perform(aftermath)
  }
}
