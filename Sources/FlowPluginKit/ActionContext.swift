import FlowModel

/// An action's access to its run, besides its inputs.
///
/// A context may be passed to other threads. Calls after the step has ended have no effect.
public struct ActionContext: Sendable {
  /// The run.
  public let host: any ActionHost
  /// The number of the step in the run.
  public package(set) var step: StepIndex
  /// The number of the attempt, from 1.
  public package(set) var attempt: Int

  /// Makes the context of one attempt of a step. Used by engines and test hosts.
  public init(host: any ActionHost, step: StepIndex, attempt: Int) {
    self.host = host
    self.step = step
    self.attempt = attempt
  }

  /// The id of the step.
  public var stepID: StepID { host.stepID(of: step) }

  /// The run as seen by this step. ``RunInformation/workflowFolder`` is the folder of the step's own file, which may be
  /// an included one.
  public var run: RunInformation {
    var run = host.run
    run.workflowFolder = host.workflowFolder(of: step)
    return run
  }

  /// A key that is the same for every attempt of the step, including those after a resume, and unique to it:
  /// `run/step`, followed by `~n` once a success was discarded `n` times to run the step again on purpose. For systems
  /// that perform an operation once per key.
  public var idempotencyKey: String { host.idempotencyKey(of: step) }

  /// The environment variables for child processes: those of the workflow and the step, and the identity of the attempt
  /// in `FLOWRUN_RUN`, `FLOWRUN_STEP`, `FLOWRUN_ATTEMPT` and `FLOWRUN_KEY`, with `TRACEPARENT` if the run is traced.
  public var environment: [String: String] {
    var variables = host.environment(of: step)
    variables.reserveCapacity(variables.count + 4)
    variables["FLOWRUN_RUN"] = host.run.id
    variables["FLOWRUN_STEP"] = stepID.text
    variables["FLOWRUN_ATTEMPT"] = String(attempt)
    variables["FLOWRUN_KEY"] = idempotencyKey
    if let traceparent = host.traceparent(of: step, attempt: attempt) { variables["TRACEPARENT"] = traceparent }
    return variables
  }

  /// The variables of this process that children do not inherit, because the workflow's secrets come from them.
  public var withheldVariables: Set<String> { host.withheldVariables }

  /// True if the run has secrets, which are neither shown nor recorded.
  package var hasSecrets: Bool { host.hasSecrets }

  /// True if a string in the value contains one of the run's secrets, encoded or not. Such a value must not be written
  /// to disk.
  public func holdsSecret(_ value: Value) -> Bool { host.holdsSecret(value) }

  /// Withholds the outputs of this step that ``ActionOutput/withheld`` names, because they came from a secret: other steps
  /// read them, but the run store and the report do not have their texts and numbers, which are null after a resume. From now
  /// on, also hides each of `texts` that has 8 or more bytes wherever the run shows or records it.
  public func withholdOutputs(hiding texts: [String]) { host.withholdOutputs(hiding: texts, step: step) }

  /// The time left until the step's deadline, never below zero; nil: no deadline.
  public var remaining: Duration? { host.remaining(of: step, attempt: attempt) }

  /// True if the step was cancelled or timed out. An action that works for long checks it from time to time.
  public var isCancelled: Bool { host.isCancelled(step, attempt: attempt) }

