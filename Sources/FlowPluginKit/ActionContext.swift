import FlowModel

/// What an action can see and do besides its inputs: its view of the run.
///
/// A context may be passed to other threads; calls after the step has ended do nothing.
public struct ActionContext: Sendable {
  /// The run behind this context.
  public let host: any ActionHost
  /// Which step of the run, as the host numbers them.
  public package(set) var step: StepIndex
  /// Which attempt this is; the first is 1.
  public package(set) var attempt: Int

  /// A context for one attempt of one step; made by engines and by test hosts.
  public init(host: any ActionHost, step: StepIndex, attempt: Int) {
    self.host = host
    self.step = step
    self.attempt = attempt
  }

  /// The id of the step.
  public var stepID: StepID { host.stepID(of: step) }

  /// The run, as this step sees it: ``RunInformation/workflowFolder`` is the folder of the step's own file, which may be an
  /// included one.
  public var run: RunInformation {
    var run = host.run
    run.workflowFolder = host.workflowFolder(of: step)
    return run
  }

  /// The same for every attempt of the step, also after a resume, and for nothing else: `run/step`, with `~n` behind it
  /// once a success was given up `n` times to do it again on purpose. For systems that do a thing once for a key.
  public var idempotencyKey: String { host.idempotencyKey(of: step) }

  /// Environment variables for child processes: those that the workflow and the step state, and which attempt of which
  /// step of which run it is, in `FLOWRUN_RUN`, `FLOWRUN_STEP`, `FLOWRUN_ATTEMPT` and `FLOWRUN_KEY`; `TRACEPARENT`
  /// where the run is sent as a trace.
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

  /// Variables of this process that no child gets which is not given them: those that the workflow's secrets come from.
  public var withheldVariables: Set<String> { host.withheldVariables }

  /// Whether the run was given texts that are shown and recorded nowhere.
  package var hasSecrets: Bool { host.hasSecrets }

  /// Whether a value holds one of the run's secrets in some text of it, also in encoded form. Such a value must not be
  /// written to disk.
  public func holdsSecret(_ value: Value) -> Bool { host.holdsSecret(value) }

  /// The time left until the step's deadline, never below zero; nil: no deadline.
  public var remaining: Duration? { host.remaining(of: step, attempt: attempt) }

  /// Whether the step has been cancelled or has timed out; an action that works long asks now and then.
  public var isCancelled: Bool { host.isCancelled(step, attempt: attempt) }

  /// Throws `CancellationError` when the step has been cancelled or has timed out.
  public func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Calls `handler` once, on some thread, when the step is cancelled or times out; at once when that has happened.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    host.onCancel(step, attempt: attempt, handler)
  }

  /// Waits without holding a thread, on the run's clock; throws `CancellationError` as soon as the step is cancelled.
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

  /// Writes lines that a program wrote on one of its outputs to the run's log, unless the step is quiet. Lines over 64 KiB
  /// are cut.
  public func log(_ lines: [String], from stream: LogStream) { host.log(lines, from: stream, step: step) }

  /// Shows the line that a program has begun to write on one of its outputs, as it is now, to anyone who watches
  /// the run. It is not a line of the log, which gets it when it has ended.
  package func showUnfinished(_ line: String, from stream: LogStream) {
    host.showUnfinished(line, from: stream, step: step)
  }

  /// Says that the body, which is asked to end, needs this time from now for it.
  package func needsTimeToEnd(_ time: Duration) { host.needsTimeToEnd(time, step: step, attempt: attempt) }

  /// Says that the body has begun elsewhere: from then on the step's deadline counts.
  package func begun() { host.begun(step, attempt: attempt) }

  /// Says how far the step is: `fraction` from 0 to 1, and what it is doing.
  public func progress(_ fraction: Double, _ message: String = "") {
    host.progress(fraction, message, step: step)
  }

  /// Posts an event; throws when the action did not declare it or the run has had its 10,000.
  public func post(_ event: String) throws { try host.post(event, step: step) }

  /// Posts an event with a value of at most 64 KiB, which steps read as `events.NAME.value` or as `item.value`; throws also
  /// when the value does not fit the event's declaration.
  public func post(_ event: String, value: Value) throws { try host.post(event, value: value, step: step) }

  /// Says that something is due to come from outside, or with -1 that it has come and been handled. A service whose events
  /// come from outside continues for that long.
  public func expectFromOutside(_ change: Int) { host.expectFromOutside(change) }

  /// Says that a post of an event that the step follows has been handled.
  public func handledPost() { host.handledPost(of: step) }

  /// The handle that a step before this one provided, or that a plugin brings into every run.
  ///
  /// ```swift
  /// let store: any KeyValueStore = try context.handle(.keyValueStore)
  /// ```
  /// Throws an ``ActionError`` `handle-missing` when there is none and `handle-type` when it is of another type.
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

  /// Makes a handle available to the steps that come after this one.
  ///
  /// `close` is called when the run ends, in reverse order of provision, with a second to finish. A retried step's
  /// handle replaces what it had provided before, which is closed at once.
  public func provide(_ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void = {}) {
    host.provide(key, handle, close: close, step: step, attempt: attempt)
  }

  /// What `flowrun answer` calls the run and the step that asks: the end of the run's id, and the step.
  public var questionAddress: String { host.questionAddress(of: step) }

  /// Puts each post of an event that repeats into `posts`, those that have come before first. Once the step is told to
  /// end no more are put there.
  public func follow(_ event: String, into posts: PostQueue) {
    onCancel { posts.finish() }
    host.follow(event, into: posts, step: step, attempt: attempt)
  }

  /// Calls the action that this step's inputs name (`ActionDeclaration.calls`) for one post and gives its outputs;
  /// throws what it throws, and an ``ActionError`` `call-timeout` when it takes longer than `limit`. What it does is
  /// this step's doing: its log lines, its handles. It posts no events and provides nothing.
  public nonisolated(nonsending) func call(for post: EventPost, within limit: Duration) async throws -> ValueObject {
    try await host.call(for: post, within: limit, step: step, attempt: attempt)
  }

  /// Reports a service ready, with its outputs: its dependents continue while the service does too. The first call counts.
  public func ready(_ output: some ActionOutput) { host.ready(output.values, step: step, attempt: attempt) }
}

