import FlowModel
import FlowPluginKit
import Synchronization

// This file calls the bodies of steps, and handles their results and errors.
extension WorkflowRun {
  /// Runs a body. Returns nil if the body has not ended, but continues in a task or after a wait.
  @inline(__always)
  func execute(_ start: Start, _ context: ActionContext, pool: Pool, _ outputs: inout ValueObject) -> Ending? {
    if let beforehand = start.inputs?.beforehand, let ending = look(beforehand, start, &outputs) { return ending }
    recentStates.end()
    let action = prepared.actionIndices[Int(instances.owner(of: start.step))]
    do {
      if let given = try prepared.bodies.run(action, start.inputs, in: context) {
        if start.inputs?.check != nil, let ending = noteSuccess(start, given) {
          noteFailure(start)
          return ending
        }
        outputs = given
        return .success
      }
    } catch {
      noteFailure(start)
      return ending(of: error, start)
    }
    if let body = prepared.bodies.inParts(action) {
      return carry(start, in: pool, &outputs) { [self] in
        let thread = StepThread(isWanted: { [self] in isThreadWanted(of: pool) })
        return try body.begin(start.inputs?.values ?? ValueObject(), context, thread)
      }
    }
    guard let (ending, given) = run(prepared.bodies.asynchronous(action), start, context, pool: pool, startsHere: true)
    else { return nil }
    outputs = given
    return ending
  }

  /// Runs a part of a body. Returns nil if the body waits; a thread of the pool then runs its next part later.
  func carry(
    _ start: Start, in pool: Pool, _ outputs: inout ValueObject, _ part: () throws -> BodyInParts.Progress
  ) -> Ending? {
    do {
      switch try part() {
      case .ended(let given):
        if start.inputs?.check != nil, let ending = noteSuccess(start, given) {
          noteFailure(start)
          return ending
        }
        outputs = given
        return .success
      case .waits(let wait, let next):
        wait { [self] in resume(Resumption(start: start, pool: pool, next: next)) }
        return nil
      }
    } catch {
      noteFailure(start)
      return ending(of: error, start)
    }
  }