  /// Throws `CancellationError` if the step was cancelled or timed out.
  public func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Calls `handler` once, on any thread, when the step is cancelled or times out; at once if that has happened.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    host.onCancel(step, attempt: attempt, handler)
  }

  /// Waits on the run's clock without holding a thread. Throws `CancellationError` as soon as the step is cancelled.
  public nonisolated(nonsending) func sleep(for duration: Duration) async throws {
    try checkCancellation()
    let wake = OneShot<Result<Void, any Error>>()
    host.wake(after: duration, step: step, attempt: attempt) { wake.finish(.success(())) }
    onCancel { wake.finish(.failure(CancellationError())) }
    try await withTaskCancellationHandler {
      try await wake.wait().get()
    } onCancel: {
      wake.finish(.failure(CancellationError()))
    }
  }

  /// Writes a line to the run's log. Lines over 64 KiB are cut.
  public func log(_ message: @autoclosure () -> String, level: LogLevel = .info) {
    host.log(message(), level: level, step: step)
  }

  /// Writes lines of a program's output to the run's log, unless the step is quiet. Lines over 64 KiB are cut.
  public func log(_ lines: [String], from stream: LogStream) { host.log(lines, from: stream, step: step) }

  /// Shows an unfinished line of a program's output to programs that watch the run. The log gets the line once it ends.
  package func showUnfinished(_ line: String, from stream: LogStream) {
    host.showUnfinished(line, from: stream, step: step)
  }

  /// Reports the time that the body needs to end, counted from now, after it was asked to.
  package func needsTimeToEnd(_ time: Duration) { host.needsTimeToEnd(time, step: step, attempt: attempt) }

  /// Reports that the body has started on another machine. The step's deadline counts from then on.
  package func begun() { host.begun(step, attempt: attempt) }

  /// Reports the progress of the step: `fraction` from 0 to 1, with a message.
  public func progress(_ fraction: Double, _ message: String = "") {
    host.progress(fraction, message, step: step)
  }

  /// Posts an event. Throws if the action did not declare it or the run has had its 10,000 posts.
  public func post(_ event: String) throws { try host.post(event, step: step) }

  /// Posts an event with a value of at most 64 KiB, which steps read as `events.NAME.value` or `item.value`. Also
  /// throws if the value does not fit the event's declaration.
  public func post(_ event: String, value: Value) throws { try host.post(event, value: value, step: step) }

  /// Reports that one more thing is expected from outside, or with -1 that it has arrived and been handled. Services
  /// whose events come from outside continue until then.
  public func expectFromOutside(_ change: Int) { host.expectFromOutside(change) }

  /// Reports that a post of an event followed by the step has been handled.
  public func handledPost() { host.handledPost(of: step) }

  /// Returns the handle that an earlier step provided, or that a plugin provides to every run.
  ///
  /// ```swift
  /// let store: any KeyValueStore = try context.handle(.keyValueStore)
  /// ```
  /// Throws an ``ActionError`` `handle-missing` if there is none and `handle-type` if it has another type.
  public func handle<Handle>(_ key: HandleKey, as type: Handle.Type = Handle.self) throws -> Handle {
    guard let handle = host.handle(key, step: step) else {
      throw ActionError("handle-missing", "no step before '\(stepID)' provides '\(key)'", isRetryable: false)
    }
    guard let typed = handle as? Handle else {
      throw ActionError(
        "handle-type", "the handle '\(key)' is not a \(type) but a \(Swift.type(of: handle))", isRetryable: false)
    }
    return typed
  }

  /// Makes a handle available to the steps after this one.
  ///
  /// `close` is called at the end of the run, in reverse order of provision, and has one second to finish. A retried
  /// step's handle replaces its earlier one, which is closed at once.
  public func provide(_ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void = {}) {
    host.provide(key, handle, close: close, step: step, attempt: attempt)
  }

  /// The run and the step for `flowrun answer`: the end of the run's id, and the step.
  public var questionAddress: String { host.questionAddress(of: step) }

  /// Adds each post of a repeating event to `posts`, starting with earlier ones. No posts are added once the step must
  /// end.
  public func follow(_ event: String, into posts: PostQueue) {
    onCancel { posts.finish() }
    host.follow(event, into: posts, step: step, attempt: attempt)
  }

  /// Calls the action named by this step's inputs (`ActionDeclaration.calls`) for one post and returns its outputs.
  /// Rethrows its error, or throws an ``ActionError`` `call-timeout` if it takes longer than `limit`. Its log lines and
  /// handles are those of this step. It cannot post events or provide handles.
  public nonisolated(nonsending) func call(for post: EventPost, within limit: Duration) async throws -> ValueObject {
    try await host.call(for: post, within: limit, step: step, attempt: attempt)
  }

  /// Reports a service as ready, with its outputs. Its dependents continue while it runs on. Only the first call
  /// counts.
  public func ready(_ output: some ActionOutput) { host.ready(output.values, step: step, attempt: attempt) }
}

