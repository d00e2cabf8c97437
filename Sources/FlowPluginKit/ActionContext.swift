import FlowModel

/// The access of an action to its run.
///
/// A context may be used on any thread. Calls after the end of the step have no effect.
public struct ActionContext: Sendable {
  /// The run.
  package let host: any ActionHost
  /// The index of the step, or of the item's instance, in the run.
  package var step: StepIndex
  /// The number of the attempt, counted from 1.
  public package(set) var attempt: Int

  /// Creates the context of an attempt. Engines and test hosts use it.
  package init(host: any ActionHost, step: StepIndex, attempt: Int) {
    self.host = host
    self.step = step
    self.attempt = attempt
  }

  /// The id of the step.
  public var stepID: StepID { host.stepID(of: step) }

  /// The run, as seen by this step. Its ``RunInformation/workflowFolder`` is the folder of the file with the step,
  /// which may be an included one.
  public var run: RunInformation {
    var run = host.run
    run.workflowFolder = host.workflowFolder(of: step)
    return run
  }

  /// A key for services that perform an operation once per key. It is unique to the step and the same for all of its
  /// attempts, including those after a resume: `run/step`, followed by `~n` after a success of the step was discarded
  /// `n` times.
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

  /// The variables of this process that must not be passed to child processes, because they contain secrets of the
  /// workflow.
  package var withheldVariables: Set<String> { host.withheldVariables }

  /// True if the run has secrets. They are hidden in everything that is shown or recorded.
  package var hasSecrets: Bool { host.hasSecrets }

  /// True if a string in the value contains a secret of the run, plain or encoded. Do not write such a value to disk.
  package func holdsSecret(_ value: Value) -> Bool { host.holdsSecret(value) }

  /// Withholds the outputs named by ``ActionOutput/withheld``, because they are derived from a secret. Other steps can
  /// read them, but their strings and numbers are left out of the run store and the report, and are null after a
  /// resume. From now on, each of `texts` with at least 8 bytes is hidden in everything that the run shows or records.
  package func withholdOutputs(hiding texts: [String]) { host.withholdOutputs(hiding: texts, step: step) }

  /// The time until the deadline of the step, at least zero, or nil if it has none.
  public var remaining: Duration? { host.remaining(of: step, attempt: attempt) }

  /// True if the step was cancelled or timed out. An action that runs for a long time should check it regularly.
  public var isCancelled: Bool { host.isCancelled(step, attempt: attempt) }

  /// Throws `CancellationError` if the step was cancelled or timed out.
  public func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Calls `handler` once when the step is cancelled or times out, or immediately if that has happened. The call may be
  /// made on any thread.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    host.onCancel(step, attempt: attempt, handler)
  }

  /// Suspends the action for `duration` on the run's clock, without occupying a thread. Throws `CancellationError` as
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

  /// Adds a message to the run's log. It is cut after 64 KiB.
  public func log(_ message: @autoclosure () -> String, level: LogLevel = .info) {
    host.log(message(), level: level, step: step)
  }

  /// Adds output lines of a program to the run's log, unless the step is quiet. Each is cut after 64 KiB.
  public func log(_ lines: [String], from stream: LogStream) { host.log(lines, from: stream, step: step) }

  /// Adds output lines of a program to the run's log, unless the step is quiet. Each is cut after 64 KiB.
  package func log(_ lines: PrintedLines, from stream: LogStream) { host.log(lines, from: stream, step: step) }

  /// Shows an unfinished output line of a program in live views. When it is complete, add it to the log.
  package func showUnfinished(_ line: String, from stream: LogStream) {
    host.showUnfinished(line, from: stream, step: step)
  }

  /// Extends the grace of a body that was asked to end, because it needs `time` from now on.
  package func needsTimeToEnd(_ time: Duration) { host.needsTimeToEnd(time, step: step, attempt: attempt) }

  /// Reports that the body has begun on another machine. The deadline of the step counts from now on.
  package func begun() { host.begun(step, attempt: attempt) }

  /// Reports the progress of the step. `fraction` is from 0 to 1.
  public func progress(_ fraction: Double, _ message: String = "") {
    host.progress(fraction, message, step: step)
  }

  /// Posts an event. Throws if the action does not declare it or the run has made 10,000 posts.
  public func post(_ event: String) throws { try host.post(event, step: step) }

  /// Posts an event with a value of at most 64 KiB, which steps read as `events.NAME.value` or `item.value`. Also
  /// throws if the value does not match the declaration of the event.
  public func post(_ event: String, value: Value) throws { try host.post(event, value: value, step: step) }

  /// Changes the number of things expected from outside: 1 for an additional one, -1 for one that has arrived and been
  /// handled. Services that post events from outside are kept running while something is expected.
  package func expectFromOutside(_ change: Int) { host.expectFromOutside(change) }

  /// Reports that the step has handled a post of an event that it follows.
  package func handledPost() { host.handledPost(of: step) }

  /// Returns a handle that an upstream step or a plugin provides.
  ///
  /// ```swift
  /// let store: any KeyValueStore = try context.handle(.keyValueStore)
  /// ```
  /// Throws an ``ActionError`` with the code `handle-missing` if there is none, or `handle-type` if it has another
  /// type.
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
  /// At the end of the run, `close` is called; handles are closed in reverse order and have 1 s each. If the step runs
  /// again, its new handle replaces the earlier one, which is closed immediately.
  public func provide(_ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void = {}) {
    host.provide(key, handle, close: close, step: step, attempt: attempt)
  }

  /// The arguments with which `flowrun answer` answers this step: the end of the run's id, and the step.
  package var questionAddress: String { host.questionAddress(of: step) }

  /// Adds each post of a repeating event to `posts`, including earlier posts. After the step was cancelled, no more are
  /// added.
  package func follow(_ event: String, into posts: PostQueue) {
    onCancel { posts.finish() }
    host.follow(event, into: posts, step: step, attempt: attempt)
  }

  /// Calls the action that is named by inputs of this step (`ActionDeclaration.calls`) for a post, and returns its
  /// outputs. Throws its error, or an ``ActionError`` with the code `call-timeout` if it takes longer than `limit`. The
  /// action's log lines appear as those of this step. It cannot post events, and handles that it provides are closed.
  package nonisolated(nonsending) func call(for post: EventPost, within limit: Duration) async throws -> ValueObject {
    try await host.call(for: post, within: limit, step: step, attempt: attempt)
  }

  /// Reports that a service is ready, with its outputs. Its dependents can start while it continues. Later calls have
  /// no effect.
  public func ready(_ output: some ActionOutput) { host.ready(output.values, step: step, attempt: attempt) }
}

