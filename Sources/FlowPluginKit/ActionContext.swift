import FlowModel

/// An action's access to its run: the log, events, handles and cancellation.
///
/// A context may be used on any thread. After the end of the step, calls have no effect.
public struct ActionContext: Sendable {
  /// The engine that runs the step, or a test host.
  package let host: any ActionHost
  /// The index of the step or item in the run.
  package var step: StepIndex
  /// The number of the attempt, counted from 1.
  public package(set) var attempt: Int

  /// Creates the context of an attempt. Only engines and test hosts need it.
  package init(host: any ActionHost, step: StepIndex, attempt: Int) {
    self.host = host
    self.step = step
    self.attempt = attempt
  }

  /// The id of the step, with the index of the item if there is one.
  public var stepID: StepID { host.stepID(of: step) }

  /// The run's id and folders. ``RunInformation/workflowFolder`` is the folder of the file that contains the step,
  /// which may be an included file.
  public var run: RunInformation {
    var run = host.run
    run.workflowFolder = host.workflowFolder(of: step)
    return run
  }

  /// A key for external services that perform an operation at most once per key. It is unique to the step and the same
  /// for all of its attempts, even after a resume. Its form is `run/step`, followed by `~n` after a success of the step
  /// was discarded `n` times.
  public var idempotencyKey: String { host.idempotencyKey(of: step) }

  /// The environment variables for a child process: those of the workflow and the step, `FLOWRUN_RUN`, `FLOWRUN_STEP`,
  /// `FLOWRUN_ATTEMPT` and `FLOWRUN_KEY`, and `TRACEPARENT` if the run is traced.
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

  /// The names of this process's variables that must not be passed to child processes, because they contain secrets of
  /// the workflow.
  package var withheldVariables: Set<String> { host.withheldVariables }

  /// True if the run has secrets, which are hidden in everything that is shown or recorded.
  package var hasSecrets: Bool { host.hasSecrets }

  /// True if a string in the value contains a secret of the run, unencoded or encoded. Such a value must not be written
  /// to disk.
  package func holdsSecret(_ value: Value) -> Bool { host.holdsSecret(value) }

  /// Withholds the outputs named in ``ActionOutput/withheld``, because they are derived from a secret. Other steps can
  /// read them. The run store and the report omit their strings and numbers, and after a resume they are null. From now
  /// on, each of `texts` with at least 8 bytes is hidden in everything that the run shows or records.
  package func withholdOutputs(hiding texts: [String]) { host.withholdOutputs(hiding: texts, step: step) }

  /// The time until this attempt, its step or its fan-out times out, at least zero, or nil if there is no limit.
  public var remaining: Duration? { host.remaining(of: step, attempt: attempt) }

  /// True if the step was cancelled or timed out. An action that runs for a long time should check this regularly.
  public var isCancelled: Bool { host.isCancelled(step, attempt: attempt) }

