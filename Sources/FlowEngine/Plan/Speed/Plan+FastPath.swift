import FlowModel

/// A fast path: while nothing else changes the plan, a thread passes from one ordinary step of a pool to the next
/// without repeating checks.
///
/// A step is ordinary if it has no deadline, no retries and no `defer: idle`, and runs its first attempt. The plan is
/// ordinary while it has only built-in queues and no effects, and the run continues, is neither prewarmed nor
/// cancelled, and has no failed or interrupted step. Both are checked when the fast path begins. It ends when
/// ``FastPathEnds`` changes.
///
/// Proof of safety: a fast path writes the plan's ``StepTables`` without checking whether another plan shares them. None
/// did when it began. While a thread has released the lock, no code copies the plan: a run never assigns, returns or
/// captures it (TidyTests look for that), and a simulation's plan has no fast path.
struct FastPath {
  fileprivate let ends: FastPathEnds
  let pool: Pool
}

/// A counter that increases with each change that ends fast paths. A fast path is current while the counter has the
/// same value as at its beginning.
struct FastPathEnds: Sendable, Equatable {
  fileprivate var count = 0
}

extension Plan {
  /// Records that the body of a step succeeded, and starts the next step of its pool. Returns nil if no step is ready,
  /// or if the plan has effects, which must be carried out first.
  ///
  /// The effect is that of ``succeeded(_:attempt:at:)`` followed by ``startNext(in:at:)``. In the most frequent case,
  /// an ordinary step, only a few fields change and nothing is checked.
  package mutating func passOn(
    _ step: StepIndex, attempt: Int, in pool: Pool, at now: Int
  ) -> (step: StepIndex, attempt: Int)? {
    guard Int(step) < states.count, let fastPath = fastPath(from: step, attempt: attempt, in: pool) else {
      succeeded(step, attempt: attempt, at: now)
      return hasEffects ? nil : startNext(in: pool, at: now)
    }
    if let next = advance(fastPath, from: step, at: now) { return (next, 1) }
    return leaveFastPath(in: pool, at: now)
  }

  /// Begins a fast path with a running step. Returns nil if the plan or the step is not ordinary.
  mutating func fastPath(from step: StepIndex, attempt: Int, in pool: Pool) -> FastPath? {
    guard isOrdinary, isOrdinary(step, attempt: attempt, in: pool) else { return nil }
    if makeUnique() { endFastPath() }
    return FastPath(ends: fastPathEnds, pool: pool)
  }

  /// True if nothing has changed the plan since the fast path began, except that steps of the fast path ended and
  /// started.
  @inline(__always)
  func isCurrent(_ fastPath: FastPath) -> Bool { fastPathEnds == fastPath.ends }

  /// True if the fast path's queue has a ready step.
  @inline(__always)
  func hasQueuedSteps(of fastPath: FastPath) -> Bool { !queues[fastPath.pool.index].ready.isEmpty }

  /// Ends all fast paths, so that their threads check the plan again.
  mutating func endFastPath() { fastPathEnds.count &+= 1 }

  /// Records that a running step of a current fast path succeeded, and starts the first attempt of the next step.
  /// Returns nil if no step is ready or the fast path has ended; the caller then calls ``leaveFastPath(in:at:)``.
  @inline(__always)
  mutating func advance(_ fastPath: FastPath, from step: StepIndex, at now: Int) -> StepIndex? {
    var released = Released()
    end(step, of: fastPath, endedAt: now, &released, at: now)
    return startNext(of: fastPath, released, at: now)
  }

  /// Does the same as ``advance(_:from:at:)`` for a running step and the prefetched steps after it, which have all run.
  /// Each started when the previous one ended. The starts are not reported, so this must not be used while an observer
  /// receives every event.
  ///
  /// - Parameter ends: The time at which each step ended.
  @inline(never)
  mutating func advance(
    _ fastPath: FastPath, through steps: UnsafeBufferPointer<StepIndex>, endedAt ends: UnsafeBufferPointer<Int>,
    at now: Int
  ) -> StepIndex? {
    var released = Released()
    for index in steps.indices {
      if index > 0 { noteRun(of: steps[index], startedAt: ends[index - 1]) }
      end(steps[index], of: fastPath, endedAt: ends[index], &released, at: now)
    }
    return startNext(of: fastPath, released, at: now)
  }