  /// Queues a body that has waited and can continue.
  private func resume(_ resumption: Resumption) {
    let aftermath = withPlan { state in
      state.resumptions.append(resumption)
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// True if steps or bodies of the pool are ready and no more threads may be woken for them.
  private func isThreadWanted(of pool: Pool) -> Bool {
    state.withLock { state in
      !state.pools[pool.index].hasRoom
        && (state.plan.canStart(in: pool) || state.resumptions.count(in: pool) > 0)
    }
  }

  /// Checks whether a body must run. Returns the result of the step if it need not, or nil if it must.
  private func look(
    _ beforehand: StartInputs.Beforehand, _ start: Start, _ outputs: inout ValueObject
  ) -> Ending? {
    switch beforehand {
    case .problem(let problem): return .failure(problem, isRetryable: false)
    case .check(let check):
      recordTurns.begin(start.step, attempt: Int(start.attempt))
      let result = decided(check.result(recentStates, at: clock.now), check, start.step)
      for note in check.notes { warnOnce(note) }
      if case .fails(let failure) = result { return .failure(hidden(failure), isRetryable: false) }
      if let failure = claimProducts(check, of: start.step) { return .failure(failure, isRetryable: false) }
      switch result {
      case .runs, .fails: return nil
      case .upToDate(let kept):
        keepProducts(of: start.step, check)
        noteTemporaries(of: start.step, check)
        outputs = kept
        return .upToDate
      }
    }
  }

  /// Runs a body in a task. If `startsHere` is true, this thread runs the task until the task first waits, because most
  /// bodies take less time than a switch of threads. Returns the result of a body that did not wait. Otherwise returns
  /// nil, and the task reports the end of the body.
  func run(
    _ body: StepBodies.InTask, _ start: Start, _ context: ActionContext, pool: Pool, startsHere: Bool
  ) -> (Ending, ValueObject)? {
    let (step, attempt) = (start.step, Int(start.attempt))
    let end = startsHere && !body.isService ? BodyEnd() : nil
    let task = Self.task(pool.qualityOfService?.taskPriority ?? .userInitiated, startsHere: startsHere) { [self] in
      // A body that starts on this thread has been checked before its task was created.
      if pool == Pool.remote, let beforehand = start.inputs?.beforehand {
        var outputs = ValueObject()
        if let ending = look(beforehand, start, &outputs) { return complete(start, ending, outputs) }
      }
      recentStates.end()
      do {
        let outputs = try await body.call(start.inputs?.values ?? ValueObject(), context)
        if pool == Pool.remote { await awaitProducts(of: start) }
        var (ending, given) = (Ending.success, outputs)
        if start.inputs?.check != nil, let failure = noteSuccess(start, outputs) {
          noteFailure(start)
          (ending, given) = (failure, [:])
        }
        if end?.keep(ending, given) != true { complete(start, ending, given) }
      } catch {
        noteFailure(start)
        let ending = ending(of: error, start)
        if end?.keep(ending, [:]) != true { complete(start, ending, [:]) }
      }
    }
    if let end = end?.take() {
      cancellations.forget(step, attempt: attempt)
      return end
    }
    // The body may have ended by now, or the attempt may have been cancelled.
    withPlan { state in
      if state.plan.isRunning(step, attempt: attempt) {
        state.tasks[RunState.taskKey(step, attempt)] = task
      }
    }
    if cancellations.isCancelled(step, attempt: attempt) { task.cancel() }
    return nil
  }

  private static func task(
    _ priority: TaskPriority, startsHere: Bool, _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    #if compiler(>=6.2)
      if startsHere, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return .immediate(priority: priority, operation: operation)
      }
    #endif
    return Task(priority: priority, operation: operation)
  }

  /// Handles the end of a body whose task has continued on another thread.
  private func complete(_ start: Start, _ ending: Ending, _ outputs: ValueObject) {
    let aftermath = withPlan { state in
      state.tasks[RunState.taskKey(start.step, Int(start.attempt))] = nil
      take(ending, outputs, of: start, &state, at: state.instant(clock.now))
      return carryOut(&state)
    }
    cancellations.forget(start.step, attempt: Int(start.attempt))
    perform(aftermath)
  }

  /// Reports the end of a body to the plan. Stores its outputs if the attempt still counts.
  func take(_ ending: Ending, _ outputs: ValueObject, of start: Start, _ state: inout RunState, at now: Int) {
    var ending = isGuarded ? endingUnderLease(ending, of: start, &state) : ending
    if !outputs.isEmpty, ending == .success || ending == .upToDate, takesOutputs(of: start, state.plan) {
      if let failure = refusal(of: recordable(outputs, of: instances.owner(of: start.step), state), start) {
        ending = .failure(failure, isRetryable: false)
      } else if instances.item(of: start.step) == nil {
        keep(outputs, of: start.step, &state)
      } else if !keep(outputs, ofItem: start.step, &state) {
        ending = .failure(
          StepFailure(
            code: "output-too-large",
            message: "the outputs of all items together are larger than \(Limits.fanOutOutputBytes >> 20) MiB"),
          isRetryable: false)
      }
    }
    if !state.products.isEmpty, ending != .success, ending != .upToDate { state.products[start.step] = nil }
    state.plan.apply(.ended(start.step, attempt: Int(start.attempt), ending), at: now)
    if hasTemporaries, ending == .success || ending == .upToDate, instances.item(of: start.step) == nil {
      removeTemporariesSoon(at: now)
    }
  }

  /// Returns a failure if the outputs are too large or contain a secret that cannot be hidden; otherwise nil.
  func refusal(of outputs: ValueObject, _ start: Start) -> StepFailure? {
    let limit = prepared.action(of: instances.owner(of: start.step)).declaration.outputLimitBytes
    if Value.object(outputs).exceeds(bytes: limit) {
      return StepFailure(code: "output-too-large", message: "the outputs are larger than \(limit >> 20) MiB")
    }
    return mask?.spreadSecret(in: outputs).map { .spreadSecret($0) }
  }

  /// True if the outputs of a body count, because the plan waits for the attempt, or because the body is a service that
  /// reports the number of calls it has made.
  private func takesOutputs(of start: Start, _ plan: Plan) -> Bool {
    let attempt = Int(start.attempt)
    if plan.isAwaiting(start.step, attempt: attempt) { return true }
    if instances.item(of: start.step) != nil { return false }
    return prepared.detail(of: start.step)?.call != nil && plan.isServing(start.step, attempt: attempt)
  }

  /// Returns the result of an attempt whose body threw `error`, with secrets hidden.
  func ending(of error: any Error, _ start: Start) -> Ending {
    let ending = meaning(of: error, start)
    if mask == nil { return ending }
    switch ending {
    case .failure(let failure, let isRetryable, let pause):
      return .failure(hidden(failure), isRetryable: isRetryable, retryAfterNanoseconds: pause)
    case .interrupted(let failure, let isFinal): return .interrupted(hidden(failure), isFinal: isFinal)
    case .success, .upToDate, .cancelled: return ending
    }
  }

  private func meaning(of error: any Error, _ start: Start) -> Ending {
    if error is CancellationError, cancellations.isCancelled(start.step, attempt: Int(start.attempt)) {
      return .cancelled
    }
    switch error {
    case let error as ExecutorLost:
      if error.isOfMachine { machineLosses.withLock { $0[start.step, default: 0] += 1 } }
      let failure = StepFailure(code: ExecutorLost.code, message: error.message)
      let reason: RetryReasons.Reason = error.isTimeUp ? .timedOut : error.isOutOfMemory ? .outOfMemory : .lost
      switch retryReasons(of: start)?.allow(reason, code: failure.code) {
      case true?: return .failure(failure, isRetryable: true)
      case false?: return .interrupted(failure, isFinal: true)
      case nil:
        return error.isTimeUp ? .failure(failure, isRetryable: true) : .interrupted(failure, isFinal: error.isFinal)
      }
    case let error as ActionError:
      let declared = prepared.action(of: instances.owner(of: start.step)).declaration.errors.first {
        $0.code == error.code
      }?.isRetryable
      let verdict = retryReasons(of: start)?.allow(
        error.isKilled ? .killed : .failed, code: error.code, status: error.exitStatus)
      return .failure(
        StepFailure(code: error.code, message: error.message),
        isRetryable: verdict ?? error.isRetryable ?? declared ?? true,
        retryAfterNanoseconds: error.retryAfter?.nanoseconds ?? 0)
    case let error as TypeMismatch:
      return .failure(
        StepFailure(code: "input", message: "input \(error.description)" + (error.help.map { "; \($0)" } ?? "")),
        isRetryable: false)
    default:
      return .failure(
        StepFailure(code: "error", message: "\(error)"),
        isRetryable: retryReasons(of: start)?.allow(.failed, code: "error") ?? true)
    }
  }

  func retryReasons(of start: Start) -> RetryReasons? {
    prepared.graph.workflow.steps[Int(instances.owner(of: start.step))].options.retry?.reasons
  }
}

/// Passes the result of a body from its task to the thread that started the task, if that thread is still waiting.
private final class BodyEnd: Sendable {
  private enum State {
    case runs, continuesAlone
    case ended(Ending, ValueObject)
  }

  private let state = Mutex(State.runs)

  /// Stores the result. Returns false if the thread no longer waits for it.
  func keep(_ ending: Ending, _ outputs: ValueObject) -> Bool {
    state.withLock { state in
      guard case .runs = state else { return false }
      state = .ended(ending, outputs)
      return true
    }
  }

  /// Returns the result, or nil if the body is still running. In that case, the thread no longer waits for it.
  func take() -> (Ending, ValueObject)? {
    state.withLock { state in
      if case .ended(let ending, let outputs) = state { return (ending, outputs) }
      state = .continuesAlone
      return nil
    }
  }
}