/// The importance of a log message.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
  case debug, info, warning, error
}

/// The stream of a program that an output line was printed to.
public enum LogStream: String, Sendable, Hashable, CaseIterable {
  case standardOutput = "stdout"
  case standardError = "stderr"
}

/// The id and the folders of a run.
public struct RunInformation: Sendable {
  /// The id: a UUID in lower case.
  public var id: String
  /// The absolute path of the data folder, which exists.
  public var dataFolder: String
  /// The absolute path of the folder with the workflow file. Paths in the file are relative to it.
  public var workflowFolder: String

  /// Creates the information about a run.
  package init(id: String, dataFolder: String, workflowFolder: String) {
    self.id = id
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// The interface of an engine that ``ActionContext`` uses. Plugins do not call it.
package protocol ActionHost: AnyObject, Sendable {
  /// The run. Its folder is that of the workflow that was started.
  var run: RunInformation { get }
  /// Returns the absolute path of the folder of the file with the step.
  func workflowFolder(of step: StepIndex) -> String
  /// The launch of the app. Before activation, it has default values.
  var launch: Launch { get }
  /// Returns the id of a step or item.
  func stepID(of step: StepIndex) -> StepID
  /// Returns the environment variables of the workflow and the step.
  func environment(of step: StepIndex) -> [String: String]
  /// Returns the W3C trace context of an attempt, or nil if the run is not traced.
  func traceparent(of step: StepIndex, attempt: Int) -> String?
  /// The variables of this process that must not be passed to child processes.
  var withheldVariables: Set<String> { get }
  /// True if the run has secrets.
  var hasSecrets: Bool { get }
  /// True if a string in the value contains a secret.
  func holdsSecret(_ value: Value) -> Bool
  /// Withholds the outputs of a step that its action declares as withheld, and hides `texts`.
  func withholdOutputs(hiding texts: [String], step: StepIndex)
  /// Returns the key that all attempts of the step have in common.
  func idempotencyKey(of step: StepIndex) -> String
  /// Returns the time until the deadline of the step or the attempt, or nil if there is none.
  func remaining(of step: StepIndex, attempt: Int) -> Duration?
  /// True if the attempt was asked to end.
  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool
  /// Calls the handler once when the attempt is asked to end.
  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
  /// Logs a message.
  func log(_ message: String, level: LogLevel, step: StepIndex)
  /// Logs output lines of a program, unless they are neither shown nor recorded.
  func log(_ lines: [String], from stream: LogStream, step: StepIndex)
  /// Logs output lines that a program printed at one time, unless the step is quiet.
  func log(_ lines: PrintedLines, from stream: LogStream, step: StepIndex)
  /// Logs output lines of a plugin's program that runs actions for several steps.
  func log(_ lines: [String], from stream: LogStream, plugin: String)
  /// True if the output of the step is shown or recorded.
  func showsOutput(of step: StepIndex) -> Bool
  /// True if unfinished output lines are shown.
  var showsUnfinishedLines: Bool { get }
  /// Shows an unfinished output line of a program.
  func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex)
  /// True if the log can accept more lines. While it is false, programs that print are blocked.
  var hasLogRoom: Bool { get }
  /// Extends the grace of an attempt that was asked to end.
  func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int)
  /// Reports the progress of a step.
  func progress(_ fraction: Double, _ message: String, step: StepIndex)
  /// Posts an event. Throws if that is not allowed.
  func post(_ event: String, step: StepIndex) throws
  /// Posts an event with a value. Throws if that is not allowed.
  func post(_ event: String, value: Value, step: StepIndex) throws
  /// Adds `change`, which is 1 or -1, to the number of things expected from outside.
  func expectFromOutside(_ change: Int)
  /// Records that a step has handled a post of an event that it follows.
  func handledPost(of step: StepIndex)
  /// Returns the handle with this key, or nil.
  func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)?
  /// Provides a handle to downstream steps.
  func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int)
  /// Records that the body of an attempt has begun on another machine.
  func begun(_ step: StepIndex, attempt: Int)
  /// Reports that a service is ready, with its outputs.
  func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int)
  /// Adds each post of a repeating event to `posts`, including earlier posts.
  func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int)
  /// Calls the action that is named by inputs of the step, for a post.
  nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject
  /// Asks a person, and calls the handler once with the answer. The call may be made on any thread.
  func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void)
  /// Returns the arguments of `flowrun answer` that select the step.
  func questionAddress(of step: StepIndex) -> String
  /// Withdraws the question of a step.
  func withdrawQuestion(of step: StepIndex, attempt: Int)
  /// Calls the handler once after `delay` on the run's clock. The call may be made on any thread.
  func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void)
  /// Calls the handler after `delay`, for an attempt whose body only waits meanwhile.
  func wake(after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
}