  /// Throws a `CancellationError` if the step was cancelled or timed out.
  public func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Calls `handler` once when the step is cancelled or times out, or immediately if that has already happened. The
  /// handler may be called on any thread.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    host.onCancel(step, attempt: attempt, handler)
  }

  /// Suspends the action for `duration` on the run's clock, without occupying a thread. Throws a `CancellationError` as
  /// soon as the step is cancelled.
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

  /// Adds a message to the run's log. Messages longer than 64 KiB are cut off.
  public func log(_ message: @autoclosure () -> String, level: LogLevel = .info) {
    host.log(message(), level: level, step: step)
  }

  /// Adds a program's output lines to the run's log, unless the step is quiet. Lines longer than 64 KiB are cut off.
  public func log(_ lines: [String], from stream: LogStream) { host.log(lines, from: stream, step: step) }

  /// Adds a program's output lines to the run's log, unless the step is quiet. Lines longer than 64 KiB are cut off.
  package func log(_ lines: PrintedLines, from stream: LogStream) { host.log(lines, from: stream, step: step) }

  /// Shows an incomplete output line of a program in live views. It must be logged when it is complete.
  package func showUnfinished(_ line: String, from stream: LogStream) {
    host.showUnfinished(line, from: stream, step: step)
  }

  /// Extends the grace period of a body that was asked to end and needs `time` from now on.
  package func needsTimeToEnd(_ time: Duration) { host.needsTimeToEnd(time, step: step, attempt: attempt) }

  /// Reports that the body has started on another machine. The deadline of the step counts from now on.
  package func begun() { host.begun(step, attempt: attempt) }

  /// Reports the progress of the step. `fraction` is from 0 to 1.
  public func progress(_ fraction: Double, _ message: String = "") {
    host.progress(fraction, message, step: step)
  }

  /// Posts an event. Throws an error if the action does not declare the event, or if the run has already posted 10,000
  /// events.
  public func post(_ event: String) throws { try host.post(event, step: step) }

  /// Posts an event with a value of at most 64 KiB, which steps read as `events.NAME.value` or `item.value`. In
  /// addition to the errors of ``post(_:)``, throws one if the value does not match the declaration of the event.
  public func post(_ event: String, value: Value) throws { try host.post(event, value: value, step: step) }

  /// Changes the number of events that are expected from outside the run: +1 for an additional one, −1 for one that has
  /// arrived and been handled. While the number is above zero, services that post events from outside the run keep
  /// running.
  package func expectFromOutside(_ change: Int) { host.expectFromOutside(change) }

  /// Reports that the step, which follows an event, has handled one of its posts.
  package func handledPost() { host.handledPost(of: step) }

  /// Returns a handle that an upstream step or a plugin provides.
  ///
  /// ```swift
  /// let store: any KeyValueStore = try context.handle(.keyValueStore)
  /// ```
  /// Throws an ``ActionError`` with the code `handle-missing` if nothing provides the handle, or `handle-type` if it
  /// has another type.
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

  /// Provides a handle to downstream steps.
  ///
  /// At the end of the run, handles are closed in reverse order by calling `close`, which may take 1 s for each of
  /// them. If the step runs again, its new handle replaces the earlier one, which is closed immediately.
  public func provide(_ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void = {}) {
    host.provide(key, handle, close: close, step: step, attempt: attempt)
  }

  /// The arguments of `flowrun answer` for this step: the end of the run's id, and the id of the step.
  package var questionAddress: String { host.questionAddress(of: step) }

  /// Adds each post of a repeating event to `posts`, starting with earlier posts. No post is added after the step is
  /// cancelled.
  package func follow(_ event: String, into posts: PostQueue) {
    onCancel { posts.finish() }
    host.follow(event, into: posts, step: step, attempt: attempt)
  }

  /// Handles a post by calling the action that inputs of this step name (`ActionDeclaration.calls`), and returns its
  /// outputs. Throws the action's error, or an ``ActionError`` with the code `call-timeout` if the call takes longer
  /// than `limit`. The action's log lines appear as those of this step. It cannot post events, and the handles that it
  /// provides are closed.
  package nonisolated(nonsending) func call(for post: EventPost, within limit: Duration) async throws -> ValueObject {
    try await host.call(for: post, within: limit, step: step, attempt: attempt)
  }

  /// Reports that a service is ready, with its outputs. Dependents can start while the service continues to run. Later
  /// calls have no effect.
  public func ready(_ output: some ActionOutput) { host.ready(output.values, step: step, attempt: attempt) }
}

/// The severity of a log message.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
  case debug, info, warning, error
}

/// The stream of a program to which an output line was written.
public enum LogStream: String, Sendable, Hashable, CaseIterable {
  case standardOutput = "stdout"
  case standardError = "stderr"
}

/// The id and the folders of a run.
public struct RunInformation: Sendable {
  /// The run's id, a UUID in lower case.
  public var id: String
  /// The absolute path of the run's data folder, which exists.
  public var dataFolder: String
  /// The absolute path of the folder that contains the workflow file. Paths in the file are relative to it.
  public var workflowFolder: String

