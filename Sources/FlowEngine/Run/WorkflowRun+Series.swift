import Dispatch
import FlowModel
import FlowPluginKit

/// A ``StepSeries`` as a slot works through it, and what was so in its lane's pool when it began.
struct SlotSeries {
  let queue: DispatchQueue
  let lane: Lane
  let steps: StepSeries
  /// Whether another slot could take steps that wait.
  let hasRoom: Bool
  /// Whether somebody looks after steps that wait.
  let isWatched: Bool
}

extension WorkflowRun {
  /// A series that begins with a step that a slot has taken; nil where it is not an ordinary one.
  func series(
    _ first: (step: StepIndex, attempt: Int), on queue: DispatchQueue, _ lane: Lane, _ state: inout RunState
  ) -> Turn? {
    guard lane != .main, prepared.bodies.isPlain(first.step),
      let steps = state.plan.series(from: first.step, attempt: first.attempt, in: lane)
    else { return nil }
    let pool = state.pools[lane.index]
    return .series(
      SlotSeries(
        queue: queue, lane: lane, steps: steps, hasRoom: pool.hasRoom(at: state.latestNanoseconds),
        isWatched: !pool.needsWatch),
      from: first.step)
  }

  /// Runs ordinary steps one after the other, each with one short hold of the lock, until something else is to be done.
  func workThrough(
    _ series: SlotSeries, from first: StepIndex, _ context: inout ActionContext, _ pace: inout Pace
  ) -> Turn {
    var step = first
    var turn = Turn.rest
    var aftermath: Aftermath?
    var slotPace = pace
    context.attempt = 1
    while true {
      context.step = step
      do {
        try prepared.bodies.runPlain(step, in: context)
      } catch {
        pace = slotPace
        let start = Start(step: step, attempt: 1)
        return .ended(start, .ended(ending(of: error, start), ValueObject()))
      }
      step = state.withLock { state in
        // Either only an instruction or two happen here, or what is rare and has a function of its own.
        guard state.plan.isCurrent(series.steps), slotPace.isMidway else {
          turn = .ended(Start(step: step, attempt: 1), .success)
          return Self.none
        }
        let now = state.instant(slotPace.endStep())
        let next = state.plan.advance(series.steps, from: step, at: now) ?? Self.none
        if next >= 0, prepared.bodies.isPlain(next),
          !series.steps.hasQueuedSteps || series.isWatched && (slotPace.isShort || !series.hasRoom)
        {
          return next
        }
        aftermath = leave(series, &turn, next, &state, slotPace)
        return Self.none
      }
      if step < 0 { break }
    }
    pace = slotPace
    if let aftermath { finish(aftermath) }
    return turn
  }

  /// No step.
  private static var none: StepIndex { -1 }

  /// Ends a series under the lock, with a step that has been taken or with none.
  @inline(never)
  private func leave(
    _ series: SlotSeries, _ turn: inout Turn, _ next: StepIndex, _ state: inout RunState, _ pace: Pace
  ) -> Aftermath? {
    let following = next >= 0 ? (next, 1) : state.plan.leaveSeries(in: series.lane, at: state.latestNanoseconds)
    return conclude(&turn, following, on: series.queue, series.lane, &state, pace)
  }
}
