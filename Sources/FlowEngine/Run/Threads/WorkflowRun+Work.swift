import FlowModel
import FlowPluginKit

// How steps run, in the order in which to read this room.
//
// A *thread* is a thread at work for a pool: the main thread, or a thread of one quality of service (`PoolThreads`). It
// is woken when a step of its pool is ready, takes the run's lock once, and takes the step of the lowest rank; a step
// is running from then on, because its body begins on that very thread. When the body has returned, the thread takes
// the lock again, notifies the plan how it ended and takes the next step in the same hold (`work(in:)`, here). When there
// is none the thread goes. `ThreadPool` counts the threads of a pool and says how many there may be.
//
// Most steps have nothing special about them. A thread that runs one such step after the other works through a *fast
// path* (`WorkflowRun+FastPath`, over the plan's `FastPath`): what need not be asked again at each step is asked once,
// and the hold of the lock is a few instructions long.
//
// Several threads at short steps would still fetch the lock and the plan's memory from each other at every step. They
// take ready steps in batches (`Batch`) and go through them without the lock; anyone who needs to know how far they are
// revokes what they have not started.
//
// A thread knows its *pace* (`Pace`): how long its steps take, by the processor's counter (`ThreadClock`). While they
// are so short that waking another thread would cost more than it helps, none is woken; and of threads that are in each
// other's way one goes.
//
// The body of a command returns while it waits (`BodyInParts`), and the thread takes the next step. Once the body can continue, it
// is among the `resumptions`, and a thread of its pool runs its next part.
//
// Nothing of this may leave a ready step waiting behind a thread that turns out to take long. So whenever steps wait,
// the pool is under *watch* (`ThreadPool.startWatch()`): when no body has returned for a millisecond, others are woken,
// and the pool grows.
extension WorkflowRun {
  /// Runs steps on this thread, one after the other, until there is none ready for its pool.
  func work(in pool: Pool) {
    var pace = Pace(ThreadClock(clock), shortNanoseconds: options.shortStepNanoseconds)
    // One context for all steps of the thread: to count references to the run at each would cost more than the rest.
    var context = ActionContext(host: self, step: 0, attempt: 0)
    var batch: Batch?
    var turn = Turn.arrive
    while true {
      let start: Start
      var hasResumed = false
      var outputs = ValueObject()
      let ending: Ending?
      let time: Int
      switch turn {
      case .arrive:
        let aftermath = arrive(in: pool, &turn, pace)
        if let aftermath { perform(aftermath) }
        continue
      case .start(let next):
        start = next
        context.step = start.step
        context.attempt = Int(start.attempt)
        ending = execute(start, context, pool: pool, &outputs)
        time = pace.endStep()
      case .resume(let resumption):
        start = resumption.start
        hasResumed = true
        // What belongs to the body goes with its last part, before the step is said to have ended.
        turn = .leave
        ending = carry(start, in: pool, &outputs, resumption.next)
        time = pace.endStep()
      case .ended(let last, let how, let now): (start, ending, time) = (last, how, now)
      case .fastPath(let fastPath, let step):
        turn = workThrough(fastPath, from: step, &context, &pace, &batch)
        continue
      case .leave: return
      }
      let aftermath = withPlan { state -> Aftermath? in
        let now = state.instant(time)
        // Bodies that have waited come first, but in turns with ready steps.
        let takesStep = hasResumed || state.resumptions.count(in: pool) == 0
        let following = takeNext(after: start, ending, outputs, in: pool, &state, &pace, at: now, takesStep: takesStep)
        return takeTurn(&turn, following, in: pool, &state, pace)
      }
      if let aftermath { perform(aftermath) }
    }
  }

  /// What a thread does next.
  enum Turn {
    /// Take a step for the first time.
    case arrive
    /// Run a step.
    case start(Start)
    /// Run the next part of a body that has waited.
    case resume(Resumption)
    /// Say how a step ended that it has run, and when.
    case ended(Start, Ending, atNanoseconds: Int)
    /// Work through ordinary steps.
    case fastPath(ThreadFastPath, from: StepIndex)
    /// Nothing: it has been returned.
    case leave
  }

  /// Takes the first step of a thread that has been woken, where one is still ready.
  private func arrive(in pool: Pool, _ turn: inout Turn, _ pace: Pace) -> Aftermath? {
    withPlan { state in
      state.pools[pool.index].noteArrival()
      if let resumption = state.resumptions.take(from: pool) {
        turn = .resume(resumption)
        state.pools[pool.index].holdLimit(at: state.instant(clock.now))
        return carryOut(&state)
      }
      let following = nextStart(in: pool, &state, at: state.instant(clock.now))
      return takeTurn(&turn, following, in: pool, &state, pace)
    }
  }