  /// Creates the id and folders of a run. Only engines and test hosts need it.
  package init(id: String, dataFolder: String, workflowFolder: String) {
    self.id = id
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// The part of an engine that ``ActionContext`` uses. Plugins do not call it.
package protocol ActionHost: AnyObject, Sendable {
  /// The run's id and folders. Its workflow folder is that of the started workflow.
  var run: RunInformation { get }
  /// Returns the absolute path of the folder that contains the step's file.
  func workflowFolder(of step: StepIndex) -> String
  /// The launch of the app. It has default values until the run is activated.
  var launch: Launch { get }
  /// Returns the id of the step or item with an index.
  func stepID(of step: StepIndex) -> StepID
  /// Returns the environment variables that the workflow and the step declare.
  func environment(of step: StepIndex) -> [String: String]
  /// Returns the W3C trace context of an attempt, or nil if the run is not traced.
  func traceparent(of step: StepIndex, attempt: Int) -> String?
  /// The names of this process's variables that must not be passed to child processes.
  var withheldVariables: Set<String> { get }
  /// True if the run has secrets, which must be hidden.
  var hasSecrets: Bool { get }
  /// True if a string in the value contains a secret of the run.
  func holdsSecret(_ value: Value) -> Bool
  /// Withholds the outputs that the step's action declares as withheld, and hides `texts`.
  func withholdOutputs(hiding texts: [String], step: StepIndex)
  /// Returns the idempotency key, which is the same for all attempts of the step.
  func idempotencyKey(of step: StepIndex) -> String
  /// Returns the time until the deadline of the step or the attempt, or nil if there is none.
  func remaining(of step: StepIndex, attempt: Int) -> Duration?
  /// True if the attempt has been asked to end.
  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool
  /// Calls the handler once when the attempt is asked to end, or immediately if it has been.
  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
  /// Adds a message to the log of the run.
  func log(_ message: String, level: LogLevel, step: StepIndex)
  /// Logs output lines of a program, unless they would be neither shown nor recorded.
  func log(_ lines: [String], from stream: LogStream, step: StepIndex)
  /// Logs output lines that a program wrote together, unless the step is quiet.
  func log(_ lines: PrintedLines, from stream: LogStream, step: StepIndex)
  /// Logs output lines of a plugin's program, when it is unknown which of several steps they belong to.
  func log(_ lines: [String], from stream: LogStream, plugin: String)
  /// True if the output of the step is shown or recorded.
  func showsOutput(of step: StepIndex) -> Bool
  /// True if a live view shows incomplete output lines.
  var showsUnfinishedLines: Bool { get }
  /// Shows an incomplete output line of a program.
  func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex)
  /// False if the log cannot accept more lines at the moment. Programs that print are then blocked.
  var hasLogRoom: Bool { get }
  /// Extends the grace period of an attempt that was asked to end.
  func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int)
  /// Reports the progress of a step.
  func progress(_ fraction: Double, _ message: String, step: StepIndex)
  /// Posts an event. Throws an error if the step may not post it.
  func post(_ event: String, step: StepIndex) throws
  /// Posts an event with a value. Throws an error if the step may not post it.
  func post(_ event: String, value: Value, step: StepIndex) throws
  /// Adds `change`, 1 or −1, to the number of events that are expected from outside the run.
  func expectFromOutside(_ change: Int)
  /// Records that a step has handled a post of the event that it follows.
  func handledPost(of step: StepIndex)
  /// Returns the handle with this key that the step may use, or nil if there is none.
  func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)?
  /// Provides a handle to downstream steps.
  func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int)
  /// Records that the body of an attempt has started on another machine.
  func begun(_ step: StepIndex, attempt: Int)
  /// Reports that a service is ready, with its outputs.
  func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int)
  /// Adds each post of a repeating event to `posts`, starting with earlier posts.
  func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int)
  /// Handles a post by calling the action that inputs of the step name.
  nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject
  /// Asks a person a question, and calls the handler once with the answer, on any thread.
  func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void)
  /// Returns the arguments of `flowrun answer` that select the step.
  func questionAddress(of step: StepIndex) -> String
  /// Withdraws a question that has not been answered.
  func withdrawQuestion(of step: StepIndex, attempt: Int)
  /// Calls the handler once after `delay` on the run's clock, on any thread.
  func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void)
  /// Calls the handler after `delay`, for an attempt whose body does nothing but wait.
  func wake(after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
}