/// How important a log line is.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
  case debug, info, warning, error
}

/// The output of a program that a log line came from.
public enum LogStream: String, Sendable, Hashable, CaseIterable {
  case standardOutput = "stdout"
  case standardError = "stderr"
}

/// What a run is called and where it works.
public struct RunInformation: Sendable {
  /// Unique for each run: a UUID in lower case.
  public var id: String
  /// The absolute path of the data folder; it exists.
  public var dataFolder: String
  /// The absolute path of the folder of the workflow file, where relative paths in that file start.
  public var workflowFolder: String

  /// Describes a run.
  public init(id: String, dataFolder: String, workflowFolder: String) {
    self.id = id
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// The engine's side of an ``ActionContext``; plugin authors never meet it.
public protocol ActionHost: AnyObject, Sendable {
  /// The run; its folder is that of the file that was started.
  var run: RunInformation { get }
  /// The absolute path of the folder of the file in which a step is written.
  func workflowFolder(of step: StepIndex) -> String
  /// Why the application was launched; the defaults before activation.
  var launch: Launch { get }
  /// The id of a step.
  func stepID(of step: StepIndex) -> StepID
  /// The variables that workflow and step state.
  func environment(of step: StepIndex) -> [String: String]
  /// The W3C trace context of an attempt; nil: it has none of its own.
  func traceparent(of step: StepIndex, attempt: Int) -> String?
  /// Variables of this process that no child gets which is not given them.
  var withheldVariables: Set<String> { get }
  /// Whether the run was given texts that are shown and recorded nowhere.
  var hasSecrets: Bool { get }
  /// Whether a value holds one of those texts.
  func holdsSecret(_ value: Value) -> Bool
  /// What is the same for all attempts of the step.
  func idempotencyKey(of step: StepIndex) -> String
  /// The time left until the deadline of the step or of this attempt; nil: none.
  func remaining(of step: StepIndex, attempt: Int) -> Duration?
  /// Whether this attempt is to end.
  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool
  /// Calls the handler once this attempt is to end.
  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
  /// Writes a log line.
  func log(_ message: String, level: LogLevel, step: StepIndex)
  /// Writes lines that a program wrote, unless the step is quiet.
  func log(_ lines: [String], from stream: LogStream, step: StepIndex)
  /// Writes lines that the program of a plugin wrote while it worked for several steps: it is not known for which.
  func log(_ lines: [String], from stream: LogStream, plugin: String)
  /// Whether anybody is shown the lines that the step's programs write.
  func showsOutput(of step: StepIndex) -> Bool
  /// Whether anybody is shown lines that have no end yet.
  var showsUnfinishedLines: Bool { get }
  /// Shows the line that the step's program has begun to write, as it is now.
  func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex)
  /// Whether the log takes more lines now; who writes many waits while it does not.
  var hasLogRoom: Bool { get }
  /// Says that the body of this attempt needs this time from now to end.
  func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int)
  /// Says how far the step is.
  func progress(_ fraction: Double, _ message: String, step: StepIndex)
  /// Posts an event; throws when that is not allowed.
  func post(_ event: String, step: StepIndex) throws
  /// Posts an event with a value; throws when that is not allowed.
  func post(_ event: String, value: Value, step: StepIndex) throws
  /// One more thing, or with -1 one less, is due to come from outside.
  func expectFromOutside(_ change: Int)
  /// A post that the step follows has been handled.
  func handledPost(of step: StepIndex)
  /// The handle under this key, or nil.
  func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)?
  /// Makes a handle available.
  func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int)
  /// Says that the body of this attempt has begun elsewhere, for steps that run remotely.
  func begun(_ step: StepIndex, attempt: Int)
  /// Reports a service ready.
  func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int)
  /// Puts each post of an event that repeats into `posts`, from the first on.
  func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int)
  /// Calls the action that the step's inputs name, for one post.
  nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject
  /// Asks a person; calls the handler once, on some thread, when someone answers.
  func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void)
  /// The id of the step that asks, as `flowrun answer` takes it.
  func questionAddress(of step: StepIndex) -> String
  /// The step waits for an answer no longer.
  func withdrawQuestion(of step: StepIndex, attempt: Int)
  /// Calls the handler once, on some thread, when this much time has passed on the run's clock.
  func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void)
  /// The same for the body of an attempt, which does nothing else until then.
  func wake(after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void)
}

