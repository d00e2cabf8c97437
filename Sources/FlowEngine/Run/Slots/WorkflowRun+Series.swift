import FlowModel
import FlowPluginKit

/// A ``StepSeries`` as a slot works through it, and what was so in its lane's pool when it began.
struct SlotSeries {
  let lane: Lane
  let steps: StepSeries
  /// Whether another slot could take steps that wait.
  let hasRoom: Bool
  /// Whether somebody looks after steps that wait.
  let isWatched: Bool
  /// How many slots at least take steps of the lane by handfuls; 0: the slot is alone, or must not take any.
  let sharers: Int
}

extension WorkflowRun {
  /// A series that begins with a step that a slot has taken; nil where it is not an ordinary one.
  func series(
    _ first: (step: StepIndex, attempt: Int), in lane: Lane, _ state: inout RunState
  ) -> Turn? {
    guard lane != .main, Int(first.step) < prepared.actionIndices.count, prepared.bodies.isPlain(first.step),
      let steps = state.plan.series(from: first.step, attempt: first.attempt, in: lane)
    else { return nil }
    let pool = state.pools[lane.index]
    let hasRoom = pool.hasRoom(at: state.latestNanoseconds)
    // Who hears of every event hears of it in order, so that each step's end must be told at once.
    let takesHandfuls = pool.busy > 1 && pool.isWatched && !hasRoom && state.plan.detail != .full
    return .series(
      SlotSeries(
        lane: lane, steps: steps, hasRoom: hasRoom, isWatched: !pool.needsWatch,
        sharers: takesHandfuls ? pool.busy : 0),
      from: first.step)
  }

  /// Runs ordinary steps one after the other, each with one short hold of the lock, or a handful with one, until something
  /// else is to be done.
  func workThrough(
    _ series: SlotSeries, from first: StepIndex, _ context: inout ActionContext, _ pace: inout Pace,
    _ handful: inout Handful?
  ) -> Turn {
    var step = first
    var turn = Turn.leave
    var aftermath: Aftermath?
    var slotPace = pace
    var taken: Handful?
    context.attempt = 1
    while true {
      context.step = step
      do {
        try prepared.bodies.runPlain(step, in: context)
      } catch {
        pace = slotPace
        let start = Start(step: step, attempt: 1)
        return .ended(start, ending(of: error, start), atNanoseconds: pace.endStep())
      }
      let time = slotPace.endStep()
      if let taken, let next = taken.advance(at: time) {
        step = next
        continue
      }
      step = state.withLock { state in
        // Either only an instruction or two happen here, or what is rare and has a function of its own.
        guard state.plan.isCurrent(series.steps), slotPace.isWithinInterval || continues(series, &state, &slotPace)
        else {
          turn = .ended(Start(step: step, attempt: 1), .success, atNanoseconds: time)
          return Self.none
        }
        let now = state.instant(time)
        let next: StepIndex
        if let run = taken, state.remove(run) {
          let (steps, ends) = run.close(at: now)
          next = state.plan.advance(series.steps, through: steps, endedAt: ends, at: now) ?? Self.none
        } else {
          next = state.plan.advance(series.steps, from: step, at: now) ?? Self.none
        }
        if next >= 0, prepared.bodies.isPlain(next),
          !series.steps.hasQueuedSteps || series.isWatched && (slotPace.isShort || !series.hasRoom)
        {
          if series.sharers > 0 { taken = takeHandful(of: series, behind: next, &handful, &state, slotPace) }
          return next
        }
        aftermath = leave(series, &turn, next, &state, slotPace)
        return Self.none
      }
      if step < 0 { break }
    }
    pace = slotPace
    if let aftermath { perform(aftermath) }
    return turn
  }

  /// No step.
  private static var none: StepIndex { -1 }

  /// Tells a slot's pool of its pace now and then, under the lock; false where the slot must ask how to go on.
  @inline(never)
  private func continues(_ series: SlotSeries, _ state: inout RunState, _ pace: inout Pace) -> Bool {
    pace.report(to: &state.pools[series.lane.index])
      && state.pools[series.lane.index].hasRoom(at: state.latestNanoseconds) == series.hasRoom
  }

  /// Takes ready steps ahead behind one that a slot starts now; nil where there are too few, or they are too long. No more
  /// than its share of what is ready, so that at the end all slots have something left (guided self-scheduling,
  /// Polychronopoulos and Kuck 1987).
  @inline(never)
  private func takeHandful(
    of series: SlotSeries, behind first: StepIndex, _ handful: inout Handful?, _ state: inout RunState, _ pace: Pace
  ) -> Handful? {
    let share = state.plan.shareAhead(of: series.steps, behind: first) / (2 * series.sharers)
    let limit = min(share, pace.steps(inNanoseconds: options.handfulNanoseconds))
    guard limit > 1 else { return nil }
    let own = handful ?? Handful()
    handful = own
    own.begin(with: first, at: state.latestNanoseconds)
    var room = min(limit, own.allowance) - 1
    while room > 0, let next = state.plan.takeAhead(series.steps, behind: first, if: prepared.bodies.isPlain) {
      own.add(next)
      room -= 1
    }
    own.open()
    state.add(own)
    return own
  }

  /// Ends a series under the lock, with a step that has been taken or with none.
  @inline(never)
  private func leave(
    _ series: SlotSeries, _ turn: inout Turn, _ next: StepIndex, _ state: inout RunState, _ pace: Pace
  ) -> Aftermath? {
    // Others may have taken ahead what this slot could do now.
    state.takeBackHandfuls()
    let following = next >= 0 ? (next, 1) : state.plan.leaveSeries(in: series.lane, at: state.latestNanoseconds)
    return takeTurn(&turn, following, in: series.lane, &state, pace)
  }
}
