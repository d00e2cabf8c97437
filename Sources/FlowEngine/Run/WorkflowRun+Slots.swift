import Dispatch
import FlowModel
import FlowPluginKit

extension WorkflowRun {
  /// Does under the lock what follows from a change: the plan's effects, and handing out ready steps.
  ///
  /// - Parameter sparing: a lane whose slots work through short steps: no other slot of it is woken, but it is watched.
  func settle(_ state: inout RunState, sparing: Lane? = nil) -> Aftermath {
    state.plan.endSeries()
    var aftermath = Aftermath()
    let spared = sparing.flatMap { state.pools[$0.index].busy > 0 ? $0 : nil }
    while state.plan.hasEffects {
      for effect in state.plan.takeEffects() { apply(effect, &state, &aftermath) }
    }
    if state.plan.canStart() {
      for lane in Lane.all where lane != spared { handOut(lane, &state, &aftermath) }
      if let spared, state.plan.canStart(in: spared) { watch(spared, &state, &aftermath) }
    }
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
      let decision = decide(step, state)
      state.plan.apply(.decided(step, decision), at: state.instant(clock.now))
    case .cancel(let step, let attempt):
      aftermath.cancellations.append((step, attempt))
    case .gateDecided(let decision):
      if let opening = gateClock.send(.decided(decision)) {
        state.plan.apply(.gateOpened(opening.outcome), at: opening.atNanoseconds)
      }
    case .end:
      aftermath.hasEnded = true
    }
  }

  private func takeNext(_ lane: Lane, _ state: inout RunState) -> Start? {
    guard let (step, attempt) = state.plan.startNext(in: lane, at: state.instant(clock.now)) else { return nil }
    return start(step, attempt, &state)
  }

  // The state is passed to be changed though it is only read: passed to be read, all of it would be copied.
  @inline(__always)
  func start(_ step: StepIndex, _ attempt: Int, _ state: inout RunState) -> Start {
    let inputs = prepared.detailIndices[Int(step)] >= 0 ? startInputs(of: step, &state) : nil
    return Start(step: step, attempt: Int32(attempt), inputs: inputs)
  }

  private func startInputs(of step: StepIndex, _ state: inout RunState) -> StartInputs? {
    switch inputs(of: step, state) {
    case .success(let values): values.isEmpty ? nil : StartInputs(values)
    case .failure(let problem): StartInputs(ValueObject(), problem: problem)
    }
  }

  /// Gives ready steps to idle slots of a lane while it has any.
  private func handOut(_ lane: Lane, _ state: inout RunState, _ aftermath: inout Aftermath) {
    while state.plan.canStart(in: lane) {
      guard state.pools[lane.index].hasRoom else {
        return watch(lane, &state, &aftermath)
      }
      guard let start = takeNext(lane, &state) else { return }
      aftermath.wakes.append((state.pools[lane.index].take(), lane, start))
    }
  }

  /// Sees to it that somebody looks after the steps that wait in a lane.
  private func watch(_ lane: Lane, _ state: inout RunState, _ aftermath: inout Aftermath) {
    if let time = state.pools[lane.index].startWatch() { aftermath.watches.append((lane, time)) }
  }

  /// Does outside the lock what a change brought about.
  func finish(_ aftermath: Aftermath) {
    for (step, attempt) in aftermath.cancellations {
      cancellations.cancel(step, attempt: attempt)
      state.withLock { $0.tasks[RunState.TaskKey(step: step, attempt: attempt)] }?.cancel()
    }
    for (queue, lane, start) in aftermath.wakes {
      queue.async { @Sendable [self] in work(on: queue, lane: lane, first: start) }
    }
    if let due = aftermath.timerAt {
      deadlines.schedule(atNanoseconds: due) { [self] in timerFired() }
    }
    for (lane, time) in aftermath.watches {
      deadlines.schedule(atNanoseconds: clock.now + time) { [self] in endWatch(of: lane) }
    }
    if aftermath.mustDeliver { deliver() }
    if aftermath.hasEnded { close() }
  }

  private func timerFired() {
    let aftermath = withPlan { state in
      state.timerAt = nil
      state.plan.apply(.timePassed, at: state.instant(clock.now))
      return settle(&state)
    }
    finish(aftermath)
  }

  private func endWatch(of lane: Lane) {
    let aftermath = withPlan { state in
      // Where a slot came free and took another step, those that still wait have waited less than that.
      settle(&state, sparing: state.pools[lane.index].endWatch() ? nil : lane)
    }
    finish(aftermath)
  }

  /// Runs steps on a slot, one after the other, until there is none ready for its lane.
  private func work(on queue: DispatchQueue, lane: Lane, first: Start) {
    var pace = Pace(SlotClock(clock), shortNanoseconds: options.shortStepNanoseconds)
    // One context for all steps of the slot: to count references to the run at each would cost more than the rest.
    var context = ActionContext(host: self, step: first.step, attempt: Int(first.attempt))
    var handful: Handful?
    var turn = Turn.start(first)
    while true {
      let start: Start
      let end: End
      let time: Int
      switch turn {
      case .start(let next):
        start = next
        context.step = start.step
        context.attempt = Int(start.attempt)
        end = execute(start, context, lane: lane)
        time = pace.endStep()
      case .ended(let last, let ending, let now): (start, end, time) = (last, ending, now)
      case .series(let series, let step):
        turn = workThrough(series, from: step, &context, &pace, &handful)
        continue
      case .rest: return
      }
      let aftermath = withPlan { state -> Aftermath? in
        let now = state.instant(time)
        let goesOn =
          lane != .main && !state.plan.hasEffects && (pace.isMidway || pace.keepsGoing(&state.pools[lane.index]))
        let following: (step: StepIndex, attempt: Int)?
        if goesOn, case .success = end {
          following = state.plan.passOn(start.step, attempt: Int(start.attempt), in: lane, at: now)
        } else {
          switch end {
          case .success: state.plan.succeeded(start.step, attempt: Int(start.attempt), at: now)
          case .ended(let ending, let outputs): take(ending, outputs, of: start, &state, at: now)
          case .goesOn: break
          }
          following = goesOn && !state.plan.hasEffects ? state.plan.startNext(in: lane, at: now) : nil
        }
        return conclude(&turn, following, on: queue, lane, &state, pace)
      }
      if let aftermath { finish(aftermath) }
    }
  }

  /// Says under the lock how a slot goes on that has taken `following`; nil where nothing else is left to do.
  func conclude(
    _ turn: inout Turn, _ following: (step: StepIndex, attempt: Int)?, on queue: DispatchQueue, _ lane: Lane,
    _ state: inout RunState, _ pace: Pace
  ) -> Aftermath? {
    turn = .rest
    if let following {
      if !needsOthers(&state, lane, pace) {
        turn = series(following, on: queue, lane, &state) ?? .start(start(following.step, following.attempt, &state))
        return nil
      }
      turn = .start(start(following.step, following.attempt, &state))
    } else {
      // A slot of the main thread goes back after each step, so that other work of the main queue has its turn.
      state.pools[lane.index].giveBack(queue)
    }
    let isSpared = pace.isShort || state.pools[lane.index].isLeftAlone(at: state.latestNanoseconds)
    return settle(&state, sparing: isSpared ? lane : nil)
  }

  /// Whether anything is left to do but to run the next step on this slot.
  private func needsOthers(_ state: inout RunState, _ lane: Lane, _ pace: Pace) -> Bool {
    if let due = state.plan.nextTimerNanoseconds, state.timerAt.map({ due < $0 }) ?? true { return true }
    if state.plan.hasRecords, !state.isDelivering { return true }
    return state.plan.queuedSteps > 0 && shares(&state, lane, pace)
  }

  /// Whether ready steps need other slots, or somebody to look after them.
  private func shares(_ state: inout RunState, _ lane: Lane, _ pace: Pace) -> Bool {
    // Short steps are not shared, but watched: one of them may turn out to take long.
    state.pools[lane.index].needsWatch || !pace.isShort && state.pools[lane.index].hasRoom(at: state.latestNanoseconds)
      || state.plan.queuedSteps > state.plan.queuedSteps(in: lane)
  }

  /// What a slot does next.
  enum Turn {
    /// Run a step.
    case start(Start)
    /// Say how a step ended that it has run, and when.
    case ended(Start, End, atNanoseconds: Int)
    /// Work through ordinary steps.
    case series(SlotSeries, from: StepIndex)
    /// Nothing: it has been given back.
    case rest
  }

  /// How the body of a step ended.
  enum End {
    /// With success and without outputs.
    case success
    indirect case ended(Ending, ValueObject)
    /// It goes on in a task.
    case goesOn
  }

  /// Runs a body.
  @inline(__always)
  private func execute(_ start: Start, _ context: ActionContext, lane: Lane) -> End {
    if let inputs = start.inputs, let problem = inputs.problem {
      return .ended(.failure(problem, isRetryable: false, retryAfterNanoseconds: 0), ValueObject())
    }
    let action = prepared.actionIndices[Int(start.step)]
    do {
      switch try prepared.bodies.run(action, start.inputs, in: context) {
      case .nothing: return .success
      case .outputs(let outputs): return .ended(.success, outputs)
      case .none: break
      }
    } catch {
      return .ended(ending(of: error, start), ValueObject())
    }
    run(prepared.bodies.asynchronous(action), start, context, lane: lane)
    return .goesOn
  }

  /// Runs a body in a task of its own.
  private func run(
    _ body: @escaping StepBodies.Asynchronous, _ start: Start, _ context: ActionContext, lane: Lane
  ) {
    let (step, attempt) = (start.step, Int(start.attempt))
    let task = Task(priority: lane.qualityOfService?.taskPriority ?? .userInitiated) { [self] in
      let result: (Ending, ValueObject)
      do {
        result = (.success, try await body(start.inputs?.values ?? ValueObject(), context))
      } catch {
        result = (ending(of: error, start), [:])
      }
      complete(start, result.0, result.1)
    }
    // The body may have ended, or the try may have been told to end, before the task could be kept.
    withPlan { state in
      if state.plan.isRunning(step, attempt: attempt) {
        state.tasks[RunState.TaskKey(step: step, attempt: attempt)] = task
      }
    }
    if cancellations.isCancelled(step, attempt: attempt) { task.cancel() }
  }

  /// Takes in the end of a body that ran in a task.
  private func complete(_ start: Start, _ ending: Ending, _ outputs: ValueObject) {
    let aftermath = withPlan { state in
      state.tasks[RunState.TaskKey(step: start.step, attempt: Int(start.attempt))] = nil
      take(ending, outputs, of: start, &state, at: state.instant(clock.now))
      return settle(&state)
    }
    cancellations.forget(start.step, attempt: Int(start.attempt))
    finish(aftermath)
  }

  private func take(
    _ ending: Ending, _ outputs: ValueObject, of start: Start, _ state: inout RunState, at now: Int
  ) {
    var ending = ending
    if !outputs.isEmpty, ending == .success, state.plan.isAwaiting(start.step, attempt: Int(start.attempt)) {
      let limit = prepared.action(of: start.step).declaration.outputLimitBytes
      if Value.object(outputs).exceeds(bytes: limit) {
        ending = .failure(
          StepFailure(code: "output-too-large", message: "the outputs are larger than \(limit >> 20) MiB"),
          isRetryable: false,
          retryAfterNanoseconds: 0)
      } else {
        state.outputs[start.step] = outputs
      }
    }
    state.plan.apply(.finished(start.step, attempt: Int(start.attempt), ending), at: now)
  }

  /// What an error thrown by a body means.
  func ending(of error: any Error, _ start: Start) -> Ending {
    if error is CancellationError, cancellations.isCancelled(start.step, attempt: Int(start.attempt)) {
      return .cancelled
    }
    switch error {
    case let error as ActionError:
      let declared = prepared.action(of: start.step).declaration.errors.first { $0.code == error.code }?.isRetryable
      return .failure(
        StepFailure(code: error.code, message: error.message),
        isRetryable: error.isRetryable ?? declared ?? true,
        retryAfterNanoseconds: error.retryAfter?.nanoseconds ?? 0)
    case let error as TypeMismatch:
      return .failure(
        StepFailure(code: "input", message: "input \(error.description)" + (error.help.map { "; \($0)" } ?? "")),
        isRetryable: false, retryAfterNanoseconds: 0)
    default:
      return .failure(
        StepFailure(code: "error", message: "\(error)"), isRetryable: true, retryAfterNanoseconds: 0)
    }
  }
}