  /// The steps that the end of a step has made ready in a fast path.
  private struct Released {
    /// The lowest position in the queue of a step that became ready. It is not in the ready set, because its step
    /// usually runs next.
    var lowest = Int.max
    var count = 0
    /// True if all steps that became ready are ordinary and use the fast path's pool, and the gate need not be decided.
    var isOrdinary = true
  }

  @inline(__always)
  private mutating func end(
    _ step: StepIndex, of fastPath: FastPath, endedAt: Int, _ released: inout Released, at now: Int
  ) {
    end(step, .success, nil, endedAt: endedAt, at: now) { plan, successor in
      let trait = plan.traits[successor]
      guard trait.flags.isDisjoint(with: [.conditional, .idle, .disabled, .fanOut, .exit, .final]),
        Int(trait.queue) == fastPath.pool.index
      else {
        released.isOrdinary = false
        return false
      }
      plan.states[successor].status = .queued
      plan.states[successor].readyAt = now
      plan.noteReady(successor, at: now)
      released.count &+= 1
      let position = Int(trait.position)
      if position < released.lowest {
        if released.lowest != Int.max { plan.queues[fastPath.pool.index].ready.insert(released.lowest) }
        released.lowest = position
      } else {
        plan.queues[fastPath.pool.index].ready.insert(position)
      }
      return true
    }
    if traits[step].flags.contains(.blocking), counts.blocking == 0 { released.isOrdinary = false }
  }

  /// Starts the ready step with the lowest rank after another step has ended. Returns nil if no step is ready or that
  /// step is not ordinary.
  @inline(__always)
  private mutating func startNext(of fastPath: FastPath, _ released: Released, at now: Int) -> StepIndex? {
    let queue = queues.baseAddress.unsafelyUnwrapped + fastPath.pool.index
    if released.isOrdinary, let next = takeLowest(of: queue, or: released.lowest) {
      let following = queue.pointee.members[next]
      if traits[following].flags.isDisjoint(with: [.timed, .idle, .fanOut]) {
        // The next step takes the slot of the previous one, so `occupied` does not change.
        counts.queued &+= released.count &- 1
        counts.busy &+= released.count &- 1
        states[following].status = .running
        states[following].attempt = 1
        states[following].startedAt = now
        if detail == .full { tables.log.pointee.appendFirstStart(of: following, in: fastPath.pool, at: now) }
        return following
      }
      queue.pointee.ready.insert(next)
    } else if released.lowest != Int.max {
      queue.pointee.ready.insert(released.lowest)
    }
    counts.queued &+= released.count
    counts.busy &+= released.count
    return nil
  }

  /// Ends a fast path after its last step: frees its slot in the queue, handles all other consequences, and starts the
  /// next step of the pool. Returns nil if no step may start, or if the plan has effects, which must be carried out
  /// first.
  mutating func leaveFastPath(in pool: Pool, at now: Int) -> (step: StepIndex, attempt: Int)? {
    endFastPath()
    counts.running -= 1
    counts.busy -= 1
    queues[pool.index].occupied -= 1
    counts.occupied -= 1
    followUp(at: now)
    return hasEffects ? nil : startNext(in: pool, at: now)
  }

  /// Removes and returns the lowest ready position, or nil if there is none. `position` counts as ready although it is
  /// not in the set, unless it is `Int.max`.
  @inline(__always)
  private func takeLowest(of queue: UnsafeMutablePointer<PlanQueue>, or position: Int) -> Int? {
    guard let ready = queue.pointee.ready.lowest else { return position == Int.max ? nil : position }
    if position < ready { return position }
    let lowest = queue.pointee.ready.removeLowest()
    if position != Int.max { queue.pointee.ready.insert(position) }
    return lowest
  }

  /// True if the run has no state that must be checked at each step, such as failures or pending effects.
  var isOrdinary: Bool {
    hasOnlyBuiltInQueues && !isPrewarming && endedAt == nil && cancelledAt == never
      && outstanding.mainHolder == nil && particulars.failures.isEmpty && particulars.interruptions.isEmpty
      && outstanding.collected.isEmpty && !hasEffects
  }

  /// True if the step is in its first attempt, uses the built-in queue of the pool and has no timers.
  private func isOrdinary(_ step: StepIndex, attempt: Int, in pool: Pool) -> Bool {
    let (state, trait) = (states[step], traits[step])
    return state.status == .running && Int(state.attempt) == attempt && attempt == 1
      && Int(trait.queue) == pool.index && trait.flags.isDisjoint(with: [.timed, .idle])
  }
}