extension ActionHost {
  /// None, for hosts whose runs are not traced.
  public func traceparent(of step: StepIndex, attempt: Int) -> String? { nil }

  /// None, for hosts without secrets.
  public var withheldVariables: Set<String> { [] }

  /// None, for hosts without secrets.
  public var hasSecrets: Bool { false }

  /// No, for hosts without secrets.
  public func holdsSecret(_ value: Value) -> Bool { false }

  /// The run's, for hosts whose steps are all written in one file.
  public func workflowFolder(of step: StepIndex) -> String { run.workflowFolder }

  /// Run and step, for hosts that resume nothing.
  public func idempotencyKey(of step: StepIndex) -> String { "\(run.id)/\(stepID(of: step))" }

  /// Nothing, for hosts that send no steps away.
  public func begun(_ step: StepIndex, attempt: Int) {}

  /// Always, for hosts that keep every line.
  public func showsOutput(of step: StepIndex) -> Bool { true }

  /// No, for hosts whose log holds whole lines alone.
  public var showsUnfinishedLines: Bool { false }

  /// Nothing, for hosts whose log holds whole lines alone.
  public func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {}

  /// Nothing, for hosts that wait for every body.
  public func needsTimeToEnd(_ time: Duration, step: StepIndex, attempt: Int) {}

  /// Always, for hosts whose log knows no end.
  public var hasLogRoom: Bool { true }

  /// Without the value, for hosts whose events carry none.
  public func post(_ event: String, value: Value, step: StepIndex) throws { try post(event, step: step) }

  /// Nothing, for hosts that do not wait for what comes from outside.
  public func expectFromOutside(_ change: Int) {}

  /// Nothing, for hosts in which no events come.
  public func handledPost(of step: StepIndex) {}

  /// Nothing, for hosts in which no events come.
  public func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int) {}

  /// The step by itself.
  public func questionAddress(of step: StepIndex) -> String { "\(run.id.suffix(8)) \(stepID(of: step))" }

  /// There is no answer in hosts that reach no person.
  public func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {}

  /// Nothing, in hosts that reach no person.
  public func withdrawQuestion(of step: StepIndex, attempt: Int) {}

  /// Refused, for hosts that know no other action.
  public nonisolated(nonsending) func call(
    for post: EventPost, within limit: Duration, step: StepIndex, attempt: Int
  ) async throws -> ValueObject {
    throw ActionError("no-action", "there is no other action to call here", isRetryable: false)
  }

  /// As for anyone, for hosts that do not ask who waits.
  public func wake(
    after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void
  ) {
    wake(after: delay, handler)
  }

  /// On the system's clock, for hosts without a clock of their own.
  public func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    Task {
      try? await Task.sleep(for: delay)
      handler()
    }
  }
}

extension ActionContext {
  /// Why the application was launched.
  public var launch: Launch { host.launch }
}
