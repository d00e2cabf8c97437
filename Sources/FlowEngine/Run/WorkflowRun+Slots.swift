import Dispatch
import FlowModel
import FlowPluginKit

extension WorkflowRun {
  /// Does under the lock what follows from a change: the plan's effects, and handing out ready steps.
  ///
  /// - Parameter lane: the lane of the slot that asks, which gets the first ready step of its lane to run inline; nil:
  ///   the caller runs none.
  func settle(_ state: inout RunState, lane: Lane?) -> Aftermath {
    var aftermath = Aftermath()
    while state.plan.hasEffects {
      for effect in state.plan.takeEffects() { apply(effect, &state, &aftermath) }
    }
    if let lane { aftermath.next = takeNext(lane, &state) }
    if state.plan.canStart() {
      for pool in state.pools.keys { handOut(pool, &state, &aftermath) }
    }
    if let due = state.plan.nextTimerNanoseconds, state.timerAt.map({ due < $0 }) ?? true {
      state.timerAt = due
      aftermath.timerAt = due
    }
    if state.plan.isRecording, !state.isDelivering, state.plan.hasRecords {
      state.isDelivering = true
      aftermath.mustDeliver = true
    }
    return aftermath
  }

  private func apply(_ effect: PlanEffect, _ state: inout RunState, _ aftermath: inout Aftermath) {
    switch effect {
    case .evaluate(let step):
      let decision = decide(step, state)
      state.plan.apply(.decided(step, decision), at: clock.now)
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
    guard let (step, attempt) = state.plan.startNext(in: lane, at: clock.now) else { return nil }
    return Start(step: step, attempt: attempt, inputs: inputs(of: step, state))
  }

  /// Gives ready steps to idle slots of a lane while it has any.
  private func handOut(_ lane: Lane, _ state: inout RunState, _ aftermath: inout Aftermath) {
    while state.plan.canStart(in: lane) {
      guard state.pools[lane]!.hasRoom else {
        if state.pools[lane]!.startsWatch() { aftermath.watches.append(lane) }
        return
      }
      guard let start = takeNext(lane, &state) else { return }
      aftermath.wakes.append((state.pools[lane]!.take(), lane, start))
    }
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
      deadlines.schedule(atNanoseconds: due) { [weak self] in self?.timerFired() }
    }
    for lane in aftermath.watches {
      deadlines.schedule(atNanoseconds: clock.now + 1_000_000) { [weak self] in self?.endWatch(of: lane) }
    }
    if aftermath.mustDeliver { deliver() }
    if aftermath.hasEnded { close() }
  }

  private func timerFired() {
    let aftermath = state.withLock { state in
      state.timerAt = nil
      state.plan.apply(.timePassed, at: clock.now)
      return settle(&state, lane: nil)
    }
    finish(aftermath)
  }

  private func endWatch(of lane: Lane) {
    let aftermath = state.withLock { state in
      state.pools[lane]!.endWatch()
      return settle(&state, lane: nil)
    }
    finish(aftermath)
  }

  /// Runs steps on a slot, one after the other, until there is none ready for its lane.
  private func work(on queue: DispatchQueue, lane: Lane, first: Start) {
    var next: Start? = first
    while let start = next {
      let ending = execute(start, lane: lane)
      let aftermath = state.withLock { state in
        state.pools[lane]!.noteReturn()
        if let (ending, outputs) = ending { take(ending, outputs, of: start, &state) }
        // A slot of the main thread goes back after each step, so that other work of the main queue has its turn.
        var aftermath = settle(&state, lane: lane == .main ? nil : lane)
        if aftermath.next == nil {
          state.pools[lane]!.giveBack(queue)
          if lane == .main || state.plan.canStart(in: lane) {
            let more = settle(&state, lane: nil)
            aftermath.wakes += more.wakes
            aftermath.watches += more.watches
          }
        }
        return aftermath
      }
      finish(aftermath)
      next = aftermath.next
    }
  }

  /// Runs a body. Returns how it ended and what it gave, or nil when it goes on in a task.
  private func execute(_ start: Start, lane: Lane) -> (Ending, ValueObject)? {
    let inputs: ValueObject
    switch start.inputs {
    case .success(let values): inputs = values
    case .failure(let failure): return (.failure(failure, isRetryable: false, retryAfterNanoseconds: 0), [:])
    }
    let action = prepared.action(of: start.step)
    let context = ActionContext(host: self, step: start.step, attempt: start.attempt)
    switch action.body {
    case .synchronous(let body):
      do {
        return (.success, try body(inputs, context))
      } catch {
        return (ending(of: error, start, action.declaration), [:])
      }
    case .asynchronous(let body), .service(let body):
      let key = RunState.TaskKey(step: start.step, attempt: start.attempt)
      let priority = if case .slots(let quality) = lane { quality.taskPriority } else { TaskPriority.userInitiated }
      let task = Task(priority: priority) { [self] in
        let result: (Ending, ValueObject)
        do {
          result = (.success, try await body(inputs, context))
        } catch {
          result = (ending(of: error, start, action.declaration), [:])
        }
        complete(start, result.0, result.1)
      }
      // The body may have ended, or the try may have been told to end, before the task could be kept.
      state.withLock { state in
        if state.plan.isRunning(start.step, attempt: start.attempt) { state.tasks[key] = task }
      }
      if cancellations.isCancelled(start.step, attempt: start.attempt) { task.cancel() }
      return nil
    }
  }

  /// Takes in the end of a body that ran in a task.
  private func complete(_ start: Start, _ ending: Ending, _ outputs: ValueObject) {
    let aftermath = state.withLock { state in
      state.tasks[RunState.TaskKey(step: start.step, attempt: start.attempt)] = nil
      take(ending, outputs, of: start, &state)
      return settle(&state, lane: nil)
    }
    cancellations.forget(start.step, attempt: start.attempt)
    finish(aftermath)
  }

  private func take(_ ending: Ending, _ outputs: ValueObject, of start: Start, _ state: inout RunState) {
    var ending = ending
    if !outputs.isEmpty, ending == .success, state.plan.isAwaiting(start.step, attempt: start.attempt) {
      if Value.object(outputs).exceeds(bytes: Limits.outputBytes) {
        ending = .failure(
          StepFailure(code: "output-too-large", message: "the outputs are larger than 1 MiB"), isRetryable: false,
          retryAfterNanoseconds: 0)
      } else {
        state.outputs[start.step] = outputs
      }
    }
    state.plan.apply(.finished(start.step, attempt: start.attempt, ending), at: clock.now)
  }

  /// What an error thrown by a body means.
  private func ending(of error: any Error, _ start: Start, _ declaration: ActionDeclaration) -> Ending {
    if error is CancellationError, cancellations.isCancelled(start.step, attempt: start.attempt) { return .cancelled }
    switch error {
    case let error as ActionError:
      let declared = declaration.errors.first { $0.code == error.code }?.isRetryable
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
