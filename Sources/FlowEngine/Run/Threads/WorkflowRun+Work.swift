import FlowModel
import FlowPluginKit

// This comment explains how steps run. Read the files of this folder in the order in which it mentions them.
//
// A *thread* works for a pool: it is the main thread, or has one quality of service (`PoolThreads`). It is woken when a
// step of its pool is ready, takes the run's lock, and takes the step with the lowest rank. The step counts as running
// from then on, because its body begins on this thread. After the body has returned, the thread takes the lock again,
// reports the end of the step to the plan, and takes the next step before it releases the lock (`work(in:)`, below). If
// no step is ready, the thread is released. `ThreadPool` counts and limits the threads of a pool. On Apple's systems it
// is usually a thread of Dispatch, which runs the block of a *pool queue* (`PoolQueues`), and elsewhere one that
// flowrun has created. Everything below applies to both. A pool queue whose block Dispatch has not started has taken no
// step.
//
// Most steps are ordinary. A thread that runs one ordinary step after another uses a *fast path*
// (`WorkflowRun+FastPath`, based on the plan's `FastPath`): checks are made once instead of for each step, and the lock
// is held for only a few instructions.
//
// Several threads with short steps would still compete for the lock and the plan's memory at every step. Therefore they
// take ready steps in batches (`Batch`) and run them without the lock. Code that needs their progress revokes the steps
// that have not started.
//
// A thread measures its *pace* (`Pace`), the duration of its steps, with the processor's counter (`ThreadClock`). While
// steps are so short that waking another thread would cost more than it helps, none is woken. If threads only compete
// with each other, one of them stops.
//
// The body of a command releases its thread while it waits (`BodyInParts`), and the thread takes the next step. When
// the body can continue, it is added to the `resumptions`, and a thread of its pool runs its next part.
//
// A ready step must not wait for a thread whose step takes long. So whenever steps wait, there is a *watch* for the
// pool (`ThreadPool.startWatch()`): if no body has returned for a millisecond, more threads are woken, and the limit
// grows.
extension WorkflowRun {
  /// Runs steps on this thread until none is ready for its pool.
  func work(in pool: Pool) {
    var pace = Pace(ThreadClock(clock), shortNanoseconds: options.shortStepNanoseconds)
    // All steps of the thread share a context, because counting references to the run for each would take longer than
    // the rest.
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
        perform(arrive(in: pool, &turn, pace))
        continue
      case .start(let next):
        start = next
        context.step = start.step
        context.attempt = Int(start.attempt)
        ending = releasingObjects { execute(start, context, pool: pool, &outputs) }
        time = pace.endStep()
      case .resume(let resumption):
        start = resumption.start
        hasResumed = true
        // The objects of the body are released after its last part, but before the end of the step is reported.
        turn = .leave
        ending = releasingObjects { carry(start, in: pool, &outputs, resumption.next) }
        time = pace.endStep()
      case .ended(let last, let how, let now): (start, ending, time) = (last, how, now)
      case .fastPath(let fastPath, let step):
        turn = workThrough(fastPath, from: step, &context, &pace, &batch)
        continue
      case .leave: return
      }
      let aftermath = withPlan { state -> Aftermath in
        let now = state.instant(time)
        // A body that can continue and a ready step take turns.
        let takesStep = hasResumed || state.resumptions.count(in: pool) == 0
        let following = takeNext(after: start, ending, outputs, in: pool, &state, &pace, at: now, takesStep: takesStep)
        return takeTurn(&turn, following, in: pool, &state, pace)
      }
      perform(aftermath)
    }
  }

  /// The next action of a thread.
  enum Turn {
    /// Take the first step.
    case arrive
    /// Run a step.
    case start(Start)
    /// Run the next part of a body.
    case resume(Resumption)
    /// Report the end of a step that has run.
    case ended(Start, Ending, atNanoseconds: Int)
    /// Run ordinary steps on a fast path.
    case fastPath(ThreadFastPath, from: StepIndex)
    /// Stop, because the thread has been released.
    case leave
  }

  /// Takes the first step for a woken thread, or a body that can continue. Returns the work to do outside the lock.
  private func arrive(in pool: Pool, _ turn: inout Turn, _ pace: Pace) -> Aftermath {
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

  /// Reports the end of a step, or nothing if `ending` is nil because the body waits. Returns the next step of the
  /// pool. Returns nil if the thread must stop, the plan has effects to carry out, or a body that can continue comes
  /// first.
  @inline(__always)
  private func takeNext(
    after start: Start, _ ending: Ending?, _ outputs: ValueObject, in pool: Pool, _ state: inout RunState,
    _ pace: inout Pace, at now: Int, takesStep: Bool
  ) -> (step: StepIndex, attempt: Int)? {
    // The main thread returns after each step, so that the main queue can run other work.
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

  /// Sets the next work of a thread, under the lock. `following` is the step that it has taken, or nil. Returns the work
  /// to do outside the lock. It is not optional, because the runtime would create the type of the optional on the
  /// threads of the run.
  func takeTurn(
    _ turn: inout Turn, _ following: (step: StepIndex, attempt: Int)?, in pool: Pool, _ state: inout RunState,
    _ pace: Pace
  ) -> Aftermath {
    turn = .leave
    if let following {
      if prepared.bodies.hasParts,
        prepared.bodies.inParts(prepared.actionIndices[Int(instances.owner(of: following.step))]) != nil
      {
        state.pools[pool.index].holdLimit(at: state.latestNanoseconds)
      }
      if !needsOthers(&state, pool, pace) {
        turn = fastPath(following, in: pool, &state) ?? .start(start(following.step, following.attempt, &state))
        return Aftermath()
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

  /// True if a change requires more than the next step on this thread, such as a timer, a delivery or another thread.
  private func needsOthers(_ state: inout RunState, _ pool: Pool, _ pace: Pace) -> Bool {
    if state.durableStarts != nil || isGuarded { return true }
    if let due = state.plan.nextTimerNanoseconds, state.timerAt.map({ due < $0 }) ?? true { return true }
    if state.plan.hasRecords, !state.isDelivering { return true }
    return state.plan.queuedSteps > 0 && shares(&state, pool, pace)
  }

  /// True if ready steps need other threads or a watch.
  private func shares(_ state: inout RunState, _ pool: Pool, _ pace: Pace) -> Bool {
    // Short steps need only a watch, in case one of them takes long.
    state.pools[pool.index].needsWatch || !pace.isShort && state.pools[pool.index].hasRoom(at: state.latestNanoseconds)
      || state.plan.queuedSteps > state.plan.queuedSteps(in: pool) && state.plan.concernsOthers(than: pool)
  }

  // The state is only read, but must be `inout`, because a borrowed argument would be copied.
  @inline(__always)
  func start(_ step: StepIndex, _ attempt: Int, _ state: inout RunState) -> Start {
    let isPlain =
      Int(step) < prepared.detailIndices.count
      ? prepared.detailIndices[Int(step)] < 0 : prepared.bodies.isPlain(state.plan.owner(of: step))
    let inputs = isPlain ? nil : inputs(of: step, &state)
    return Start(step: step, attempt: Int32(attempt), inputs: inputs)
  }
}

/// A step that a thread has taken. It is small, because one is created for every step.
struct Start {
  var step: StepIndex
  var attempt: Int32
  /// The inputs of the body, or nil if it has none.
  var inputs: StartInputs?
}