  /// Notifies the plan how a step ended (nil: it continues later) and takes the next step of the pool, unless the thread
  /// is to go, the plan asks for something first or a body that has waited comes before.
  @inline(__always)
  private func takeNext(
    after start: Start, _ ending: Ending?, _ outputs: ValueObject, in pool: Pool, _ state: inout RunState,
    _ pace: inout Pace, at now: Int, takesStep: Bool
  ) -> (step: StepIndex, attempt: Int)? {
    // A thread of the main thread goes after each step, so that other work of the main queue has its turn.
    let continues =
      takesStep && pool != .main && !state.plan.hasEffects
      && (pace.isWithinInterval || pace.report(to: &state.pools[pool.index]))
    if case .success? = ending, outputs.isEmpty {
      if continues, state.durableStarts == nil, !isGuarded {
        return state.plan.passOn(start.step, attempt: Int(start.attempt), in: pool, at: now)
      }
      state.plan.succeeded(start.step, attempt: Int(start.attempt), at: now)
    } else if let ending {
      take(ending, outputs, of: start, &state, at: now)
    }
    return continues && !state.plan.hasEffects ? nextStart(in: pool, &state, at: now) : nil
  }

  /// Says under the lock how a thread continues that has taken `following`; nil if nothing else is left to do.
  func takeTurn(
    _ turn: inout Turn, _ following: (step: StepIndex, attempt: Int)?, in pool: Pool, _ state: inout RunState,
    _ pace: Pace
  ) -> Aftermath? {
    turn = .leave
    if let following {
      if prepared.bodies.hasParts,
        prepared.bodies.inParts(prepared.actionIndices[Int(instances.owner(of: following.step))]) != nil
      {
        state.pools[pool.index].holdLimit(at: state.latestNanoseconds)
      }
      if !needsOthers(&state, pool, pace) {
        turn = fastPath(following, in: pool, &state) ?? .start(start(following.step, following.attempt, &state))
        return nil
      }
      turn = .start(start(following.step, following.attempt, &state))
    } else if pool != .main, let resumption = state.resumptions.take(from: pool) {
      turn = .resume(resumption)
      state.pools[pool.index].holdLimit(at: state.latestNanoseconds)
    } else {
      state.pools[pool.index].giveBack()
    }
    let isOnlyWatched = pace.isShort || state.pools[pool.index].isGrowthPaused(at: state.latestNanoseconds)
    return carryOut(&state, onlyWatching: isOnlyWatched ? pool : nil)
  }

  /// Whether anything is left to do but to run the next step on this thread.
  private func needsOthers(_ state: inout RunState, _ pool: Pool, _ pace: Pace) -> Bool {
    if state.durableStarts != nil || isGuarded { return true }
    if let due = state.plan.nextTimerNanoseconds, state.timerAt.map({ due < $0 }) ?? true { return true }
    if state.plan.hasRecords, !state.isDelivering { return true }
    return state.plan.queuedSteps > 0 && shares(&state, pool, pace)
  }

  /// Whether ready steps need other threads, or someone to look after them.
  private func shares(_ state: inout RunState, _ pool: Pool, _ pace: Pace) -> Bool {
    // Short steps are not shared, but watched: one of them may turn out to take long.
    state.pools[pool.index].needsWatch || !pace.isShort && state.pools[pool.index].hasRoom(at: state.latestNanoseconds)
      || state.plan.queuedSteps > state.plan.queuedSteps(in: pool) && state.plan.concernsOthers(than: pool)
  }

  // The state is passed to be changed though it is only read: passed to be read, all of it would be copied.
  @inline(__always)
  func start(_ step: StepIndex, _ attempt: Int, _ state: inout RunState) -> Start {
    let isPlain =
      Int(step) < prepared.detailIndices.count
      ? prepared.detailIndices[Int(step)] < 0 : prepared.bodies.isPlain(state.plan.owner(of: step))
    let inputs = isPlain ? nil : inputs(of: step, &state)
    return Start(step: step, attempt: Int32(attempt), inputs: inputs)
  }
}

/// A step that a thread has taken; small, because every step passes through it.
struct Start {
  var step: StepIndex
  var attempt: Int32
  /// What it runs on; nil: nothing.
  var inputs: StartInputs?
}
