import FlowModel

/// A sequence of ordinary steps of one pool during which nothing else changes the plan, so checks need not be repeated
/// for each step.
///
/// A step is ordinary if the plan need not watch it: it has no deadline and no retries and is not idle. The plan is
/// ordinary while it has no effects, the run is not cancelled, no step has failed and the gate's decision is not due.
/// This is checked when the fast path begins. It ends when ``FastPathEnds`` changes.
///
/// Proof of safety: the pointers are those of the plan's ``StepTables``, taken when no other plan shared them. The
/// plan's methods for fast paths alone use them, under the lock that guards the plan, while the fast path is current;
/// whatever moves the tables or replaces the queues ends it. While a thread has released the lock no code copies the
/// plan: a run never assigns, returns or captures it (TidyTests look for that), and a simulation's plan has no fast path.
struct FastPath {
  fileprivate let ends: FastPathEnds
  let pool: Pool
  let states: UnsafeMutablePointer<StepState>
  let traits: UnsafeMutablePointer<StepTraits>
  let queue: UnsafeMutablePointer<PlanQueue>
  let log: UnsafeMutablePointer<RecordLog>
  let orderEnd: UnsafeMutablePointer<StepIndex>

  /// True if steps of its pool wait for capacity.
  @inline(__always)
  var hasQueuedSteps: Bool { !queue.pointee.ready.isEmpty }
}

/// Counts the changes that end a fast path of ordinary steps.
struct FastPathEnds: Sendable, Equatable {
  fileprivate var count = 0
}

extension Plan {
  /// Records that the body of a step succeeded at `now` and starts the next step of its pool. Returns nil if no step is
  /// ready or the plan has effects that come first.
  ///
  /// Equal to ``succeeded(_:attempt:at:)`` followed by ``startNext(in:at:)``, but optimized for the most frequent case:
  /// the run and the step are ordinary, so a few fields change and nothing must be checked.
  public mutating func passOn(
    _ step: StepIndex, attempt: Int, in pool: Pool, at now: Int
  ) -> (step: StepIndex, attempt: Int)? {
    if Int(step) >= states.count { return passOnItem(step, attempt: attempt, in: pool, at: now) }
    guard let fastPath = fastPath(from: step, attempt: attempt, in: pool) else {
      succeeded(step, attempt: attempt, at: now)
      return hasEffects ? nil : startNext(in: pool, at: now)
    }
    if let next = advance(fastPath, from: step, at: now) { return (next, 1) }
    return leaveFastPath(in: pool, at: now)
  }

  /// Begins a fast path with a running step of a pool. Returns nil if the plan or the step is not ordinary.
  mutating func fastPath(from step: StepIndex, attempt: Int, in pool: Pool) -> FastPath? {
    guard isOrdinary, isOrdinary(step, attempt: attempt, in: pool) else { return nil }
    if tables.makeUnique() { endFastPath() }
    return FastPath(
      ends: fastPathEnds, pool: pool, states: states.baseAddress!, traits: traits.baseAddress!,
      queue: queues.baseAddress! + pool.index, log: tables.log, orderEnd: tables.orderEnd)
  }

  /// True if nothing has happened since the fast path began except the ends and starts of its steps.
  @inline(__always)
  func isCurrent(_ fastPath: FastPath) -> Bool { fastPathEnds == fastPath.ends }

  /// Ends all fast paths, because of a change that their threads must check for.
  mutating func endFastPath() { fastPathEnds.count &+= 1 }

  /// Records that a running step of a current fast path succeeded, and starts the next step's first attempt. Returns
  /// nil if there is none or the fast path has ended; call ``leaveFastPath(in:at:)`` then.
  @inline(__always)
  mutating func advance(_ fastPath: FastPath, from step: StepIndex, at now: Int) -> StepIndex? {
    var released = Released()
    end(step, of: fastPath, endedAt: now, &released, at: now)
    return startNext(of: fastPath, released, at: now)
  }

  /// Like ``advance(_:from:at:)``, but for a running step and the steps prefetched after it, which have all run. Each
  /// step started when the previous one ended. Use this only if no observer receives every event, because these starts
  /// are not reported.
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

  /// The steps that became ready in a fast path.
  private struct Released {
    /// The lowest position, kept out of the ready set because it is usually the next to run.
    var lowest = Int.max
    var count = 0
    /// True if only ordinary steps of the fast path's pool were released and the gate's decision is not due.
    var isOrdinary = true
  }

