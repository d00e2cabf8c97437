import FlowModel
import FlowPluginKit
import FlowSecrets
import Synchronization

/// Replaces a run in tests of actions. It records the calls that an action makes and returns the values that the test
/// has prepared.
///
/// ```swift
/// let host = TestHost(dataFolder: folder)
/// let outputs = try await host.call(OpenStore.self, with: ["path": "store.sqlite"])
/// #expect(host.logs == ["created store.sqlite"])
/// try host.closeHandles()
/// ```
///
/// As in a run, inputs are converted, relative paths are resolved, and events that the action does not declare are
/// refused.
public final class TestHost: ActionHost {
  /// The id and folders of the simulated run.
  public let run: RunInformation
  /// The launch that the action can read.
  public let launch: Launch
  private let variables: [String: String]
  private let state: Mutex<State>

  /// A handle that an action has provided, with the closure that closes it.
  private struct Provision {
    let key: HandleKey
    let handle: any Sendable
    let close: @Sendable () throws -> Void
  }

  private struct State {
    var logs: [LogLine] = []
    var posts: [String] = []
    var postedValues: [Value] = []
    var followed: [String: [PostQueue]] = [:]
    var deliveredCount = 0
    var callCount = 0
    var handledPosts = 0
    var progress: [Double] = []
    var unfinished: [LogLine] = []
    var question: (Question, handler: @Sendable (Answer) -> Void)?
    var provisions: [Provision] = []
    var handles: [HandleKey: any Sendable]
    var ready: ValueObject?
    var readyWaiters: [CheckedContinuation<ValueObject, Never>] = []
    var declaration: ActionDeclaration?
    var isCancelled = false
    var cancelHandlers: [@Sendable () -> Void] = []
    var remaining: Duration?
    var secrets: SecretMask?
    var now = Duration.zero
    var alarms: [(due: Duration, handler: @Sendable () -> Void)] = []
  }

  /// A line that an action has logged.
  package struct LogLine: Sendable, Hashable {
    package let level: LogLevel
    /// The stream of the program that wrote the line, or nil if the action logged it.
    package let stream: LogStream?
    package let message: String

    /// Creates a line for comparison with the logged ones.
    package init(level: LogLevel = .info, _ message: String, from stream: LogStream? = nil) {
      self.level = level
      self.stream = stream
      self.message = message
    }
  }

  /// Creates a host for a run with a single step. Folders must exist if the action reads or writes files in them.
  public init(
    dataFolder: String = "/", workflowFolder: String = "/", launch: Launch = Launch(),
    environment: [String: String] = [:], handles: [HandleKey: any Sendable] = [:]
  ) {
    run = RunInformation(
      id: "00000000-0000-0000-0000-000000000000", dataFolder: dataFolder, workflowFolder: workflowFolder)
    self.launch = launch
    variables = environment
    state = Mutex(State(handles: handles))
  }

  /// Returns a context for running the action, for the given attempt.
  public func context(attempt: Int = 1) -> ActionContext { ActionContext(host: self, step: 0, attempt: attempt) }

  /// The messages that have been logged, in order.
  public var logs: [String] { state.withLock { $0.logs.map(\.message) } }

  /// The lines that have been logged, in order, with their levels and streams.
  package var logLines: [LogLine] { state.withLock { $0.logs } }

  /// The names of the events that have been posted, in order, including repeated ones.
  package var posts: [String] { state.withLock { $0.posts } }
  /// The values of the posted events, in order. Null stands for an event without a value.
  package var postedValues: [Value] { state.withLock { $0.postedValues } }

  /// The incomplete lines that were shown, in order. A line that grows appears several times.
  package var unfinishedLines: [LogLine] { state.withLock { $0.unfinished } }
  /// The progress fractions that have been reported, in order.
  package var progressFractions: [Double] { state.withLock { $0.progress } }