/// The importance of a log line.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
  case debug, info, warning, error
}

/// The output of a program that a log line came from.
public enum LogStream: String, Sendable, Hashable, CaseIterable {
  case standardOutput = "stdout"
  case standardError = "stderr"
}

/// The identity of a run and its folders.
public struct RunInformation: Sendable {
  /// A lowercase UUID, unique for each run.
  public var id: String
  /// The absolute path of the data folder, which exists.
  public var dataFolder: String
  /// The absolute path of the workflow file's folder, to which paths in the file are relative.
  public var workflowFolder: String

  /// Describes a run.
  public init(id: String, dataFolder: String, workflowFolder: String) {
    self.id = id
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// The engine's side of an ``ActionContext``. Plugin authors do not use it.
public protocol ActionHost: AnyObject, Sendable {
  /// The run. Its folder is that of the started file.
  var run: RunInformation { get }
  /// Returns the absolute path of the folder of the file that contains a step.
  func workflowFolder(of step: StepIndex) -> String
  /// The launch of the application, with defaults before activation.
  var launch: Launch { get }
  /// Returns the id of a step.
  func stepID(of step: StepIndex) -> StepID
  /// Returns the variables of workflow and step.
  func environment(of step: StepIndex) -> [String: String]
  /// Returns the W3C trace context of an attempt, or nil if it has none of its own.
  func traceparent(of step: StepIndex, attempt: Int) -> String?
  /// The variables of this process that children do not inherit.
  var withheldVariables: Set<String> { get }
  /// True if the run has secrets, which are neither shown nor recorded.
  var hasSecrets: Bool { get }
  /// True if a value contains a secret.
  func holdsSecret(_ value: Value) -> Bool
  /// Withholds the outputs of a step that its action declares so, and hides texts.
  func withholdOutputs(hiding texts: [String], step: StepIndex)
  /// What is the same for all attempts of the step.
  func idempotencyKey(of step: StepIndex) -> String
  /// Returns the time until the deadline of the step or this attempt, or nil if there is none.
  func remaining(of step: StepIndex, attempt: Int) -> Duration?
  /// True if this attempt must end.
  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool
  /// Calls the handler once this attempt must end.
  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
  /// Writes a log line.
  func log(_ message: String, level: LogLevel, step: StepIndex)
  /// Writes lines of a program's output, unless the step is quiet.
  func log(_ lines: [String], from stream: LogStream, step: StepIndex)
  /// Writes lines of a plugin's program that worked for several steps at once, so that the step is unknown.
  func log(_ lines: [String], from stream: LogStream, plugin: String)
  /// True if the output of the step's programs is shown.
  func showsOutput(of step: StepIndex) -> Bool
  /// True if unfinished lines are shown.
  var showsUnfinishedLines: Bool { get }
  /// Shows an unfinished line of the step's program.
  func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex)
  /// True if the log accepts more lines now. Programs that write many lines wait while it does not.
  var hasLogRoom: Bool { get }
  /// Records the time that the body of this attempt needs to end, counted from now.
  func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int)
  /// Records the progress of the step.
  func progress(_ fraction: Double, _ message: String, step: StepIndex)
  /// Posts an event. Throws if that is not allowed.
  func post(_ event: String, step: StepIndex) throws
  /// Posts an event with a value. Throws if that is not allowed.
  func post(_ event: String, value: Value, step: StepIndex) throws
  /// Changes the number of things expected from outside by 1 or -1.
  func expectFromOutside(_ change: Int)
  /// Records that a post followed by the step has been handled.
  func handledPost(of step: StepIndex)
  /// Returns the handle with this key, or nil.
  func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)?
  /// Makes a handle available.
  func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int)
  /// Records that the body of this attempt has started on another machine.
  func begun(_ step: StepIndex, attempt: Int)
  /// Reports a service ready.
  func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int)
  /// Adds each post of a repeating event to `posts`, from the first on.
  func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int)
  /// Calls the action named by the step's inputs, for one post.
  nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject
  /// Asks a person. Calls the handler once, on any thread, with the answer.
  func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void)
  /// Returns the id of the asking step for `flowrun answer`.
  func questionAddress(of step: StepIndex) -> String
  /// Withdraws the step's question.
  func withdrawQuestion(of step: StepIndex, attempt: Int)
  /// Calls the handler once, on any thread, after this much time on the run's clock.
  func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void)
  /// Calls the handler after this much time, for the body of an attempt that does nothing else meanwhile.
  func wake(after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
}