extension ActionHost {
  /// Nil. For hosts without traces.
  package func traceparent(of step: StepIndex, attempt: Int) -> String? { nil }

  /// An empty set. For hosts without secrets.
  package var withheldVariables: Set<String> { [] }

  /// False. For hosts without secrets.
  package var hasSecrets: Bool { false }

  /// False. For hosts without secrets.
  package func holdsSecret(_ value: Value) -> Bool { false }

  /// Does nothing. For hosts that record no outputs.
  package func withholdOutputs(hiding texts: [String], step: StepIndex) {}

  /// The folder of the run. For hosts whose workflows include no others.
  package func workflowFolder(of step: StepIndex) -> String { run.workflowFolder }

  /// The ids of run and step. For hosts that do not resume runs.
  package func idempotencyKey(of step: StepIndex) -> String { "\(run.id)/\(stepID(of: step))" }

  /// Does nothing. For hosts without executors.
  package func begun(_ step: StepIndex, attempt: Int) {}

  /// Logs each line. For hosts that do not keep lines together.
  package func log(_ lines: PrintedLines, from stream: LogStream, step: StepIndex) {
    log(lines.strings, from: stream, step: step)
  }

  /// True. For hosts that keep all lines.
  package func showsOutput(of step: StepIndex) -> Bool { true }

  /// False. For hosts that only log complete lines.
  package var showsUnfinishedLines: Bool { false }

  /// Does nothing. For hosts that only log complete lines.
  package func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {}

  /// Does nothing. For hosts that wait until bodies have ended.
  package func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int) {}

  /// True. For hosts whose log has no limit.
  package var hasLogRoom: Bool { true }

  /// Posts the event without the value. For hosts whose events have no values.
  package func post(_ event: String, value: Value, step: StepIndex) throws { try post(event, step: step) }

  /// Does nothing. For hosts that expect nothing from outside.
  package func expectFromOutside(_ change: Int) {}

  /// Does nothing. For hosts without events.
  package func handledPost(of step: StepIndex) {}

  /// Does nothing. For hosts without events.
  package func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int) {}

  /// The end of the run's id, and the step.
  package func questionAddress(of step: StepIndex) -> String { "\(run.id.suffix(8)) \(stepID(of: step))" }

  /// Does nothing. For hosts that cannot ask a person.
  package func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {}

  /// Does nothing. For hosts that cannot ask a person.
  package func withdrawQuestion(of step: StepIndex, attempt: Int) {}

  /// Throws an error. For hosts without other actions.
  package nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject {
    throw ActionError("no-action", "there is no other action to call here", isRetryable: false)
  }

  /// Calls ``wake(after:_:)``. For hosts without a virtual clock.
  package func wake(
    after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void
  ) {
    wake(after: delay, handler)
  }

  /// Waits on the system's clock. For hosts without a clock of their own.
  package func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    Task {
      try? await Task.sleep(for: delay)
      handler()
    }
  }
}

extension ActionContext {
  /// The launch of the app.
  public var launch: Launch { host.launch }
}