  /// Finishes an ordinary step as a success and releases its dependents.
  @inline(__always)
  private mutating func end(
    _ step: StepIndex, of fastPath: FastPath, endedAt: Int, _ released: inout Released, at now: Int
  ) {
    let (states, traits, queue) = (fastPath.states, fastPath.traits, fastPath.queue)
    let index = Int(step)
    states[index].succeed(at: endedAt)
    fastPath.orderEnd[-counts.unsettled] = step
    counts.unsettled &-= 1
    let isObserved = detail == .full
    if isObserved { fastPath.log.pointee.appendFirstSuccess(of: step, at: endedAt) }
    var isOrdinary = true
    if traits[index].flags.contains(.blocking) {
      if counts.blocking == 1 {
        finishBlocking(step, satisfied: true, at: now)
        isOrdinary = false
      } else {
        counts.blocking &-= 1
      }
    }
    var edge = Int(traits[index].firstSuccessor)
    let end = Int(traits[index &+ 1].firstSuccessor)
    if edge < end {
      graph.successors.withUnsafeBufferPointer { successors in
        repeat {
          let successor = Int(successors.baseAddress.unsafelyUnwrapped[edge])
          edge &+= 1
          guard states[successor].status == .waiting else { continue }
          states[successor].open &-= 1
          guard states[successor].open == 0 else { continue }
          let trait = traits[successor]
          guard trait.flags.isDisjoint(with: [.conditional, .idle, .disabled, .fanOut, .exit, .final]),
            Int(trait.queue) == fastPath.pool.index
          else {
            isOrdinary = false
            continue
          }
          states[successor].status = .queued
          states[successor].readyAt = now
          if isObserved { fastPath.log.pointee.appendReady(StepIndex(successor), at: now) }
          released.count &+= 1
          let position = Int(trait.position)
          if position < released.lowest {
            if released.lowest != Int.max { queue.pointee.ready.insert(released.lowest) }
            released.lowest = position
          } else {
            queue.pointee.ready.insert(position)
          }
        } while edge < end
      }
    }
    if !isOrdinary {
      released.isOrdinary = false
      releaseSpecial(after: step, at: now)
    }
  }

  /// Starts the lowest ready step of a fast path in place of one that ended. Returns nil if there is none or it is not
  /// ordinary.
  @inline(__always)
  private mutating func startNext(of fastPath: FastPath, _ released: Released, at now: Int) -> StepIndex? {
    let (states, queue) = (fastPath.states, fastPath.queue)
    if released.isOrdinary, let next = takeLowest(of: queue, or: released.lowest) {
      let following = queue.pointee.members[next]
      if fastPath.traits[following].flags.isDisjoint(with: [.timed, .idle, .fanOut]) {
        // The next step reuses the capacity of the previous one, so the capacity counts do not change.
        counts.queued &+= released.count &- 1
        counts.busy &+= released.count &- 1
        states[following].status = .running
        states[following].attempt = 1
        states[following].startedAt = now
        if detail == .full { fastPath.log.pointee.appendFirstStart(of: following, in: fastPath.pool, at: now) }
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

  /// Releases the successors that have no prerequisites left and cannot simply be queued.
  @inline(never)
  private mutating func releaseSpecial(after step: StepIndex, at now: Int) {
    for successor in graph.successors(of: step)
    where states[successor].status == .waiting && states[successor].open == 0 {
      release(successor, at: now)
    }
  }

  /// Releases the capacity of the fast path's last step, and handles the remaining consequences. Starts the next step
  /// of the pool unless the plan has effects that come first.
  mutating func leaveFastPath(in pool: Pool, at now: Int) -> (step: StepIndex, attempt: Int)? {
    endFastPath()
    counts.running -= 1
    counts.busy -= 1
    queues[pool.index].occupied -= 1
    counts.occupied -= 1
    followUp(at: now)
    return hasEffects ? nil : startNext(in: pool, at: now)
  }

  /// Removes and returns the lowest of a queue's ready positions and one more position (`Int.max` for none).
  @inline(__always)
  private func takeLowest(of queue: UnsafeMutablePointer<PlanQueue>, or position: Int) -> Int? {
    guard let ready = queue.pointee.ready.lowest else { return position == Int.max ? nil : position }
    if position < ready { return position }
    let lowest = queue.pointee.ready.removeLowest()
    if position != Int.max { queue.pointee.ready.insert(position) }
    return lowest
  }

  /// True if no special state exists that must be checked for each step.
  var isOrdinary: Bool {
    hasOnlyBuiltInQueues && !isPrewarming && endedAt == nil && cancelledAt == never
      && outstanding.mainHolder == nil && particulars.failures.isEmpty && particulars.interruptions.isEmpty
      && outstanding.collected.isEmpty && !hasEffects
  }

  /// True if a step has no options that the plan must watch.
  private func isOrdinary(_ step: StepIndex, attempt: Int, in pool: Pool) -> Bool {
    let (state, trait) = (states[step], traits[step])
    return state.status == .running && Int(state.attempt) == attempt && attempt == 1
      && Int(trait.queue) == pool.index && trait.flags.isDisjoint(with: [.timed, .idle])
  }
}