extension ActionHost {
  /// Nil, for hosts without traces.
  public func traceparent(of step: StepIndex, attempt: Int) -> String? { nil }

  /// Empty, for hosts without secrets.
  public var withheldVariables: Set<String> { [] }

  /// False, for hosts without secrets.
  public var hasSecrets: Bool { false }

  /// False, for hosts without secrets.
  public func holdsSecret(_ value: Value) -> Bool { false }

  /// Nothing, for hosts that record no outputs.
  public func withholdOutputs(hiding texts: [String], step: StepIndex) {}

  /// The run's, for hosts whose steps are all written in one file.
  public func workflowFolder(of step: StepIndex) -> String { run.workflowFolder }

  /// Run and step, for hosts that do not resume runs.
  public func idempotencyKey(of step: StepIndex) -> String { "\(run.id)/\(stepID(of: step))" }

  /// Does nothing, for hosts that run all steps themselves.
  public func begun(_ step: StepIndex, attempt: Int) {}

  /// True, for hosts that keep every line.
  public func showsOutput(of step: StepIndex) -> Bool { true }

  /// False, for hosts with a log of complete lines.
  public var showsUnfinishedLines: Bool { false }

  /// Does nothing, for hosts with a log of complete lines.
  public func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {}

  /// Does nothing, for hosts that wait for every body.
  public func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int) {}

  /// True, for hosts with an unlimited log.
  public var hasLogRoom: Bool { true }

  /// Posts the event without the value, for hosts whose events have none.
  public func post(_ event: String, value: Value, step: StepIndex) throws { try post(event, step: step) }

  /// Does nothing, for hosts that expect nothing from outside.
  public func expectFromOutside(_ change: Int) {}

  /// Does nothing, for hosts without events.
  public func handledPost(of step: StepIndex) {}

  /// Does nothing, for hosts without events.
  public func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int) {}

  /// The end of the run's id, and the step.
  public func questionAddress(of step: StepIndex) -> String { "\(run.id.suffix(8)) \(stepID(of: step))" }

  /// Never answers, for hosts that reach no person.
  public func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {}

  /// Does nothing, for hosts that reach no person.
  public func withdrawQuestion(of step: StepIndex, attempt: Int) {}

  /// Throws, for hosts without other actions.
  public nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject {
    throw ActionError("no-action", "there is no other action to call here", isRetryable: false)
  }

  /// Wakes like any caller, for hosts that do not track which body waits.
  public func wake(
    after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void
  ) {
    wake(after: delay, handler)
  }

  /// Uses the system's clock, for hosts without a clock of their own.
  public func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    Task {
      try? await Task.sleep(for: delay)
      handler()
    }
  }
}

extension ActionContext {
  /// The launch of the application.
  public var launch: Launch { host.launch }
}