  /// Waits until the service reports that it is ready, and returns its outputs.
  package func readied() async -> ValueObject {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> ValueObject? in
        if state.ready == nil { state.readyWaiters.append(continuation) }
        return state.ready
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// Returns the handle for `key` that an action or the test has provided, or nil if there is none of this type.
  public func handle<Handle>(_ key: HandleKey, as type: Handle.Type = Handle.self) -> Handle? {
    state.withLock { $0.handles[key] as? Handle }
  }

  /// Cancels the step, as a deadline or a signal would.
  public func cancel() {
    let handlers = state.withLock { state -> [@Sendable () -> Void] in
      state.isCancelled = true
      defer { state.cancelHandlers = [] }
      return state.cancelHandlers
    }
    for handler in handlers { handler() }
  }

  /// Sets the time left until the step's deadline, or nil for no deadline.
  package func setRemaining(_ remaining: Duration?) { state.withLock { $0.remaining = remaining } }

  /// Sets the texts that count as secrets of the run.
  package func setSecrets(_ texts: [String]) {
    let mask = SecretMask(texts.map { (name: "secret", text: $0) })
    state.withLock { $0.secrets = mask }
  }

  /// Advances the host's clock, which does not move on its own, and calls the handlers that are due in order.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.alarms.filter { $0.due <= state.now }.sorted { $0.due < $1.due }
      state.alarms.removeAll { $0.due <= state.now }
      return due
    }
    for alarm in due { alarm.handler() }
  }

  /// The number of waits on the host's clock that have not ended.
  package var sleeperCount: Int { state.withLock { $0.alarms.count } }

  /// The question that the action has asked, or nil if none is waiting for an answer.
  public var question: Question? { state.withLock { $0.question?.0 } }

  /// Answers the question that the action has asked.
  public func answer(_ choice: String, by: String = "test", atMilliseconds: Int = 0) {
    let handler = state.withLock { state in
      defer { state.question = nil }
      return state.question?.handler
    }
    handler?(Answer(choice, by: by, atMilliseconds: atMilliseconds))
  }

  /// Closes the handles that actions have provided, in reverse order, as at the end of a run. Throws the first error.
  public func closeHandles() throws {
    let provisions = state.withLock { state -> [Provision] in
      defer { state.provisions = [] }
      for provision in state.provisions { state.handles[provision.key] = nil }
      return state.provisions.reversed()
    }
    for provision in provisions { try provision.close() }
  }

  /// Runs an action with inputs as plain values and returns its outputs as plain values, as an engine does.
  ///
  /// Cancelling the host or the calling task cancels the action. The call of a service returns when the service has
  /// ended.
  public func call(
    _ type: any ActionType.Type, with inputs: ValueObject = [:], attempt: Int = 1
  ) async throws -> ValueObject {
    try await call(RegisteredAction(type), with: inputs, attempt: attempt)
  }

  /// Runs a registered action, such as an action of an external plugin, in the same way as a Swift type.
  public func call(
    _ action: RegisteredAction, with inputs: ValueObject = [:], attempt: Int = 1
  ) async throws -> ValueObject {
    state.withLock { state in
      state.declaration = action.declaration
      if attempt == 1 { state.callCount += 1 }
    }
    let inputs = resolvingPaths(in: inputs, of: action.declaration)
    return try await action.run(inputs, in: context(attempt: attempt)) { self.cancel() }
  }

  private func resolvingPaths(in inputs: ValueObject, of declaration: ActionDeclaration) -> ValueObject {
    var resolved = inputs
    for field in declaration.inputs {
      guard case .path(let base) = field.type, case .string(let path)? = inputs[field.name] ?? field.defaultValue,
        path.utf8.first != UInt8(ascii: "/")
      else { continue }
      resolved[field.name] = .string((base == .data ? run.dataFolder : run.workflowFolder) + "/" + path)
    }
    return resolved
  }

  /// Returns the id `step` for every index, because the simulated run has a single step.
  package func stepID(of step: StepIndex) -> StepID { StepID(unchecked: "step") }

  /// Returns a different key for each call to an action, as for different steps of a run. Attempts of the same call
  /// have the same key.
  package func idempotencyKey(of step: StepIndex) -> String {
    "\(run.id)/\(stepID(of: step))-\(state.withLock { $0.callCount })"
  }

  /// Returns the variables that the test has set.
  package func environment(of step: StepIndex) -> [String: String] { variables }

  /// True if the value contains a string that the test has declared as a secret.
  package func holdsSecret(_ value: Value) -> Bool {
    guard let mask = state.withLock({ $0.secrets }) else { return false }
    return mask.masked(value) != value
  }

  /// Returns the time that the test has set, or nil for no deadline.
  package func remaining(of step: StepIndex, attempt: Int) -> Duration? { state.withLock { $0.remaining } }

  /// True if the test has cancelled the step.
  package func isCancelled(_ step: StepIndex, attempt: Int) -> Bool { state.withLock { $0.isCancelled } }

  /// Keeps the handler, which ``cancel()`` calls. If the step is already cancelled, calls it immediately.
  package func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.cancelHandlers.append(handler) }
      return state.isCancelled
    }
    if isCancelled { handler() }
  }

  /// Adds the line to ``logs`` and ``logLines``.
  package func log(_ message: String, level: LogLevel, step: StepIndex) {
    state.withLock { $0.logs.append(LogLine(level: level, message)) }
  }

  /// Adds the lines to ``logs`` and ``logLines``.
  package func log(_ lines: [String], from stream: LogStream, step: StepIndex) {
    state.withLock { state in state.logs += lines.map { LogLine($0, from: stream) } }
  }

  /// True, so that tests can check incomplete lines.
  package var showsUnfinishedLines: Bool { true }

  /// Adds the line to ``unfinishedLines``.
  package func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {
    state.withLock { $0.unfinished.append(LogLine(line, from: stream)) }
  }

  /// Records the lines with the plugin's name as a prefix.
  package func log(_ lines: [String], from stream: LogStream, plugin: String) {
    state.withLock { state in state.logs += lines.map { LogLine("\(plugin): \($0)", from: stream) } }
  }

  /// Keeps the question and the handler until the test answers.
  package func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {
    state.withLock { $0.question = (question, handler) }
  }

  /// Removes the question, so that it can no longer be answered.
  package func withdrawQuestion(of step: StepIndex, attempt: Int) { state.withLock { $0.question = nil } }

  /// Adds the fraction to ``progressFractions``.
  package func progress(_ fraction: Double, _ message: String, step: StepIndex) {
    state.withLock { $0.progress.append(fraction) }
  }

  /// Records the event. Throws an error if the action neither declares it nor has an input that names events.
  package func post(_ event: String, step: StepIndex) throws { try post(event, value: .null, step: step) }

  /// Records the event and its value. Throws an error if the action neither declares the event nor has an input that
  /// names events.
  package func post(_ event: String, value: Value, step: StepIndex) throws {
    try state.withLock { state in
      if let declaration = state.declaration, declaration.eventFromInput == nil, !declaration.events.contains(event) {
        throw ActionError(
          "undeclared-event", "'\(declaration.name)' posts '\(event)', which it did not declare", isRetryable: false)
      }
      state.posts.append(event)
      state.postedValues.append(value)
    }
  }

  /// Keeps the queue, to which ``deliver(_:value:)`` adds posts.
  package func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int) {
    state.withLock { $0.followed[event, default: []].append(posts) }
  }

  /// Delivers a post to the actions that follow the event. Returns false if none does.
  public func deliver(_ event: String, value: Value = .null) -> Bool {
    let (queues, number) = state.withLock { state in
      state.deliveredCount += 1
      return (state.followed[event] ?? [], state.deliveredCount)
    }
    for queue in queues { queue.add(EventPost(event: event, number: number, atNanoseconds: 0, value: value)) }
    return !queues.isEmpty
  }

  package func handledPost(of step: StepIndex) { state.withLock { $0.handledPosts += 1 } }

  /// The number of posts that actions have handled.
  package var handledPosts: Int { state.withLock { $0.handledPosts } }

  /// Returns the handle that was last provided for the key, or nil if there is none.
  package func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? { state.withLock { $0.handles[key] } }

  /// Keeps the handle, so that other actions can use it.
  package func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    state.withLock { state in
      state.handles[key] = handle
      state.provisions.append(Provision(key: key, handle: handle, close: close))
    }
  }

  /// Records the outputs of the service's first report that it is ready.
  package func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) {
    let waiters = state.withLock { state -> [CheckedContinuation<ValueObject, Never>] in
      guard state.ready == nil else { return [] }
      state.ready = outputs
      defer { state.readyWaiters = [] }
      return state.readyWaiters
    }
    for waiter in waiters { waiter.resume(returning: outputs) }
  }

  /// Keeps the handler until ``advance(by:)`` reaches its time.
  package func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.alarms.append(($0.now + delay, handler)) }
  }
}
