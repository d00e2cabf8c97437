import FlowModel
import FlowPluginKit

/// A ``FastPath`` that a thread uses, and the state of the thread's pool when it began.
struct ThreadFastPath {
  let pool: Pool
  let steps: FastPath
  /// True if another thread could be woken for waiting steps.
  let hasRoom: Bool
  /// True if a watch is set for waiting steps, or if none is needed.
  let isWatched: Bool
  /// The number of busy threads in the pool if this one may take batches, or 0 if it may not.
  let sharers: Int
}

extension WorkflowRun {
  /// Begins a fast path with a step that a thread has taken. Returns nil if the step is not ordinary or runs on the
  /// main thread.
  func fastPath(
    _ first: (step: StepIndex, attempt: Int), in pool: Pool, _ state: inout RunState
  ) -> Turn? {
    guard pool != .main, Int(first.step) < prepared.actionIndices.count, prepared.bodies.isPlain(first.step),
      let steps = state.plan.fastPath(from: first.step, attempt: first.attempt, in: pool)
    else { return nil }
    let threads = state.pools[pool.index]
    let hasRoom = threads.hasRoom(at: state.latestNanoseconds)
    // An observer of all events must receive the end of each step in order, so batches are not allowed.
    let takesBatches = threads.busy > 1 && threads.isWatched && !hasRoom && state.plan.detail != .full
    return .fastPath(
      ThreadFastPath(
        pool: pool, steps: steps, hasRoom: hasRoom, isWatched: !threads.needsWatch,
        sharers: takesBatches ? threads.busy : 0),
      from: first.step)
  }

  /// Runs ordinary steps one after another until the thread must do other work. The lock is taken briefly for each step
  /// or batch.
  func workThrough(
    _ fastPath: ThreadFastPath, from first: StepIndex, _ context: inout ActionContext, _ pace: inout Pace,
    _ batch: inout Batch?
  ) -> Turn {
    recentStates.end()
    var step = first
    var turn = Turn.leave
    // With a variable that is not optional, each step takes 6 ns longer.
    var aftermath: Aftermath?
    var threadPace = pace
    var taken: Batch?
    context.attempt = 1
    while true {
      context.step = step
      do {
        try releasingObjects { try prepared.bodies.runPlain(step, in: context) }
      } catch {
        pace = threadPace
        let start = Start(step: step, attempt: 1)
        return .ended(start, ending(of: error, start), atNanoseconds: pace.endStep())
      }
      let time = threadPace.endStep()
      if let taken, let next = taken.advance(at: time) {
        step = next
        continue
      }
      step = state.withLock { state in
        // This closure must consist of only a few instructions, so other functions handle rare cases.
        guard state.plan.isCurrent(fastPath.steps),
          threadPace.isWithinInterval || continues(fastPath, &state, &threadPace)
        else {
          turn = .ended(Start(step: step, attempt: 1), .success, atNanoseconds: time)
          return Self.none
        }
        let now = state.instant(time)
        let next: StepIndex
        if let run = taken, state.remove(run) {
          let (steps, ends) = run.close(at: now)
          next = state.plan.advance(fastPath.steps, through: steps, endedAt: ends, at: now) ?? Self.none
        } else {
          next = state.plan.advance(fastPath.steps, from: step, at: now) ?? Self.none
        }
        if next >= 0, prepared.bodies.isPlain(next),
          !state.plan.hasQueuedSteps(of: fastPath.steps)
            || fastPath.isWatched && (threadPace.isShort || !fastPath.hasRoom)
        {
          if fastPath.sharers > 0 { taken = takeBatch(of: fastPath, behind: next, &batch, &state, threadPace) }
          return next
        }
        leave(fastPath, &turn, &aftermath, next, &state, threadPace)
        return Self.none
      }
      if step < 0 { break }
    }
    pace = threadPace
    if let aftermath { perform(aftermath) }
    return turn
  }

  private static var none: StepIndex { -1 }

  /// If the thread's pace is due to be reported to the pool, reports it, under the lock. Returns false if the thread
  /// must leave the fast path.
  @inline(never)
  private func continues(_ fastPath: ThreadFastPath, _ state: inout RunState, _ pace: inout Pace) -> Bool {
    pace.report(to: &state.pools[fastPath.pool.index])
      && state.pools[fastPath.pool.index].hasRoom(at: state.latestNanoseconds) == fastPath.hasRoom
  }

  /// Prefetches ready steps that will run after `first`. Returns nil if there are too few of them or they take too
  /// long. A thread takes no more than a share of the ready steps, so that all threads have work until the end (guided
  /// self-scheduling, Polychronopoulos and Kuck 1987).
  @inline(never)
  private func takeBatch(
    of fastPath: ThreadFastPath, behind first: StepIndex, _ batch: inout Batch?, _ state: inout RunState, _ pace: Pace
  ) -> Batch? {
    let share = state.plan.prefetchShare(of: fastPath.steps, behind: first) / (2 * fastPath.sharers)
    let limit = min(share, pace.steps(inNanoseconds: options.batchNanoseconds))
    guard limit > 1 else { return nil }
    let own = batch ?? Batch()
    batch = own
    own.begin(with: first, at: state.latestNanoseconds)
    var room = min(limit, own.allowance) - 1
    while room > 0, let next = state.plan.prefetch(fastPath.steps, behind: first, if: prepared.bodies.isPlain) {
      own.add(next)
      room -= 1
    }
    own.open()
    state.add(own)
    return own
  }

  /// Ends a fast path under the lock. `next` is a step that has been started but must not run on the fast path, or
  /// negative if there is none. Sets `aftermath` to the work to do outside the lock.
  @inline(never)
  private func leave(
    _ fastPath: ThreadFastPath, _ turn: inout Turn, _ aftermath: inout Aftermath?, _ next: StepIndex,
    _ state: inout RunState, _ pace: Pace
  ) {
    // Other threads may have prefetched steps that this thread can run now.
    state.revokeBatches()
    let following = next >= 0 ? (next, 1) : state.plan.leaveFastPath(in: fastPath.pool, at: state.latestNanoseconds)
    aftermath = takeTurn(&turn, following, in: fastPath.pool, &state, pace)
  }
}