extension ActionHost {
  /// Nil by default, for hosts without tracing.
  package func traceparent(of step: StepIndex, attempt: Int) -> String? { nil }

  /// Empty by default, for hosts without secrets.
  package var withheldVariables: Set<String> { [] }

  /// False by default, for hosts without secrets.
  package var hasSecrets: Bool { false }

  /// False by default, for hosts without secrets.
  package func holdsSecret(_ value: Value) -> Bool { false }

  /// Does nothing by default, for hosts that do not record outputs.
  package func withholdOutputs(hiding texts: [String], step: StepIndex) {}

  /// Returns the run's workflow folder by default, for hosts whose workflows include no others.
  package func workflowFolder(of step: StepIndex) -> String { run.workflowFolder }

  /// Returns the ids of run and step by default, for hosts that do not resume runs.
  package func idempotencyKey(of step: StepIndex) -> String { "\(run.id)/\(stepID(of: step))" }

  /// Does nothing by default, for hosts without executors.
  package func begun(_ step: StepIndex, attempt: Int) {}

  /// Logs the lines one by one by default, for hosts that do not keep lines together.
  package func log(_ lines: PrintedLines, from stream: LogStream, step: StepIndex) {
    log(lines.strings, from: stream, step: step)
  }

  /// True by default, for hosts that keep all lines.
  package func showsOutput(of step: StepIndex) -> Bool { true }

  /// False by default, for hosts that log only complete lines.
  package var showsUnfinishedLines: Bool { false }

  /// Does nothing by default, for hosts that log only complete lines.
  package func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {}

  /// Does nothing by default, for hosts that wait until bodies have ended.
  package func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int) {}

  /// True by default, for hosts whose log is unlimited.
  package var hasLogRoom: Bool { true }

  /// Posts the event without its value by default, for hosts whose events have no values.
  package func post(_ event: String, value: Value, step: StepIndex) throws { try post(event, step: step) }

  /// Does nothing by default, for hosts that expect nothing from outside the run.
  package func expectFromOutside(_ change: Int) {}

  /// Does nothing by default, for hosts without events.
  package func handledPost(of step: StepIndex) {}

  /// Does nothing by default, for hosts without events.
  package func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int) {}

  /// Returns the last eight characters of the run's id and the id of the step by default.
  package func questionAddress(of step: StepIndex) -> String { "\(run.id.suffix(8)) \(stepID(of: step))" }

  /// Does nothing by default, for hosts that cannot ask a person.
  package func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {}

  /// Does nothing by default, for hosts that cannot ask a person.
  package func withdrawQuestion(of step: StepIndex, attempt: Int) {}

  /// Throws an error by default, for hosts without other actions.
  package nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject {
    throw ActionError("no-action", "there is no other action to call here", isRetryable: false)
  }

  /// Calls ``wake(after:_:)`` by default, for hosts without a virtual clock.
  package func wake(
    after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void
  ) {
    wake(after: delay, handler)
  }

  /// Waits on the system's clock by default, for hosts without a separate clock.
  package func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    Task {
      try? await Task.sleep(for: delay)
      handler()
    }
  }
}

extension ActionContext {
  /// The reason for the launch of the app, and its options. It has default values until the run is activated.
  public var launch: Launch { host.launch }
}
