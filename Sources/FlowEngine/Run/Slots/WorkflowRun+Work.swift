import FlowModel
import FlowPluginKit

// How steps run, in the order in which to read this room.
//
// A *slot* is a thread at work for a lane: the main thread, or a thread of one quality of service (`SlotThreads`). It is
// woken when a step of its lane is ready, takes the run's lock once, and takes the step of the lowest rank; a step is
// running from then on, because its body begins on that very thread. When the body has returned, the slot takes the lock
// again, tells the plan how it ended and takes the next step in the same hold (`work(in:)`, here). When there is none the
// slot goes. `SlotPool` counts the slots of a lane and says how many there may be.
//
// Most steps have nothing special about them. A slot that runs one such step after the other works through a *series*
// (`WorkflowRun+Series`, over the plan's `StepSeries`): what need not be asked again at each step is asked once, and the
// hold of the lock is a few instructions long.
//
// Several slots at short steps would still fetch the lock and the plan's memory from each other at every step. They take
// ready steps by the *handful* (`Handful`) and go through them without the lock; whoever needs to know how far they are
// takes back what they have not started.
//
// A slot knows its *pace* (`Pace`): how long its steps take, by the processor's counter (`SlotClock`). While they are so
// short that waking another thread would cost more than it helps, none is woken; and of slots that are in each other's way
// one goes.
//
// Nothing of this may leave a ready step waiting behind a slot that turns out to take long. So whenever steps wait, the
// lane is under *watch* (`SlotPool.startWatch()`): when no body has returned for a millisecond, others are woken, and the
// pool grows.
extension WorkflowRun {
  /// Runs steps on this thread, one after the other, until there is none ready for its lane.
  func work(in lane: Lane) {
    var pace = Pace(SlotClock(clock), shortNanoseconds: options.shortStepNanoseconds)
    // One context for all steps of the slot: to count references to the run at each would cost more than the rest.
    var context = ActionContext(host: self, step: 0, attempt: 0)
    var handful: Handful?
    var turn = Turn.arrive
    while true {
      let start: Start
      var outputs = ValueObject()
      let ending: Ending?
      let time: Int
      switch turn {
      case .arrive:
        let aftermath = arrive(in: lane, &turn, pace)
        if let aftermath { perform(aftermath) }
        continue
      case .start(let next):
        start = next
        context.step = start.step
        context.attempt = Int(start.attempt)
        ending = execute(start, context, lane: lane, &outputs)
        time = pace.endStep()
      case .ended(let last, let how, let now): (start, ending, time) = (last, how, now)
      case .series(let series, let step):
        turn = workThrough(series, from: step, &context, &pace, &handful)
        continue
      case .leave: return
      }
      let aftermath = withPlan { state -> Aftermath? in
        let now = state.instant(time)
        let following = takeNext(after: start, ending, outputs, in: lane, &state, &pace, at: now)
        return takeTurn(&turn, following, in: lane, &state, pace)
      }
      if let aftermath { perform(aftermath) }
    }
  }

  /// What a slot does next.
  enum Turn {
    /// Take a step for the first time.
    case arrive
    /// Run a step.
    case start(Start)
    /// Say how a step ended that it has run, and when.
    case ended(Start, Ending, atNanoseconds: Int)
    /// Work through ordinary steps.
    case series(SlotSeries, from: StepIndex)
    /// Nothing: it has been given back.
    case leave
  }

  /// Takes the first step of a slot that has been woken, where one is still ready.
  private func arrive(in lane: Lane, _ turn: inout Turn, _ pace: Pace) -> Aftermath? {
    withPlan { state in
      state.pools[lane.index].noteArrival()
      let following = nextStart(in: lane, &state, at: state.instant(clock.now))
      return takeTurn(&turn, following, in: lane, &state, pace)
    }
  }

  /// Tells the plan how a step ended (nil: it goes on in a task) and takes the next step of the lane, unless the slot is
  /// to go or the plan asks for something first.
  @inline(__always)
  private func takeNext(
    after start: Start, _ ending: Ending?, _ outputs: ValueObject, in lane: Lane, _ state: inout RunState,
    _ pace: inout Pace, at now: Int
  ) -> (step: StepIndex, attempt: Int)? {
    // A slot of the main thread goes after each step, so that other work of the main queue has its turn.
    let continues =
      lane != .main && !state.plan.hasEffects
      && (pace.isWithinInterval || pace.report(to: &state.pools[lane.index]))
    if case .success? = ending, outputs.isEmpty {
      if continues, state.durableStarts == nil, !isGuarded {
        return state.plan.passOn(start.step, attempt: Int(start.attempt), in: lane, at: now)
      }
      state.plan.succeeded(start.step, attempt: Int(start.attempt), at: now)
    } else if let ending {
      take(ending, outputs, of: start, &state, at: now)
    }
    return continues && !state.plan.hasEffects ? nextStart(in: lane, &state, at: now) : nil
  }

  /// Says under the lock how a slot goes on that has taken `following`; nil where nothing else is left to do.
  func takeTurn(
    _ turn: inout Turn, _ following: (step: StepIndex, attempt: Int)?, in lane: Lane, _ state: inout RunState,
    _ pace: Pace
  ) -> Aftermath? {
    turn = .leave
    if let following {
      if !needsOthers(&state, lane, pace) {
        turn = series(following, in: lane, &state) ?? .start(start(following.step, following.attempt, &state))
        return nil
      }
      turn = .start(start(following.step, following.attempt, &state))
    } else {
      state.pools[lane.index].giveBack()
    }
    let isOnlyWatched = pace.isShort || state.pools[lane.index].isGrowthPaused(at: state.latestNanoseconds)
    return carryOut(&state, onlyWatching: isOnlyWatched ? lane : nil)
  }

  /// Whether anything is left to do but to run the next step on this slot.
  private func needsOthers(_ state: inout RunState, _ lane: Lane, _ pace: Pace) -> Bool {
    if state.durableStarts != nil || isGuarded { return true }
    if let due = state.plan.nextTimerNanoseconds, state.timerAt.map({ due < $0 }) ?? true { return true }
    if state.plan.hasRecords, !state.isDelivering { return true }
    return state.plan.queuedSteps > 0 && shares(&state, lane, pace)
  }

  /// Whether ready steps need other slots, or somebody to look after them.
  private func shares(_ state: inout RunState, _ lane: Lane, _ pace: Pace) -> Bool {
    // Short steps are not shared, but watched: one of them may turn out to take long.
    state.pools[lane.index].needsWatch || !pace.isShort && state.pools[lane.index].hasRoom(at: state.latestNanoseconds)
      || state.plan.queuedSteps > state.plan.queuedSteps(in: lane) && state.plan.concernsOthers(than: lane)
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

/// A step that a slot has taken; small, because every step passes through it.
struct Start {
  var step: StepIndex
  var attempt: Int32
  /// What it runs on; nil: nothing.
  var inputs: StartInputs?
}
