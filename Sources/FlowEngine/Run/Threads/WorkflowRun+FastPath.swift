import FlowModel
import FlowPluginKit

/// A ``FastPath`` as a thread works through it, and what was so in its pool when it began.
struct ThreadFastPath {
  let pool: Pool
  let steps: FastPath
  /// Whether another thread could take steps that wait.
  let hasRoom: Bool
  /// Whether a thread watches the waiting steps.
  let isWatched: Bool
  /// How many threads at least take steps of the pool in batches; 0: the thread is alone, or must not take any.
  let sharers: Int
}

extension WorkflowRun {
  /// A fast path that begins with a step that a thread has taken; nil if it is not an ordinary one.
  func fastPath(
    _ first: (step: StepIndex, attempt: Int), in pool: Pool, _ state: inout RunState
  ) -> Turn? {
    guard pool != .main, Int(first.step) < prepared.actionIndices.count, prepared.bodies.isPlain(first.step),
      let steps = state.plan.fastPath(from: first.step, attempt: first.attempt, in: pool)
    else { return nil }
    let threads = state.pools[pool.index]
    let hasRoom = threads.hasRoom(at: state.latestNanoseconds)
    // An observer of every event gets events in order, so each step's end must be reported at once.
    let takesBatches = threads.busy > 1 && threads.isWatched && !hasRoom && state.plan.detail != .full
    return .fastPath(
      ThreadFastPath(
        pool: pool, steps: steps, hasRoom: hasRoom, isWatched: !threads.needsWatch,
        sharers: takesBatches ? threads.busy : 0),
      from: first.step)
  }

  /// Runs ordinary steps one after the other, each with one short hold of the lock, or a batch with one, until
  /// something else should be done.
  func workThrough(
    _ fastPath: ThreadFastPath, from first: StepIndex, _ context: inout ActionContext, _ pace: inout Pace,
    _ batch: inout Batch?
  ) -> Turn {
    recentStates.end()
    var step = first
    var turn = Turn.leave
    var aftermath: Aftermath?
    var threadPace = pace
    var taken: Batch?
    context.attempt = 1
    while true {
      context.step = step
      do {
        try prepared.bodies.runPlain(step, in: context)
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
        // Either only an instruction or two happen here, or what is rare and has a function of its own.
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
          !fastPath.steps.hasQueuedSteps || fastPath.isWatched && (threadPace.isShort || !fastPath.hasRoom)
        {
          if fastPath.sharers > 0 { taken = takeBatch(of: fastPath, behind: next, &batch, &state, threadPace) }
          return next
        }
        aftermath = leave(fastPath, &turn, next, &state, threadPace)
        return Self.none
      }
      if step < 0 { break }
    }
    pace = threadPace
    if let aftermath { perform(aftermath) }
    return turn
  }

  /// No step.
  private static var none: StepIndex { -1 }

  /// Tells a thread's pool of its pace now and then, under the lock; false where the thread must ask how to continue.
  @inline(never)
  private func continues(_ fastPath: ThreadFastPath, _ state: inout RunState, _ pace: inout Pace) -> Bool {
    pace.report(to: &state.pools[fastPath.pool.index])
      && state.pools[fastPath.pool.index].hasRoom(at: state.latestNanoseconds) == fastPath.hasRoom
  }

  /// Takes ready steps ahead behind one that a thread starts now; nil if there are too few, or they are too long. No
  /// more than its share of what is ready, so that at the end all threads have something left (guided self-scheduling,
  /// Polychronopoulos and Kuck 1987).
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

  /// Ends a fast path under the lock, with a step that has been taken or with none.
  @inline(never)
  private func leave(
    _ fastPath: ThreadFastPath, _ turn: inout Turn, _ next: StepIndex, _ state: inout RunState, _ pace: Pace
  ) -> Aftermath? {
    // Others may have prefetched what this thread could do now.
    state.revokeBatches()
    let following = next >= 0 ? (next, 1) : state.plan.leaveFastPath(in: fastPath.pool, at: state.latestNanoseconds)
    return takeTurn(&turn, following, in: fastPath.pool, &state, pace)
  }
}
