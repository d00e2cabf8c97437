import FlowExpressions
import FlowModel
import FlowPluginKit

// Some services call an action for each post of a repeating event (`flow.on`).
extension WorkflowRun {
  /// Adds all posts of an event to `posts`, including those already made.
  package func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int) {
    state.withLock { state in
      for var post in state.plan.posts(of: event) {
        post.value = state.eventValues.value(of: event, number: post.number)
        posts.add(post)
      }
      state.followers.append(RunState.Follower(event: event, posts: posts, step: step))
    }
    onCancel(step, attempt: attempt) { [self] in
      wake(after: .nanoseconds(options.lastCallsNanoseconds)) { [self] in
        posts.dropAll()
        currentCall(of: step)?.end(because: "the run ended before the call did")
      }
    }
  }

  /// Calls the action that the step's inputs name, for one post, and returns the action's outputs.
  package nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject {
    guard let call = prepared.detail(of: step)?.call, let action = call.action else {
      throw ActionError("no-action", "there is no action to call", isRetryable: false)
    }
    let inputs = try inputs(of: call, action, for: post, step)
    let host = CalledActionHost(
      self, name: call.name, post: post.number, endsAtNanoseconds: clock.now + limit.nanoseconds)
    let result = OneShot<Result<ValueObject, any Error>>()
    setCurrentCall(of: step, host)
    defer { setCurrentCall(of: step, nil) }
    host.onCancel(step, attempt: attempt) { [weak host] in
      result.finish(.failure(ActionError("call-timeout", host?.reason ?? "", isRetryable: false)))
    }
    wake(after: limit) { host.end(because: "the call took longer than \(DurationText.format(limit))") }
    start(action, inputs, ActionContext(host: host, step: step, attempt: attempt), result)
    return try await result.wait().get()
  }

  private func inputs(
    of call: PreparedActionCall, _ action: RegisteredAction, for post: EventPost, _ step: StepIndex
  ) throws -> ValueObject {
    try state.withLock { state in
      var scope = scope(step, state)
      scope.post = post
      let given: ValueObject
      do throws(ExpressionError) { given = try call.inputs.evaluate(in: scope) } catch {
        throw ActionError(error.code, "\(call.name): \(error.description)", isRetryable: false)
      }
      return try InputBinding.bind(given, to: action.declaration.inputs, run: information(of: step))
    }
  }

  /// Runs the action on a thread or in a task. If a body waits without its thread, it continues on another one.
  private func start(
    _ action: RegisteredAction, _ inputs: ValueObject, _ context: ActionContext,
    _ result: OneShot<Result<ValueObject, any Error>>
  ) {
    switch action.body {
    case .synchronous(let body):
      runPart(context.step, result) {
        guard let parts = action.bodyInParts else { return .ended(try body(inputs, context)) }
        return try parts.begin(inputs, context, StepThread(isWanted: { false }))
      }
    case .asynchronous(let body):
      let task = Task {
        do {
          result.finish(.success(try await body(inputs, context)))
        } catch {
          result.finish(.failure(error))
        }
      }
      context.onCancel { task.cancel() }
    case .service:
      result.finish(.failure(ActionError("no-action", "a service cannot be called", isRetryable: false)))
    }
  }

  /// Runs a part of a called body on a thread of the step's pool.
  private func runPart(
    _ step: StepIndex, _ result: OneShot<Result<ValueObject, any Error>>,
    _ part: @escaping @Sendable () throws -> BodyInParts.Progress
  ) {
    let quality = state.withLock { $0.plan.pool(of: step).qualityOfService } ?? .userInitiated
    let refuse: @Sendable () -> Void = {
      result.finish(
        .failure(ActionError("no-thread", "the system cannot create a thread for the call", isRetryable: true)))
    }
    let hasThread = threads.run(quality, refusedLater: refuse) { [self] in
      do {
        switch try releasingObjects(part) {
        case .ended(let outputs): result.finish(.success(outputs))
        case .waits(let start, let next): start { [self] in runPart(step, result, next) }
        }
      } catch {
        result.finish(.failure(error))
      }
    }
    if !hasThread { refuse() }
  }

  private func currentCall(of step: StepIndex) -> CalledActionHost? {
    state.withLock { $0.followers.first { $0.step == step }?.call }
  }

  private func setCurrentCall(of step: StepIndex, _ call: CalledActionHost?) {
    state.withLock { state in
      guard let index = state.followers.firstIndex(where: { $0.step == step }) else { return }
      state.followers[index].call = call
    }
  }
}
