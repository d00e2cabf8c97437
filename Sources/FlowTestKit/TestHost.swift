import FlowModel
import FlowPluginKit
import FlowSecrets
import Synchronization

/// Stands in for a run in the tests of actions: it records what an action says and hands it what the test prepared.
///
/// ```swift
/// let host = TestHost(dataFolder: folder)
/// let outputs = try await host.call(OpenStore.self, with: ["path": "store.sqlite"])
/// #expect(host.logs == ["created store.sqlite"])
/// try host.closeHandles()
/// ```
///
/// Inputs pass through the same conversion as in a run, relative paths are resolved the same way, and an event that the
/// action did not declare is refused the same way.
public final class TestHost: ActionHost {
  /// What is the same for all steps.
  public let run: RunInformation
  /// Why the application was launched.
  public let launch: Launch
  private let variables: [String: String]
  private let state: Mutex<State>

  /// A handle that an action provided.
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

  /// A line that an action logged.
  public struct LogLine: Sendable, Hashable {
    /// How important it is.
    public let level: LogLevel
    /// The output of a program that it came from; nil: the action itself wrote it.
    public let stream: LogStream?
    /// What it says.
    public let message: String

    /// A line as a test expects it.
    public init(level: LogLevel = .info, _ message: String, from stream: LogStream? = nil) {
      self.level = level
      self.stream = stream
      self.message = message
    }
  }

  /// A run with one step, whose data and workflow folders must exist when the action reads or writes there.
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

  /// The context of the step's attempt number `attempt`.
  public func context(attempt: Int = 1) -> ActionContext { ActionContext(host: self, step: 0, attempt: attempt) }

  // MARK: What the action did

  /// The messages logged so far, in order.
  public var logs: [String] { state.withLock { $0.logs.map(\.message) } }

  /// The lines logged so far, with their levels, in order.
  public var logLines: [LogLine] { state.withLock { $0.logs } }

  /// The events posted so far, in order, repetitions included.
  public var posts: [String] { state.withLock { $0.posts } }
  /// The values of those events, null where there was none.
  public var postedValues: [Value] { state.withLock { $0.postedValues } }

  /// The lines without an end as they were shown, each state of them, in order.
  public var unfinishedLines: [LogLine] { state.withLock { $0.unfinished } }
  /// The fractions of progress told so far, in order.
  public var progressFractions: [Double] { state.withLock { $0.progress } }

  /// Waits until the service reports ready; gives its outputs.
  public func readied() async -> ValueObject {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> ValueObject? in
        if state.ready == nil { state.readyWaiters.append(continuation) }
        return state.ready
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// The handle under `key`, provided by an action or by the test.
  public func handle<Handle>(_ key: HandleKey, as type: Handle.Type = Handle.self) -> Handle? {
    state.withLock { $0.handles[key] as? Handle }
  }

  // MARK: What the test does

  /// Cancels the step, as a deadline or a signal would.
  public func cancel() {
    let handlers = state.withLock { state -> [@Sendable () -> Void] in
      state.isCancelled = true
      defer { state.cancelHandlers = [] }
      return state.cancelHandlers
    }
    for handler in handlers { handler() }
  }

  /// States the time left until the step's deadline; nil: no deadline.
  public func setRemaining(_ remaining: Duration?) { state.withLock { $0.remaining = remaining } }

  /// Makes these texts the run's secrets.
  package func setSecrets(_ texts: [String]) {
    let mask = SecretMask(texts.map { (name: "secret", text: $0) })
    state.withLock { $0.secrets = mask }
  }

  /// Moves the host's clock, which stands still otherwise, and wakes what has waited long enough, earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.alarms.filter { $0.due <= state.now }.sorted { $0.due < $1.due }
      state.alarms.removeAll { $0.due <= state.now }
      return due
    }
    for alarm in due { alarm.handler() }
  }

  /// The number of waits that are under way on the host's clock.
  public var sleeperCount: Int { state.withLock { $0.alarms.count } }

  /// What the action asks a person; nil: nothing.
  public var question: Question? { state.withLock { $0.question?.0 } }

  /// Answers what the action asks.
  public func answer(_ choice: String, by: String = "test", atMilliseconds: Int = 0) {
    let handler = state.withLock { state in
      defer { state.question = nil }
      return state.question?.handler
    }
    handler?(Answer(choice, by: by, atMilliseconds: atMilliseconds))
  }

  /// Closes what actions provided, in reverse order, as the end of a run does; throws the first error.
  public func closeHandles() throws {
    let provisions = state.withLock { state -> [Provision] in
      defer { state.provisions = [] }
      for provision in state.provisions { state.handles[provision.key] = nil }
      return state.provisions.reversed()
    }
    for provision in provisions { try provision.close() }
  }

  /// Runs an action on plain values, as an engine does, and gives its outputs as plain values.
  ///
  /// Cancelling the host or the calling task cancels the action. A service's call returns when the service has ended.
  public func call(
    _ type: any ActionType.Type, with inputs: ValueObject = [:], attempt: Int = 1
  ) async throws -> ValueObject {
    try await call(RegisteredAction(type), with: inputs, attempt: attempt)
  }

  /// Runs an action, of whatever origin, on plain values, as an engine does; otherwise like the call by type.
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
        !path.hasPrefix("/")
      else { continue }
      resolved[field.name] = .string((base == .data ? run.dataFolder : run.workflowFolder) + "/" + path)
    }
    return resolved
  }

  // MARK: ActionHost

  /// Always `step`.
  public func stepID(of step: StepIndex) -> StepID { StepID(unchecked: "step") }

  /// One for each call of an action, as each step of a run has its own; later attempts have that of the last call.
  public func idempotencyKey(of step: StepIndex) -> String {
    "\(run.id)/\(stepID(of: step))-\(state.withLock { $0.callCount })"
  }

  /// What the test stated.
  public func environment(of step: StepIndex) -> [String: String] { variables }

  /// Whether the value holds a text that the test made a secret.
  public func holdsSecret(_ value: Value) -> Bool {
    guard let mask = state.withLock({ $0.secrets }) else { return false }
    return mask.masked(value) != value
  }

  /// What the test stated.
  public func remaining(of step: StepIndex, attempt: Int) -> Duration? { state.withLock { $0.remaining } }

  /// Whether the test cancelled the step.
  public func isCancelled(_ step: StepIndex, attempt: Int) -> Bool { state.withLock { $0.isCancelled } }

  /// Keeps the handler for ``cancel()``.
  public func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.cancelHandlers.append(handler) }
      return state.isCancelled
    }
    if isCancelled { handler() }
  }

  /// Records the line.
  public func log(_ message: String, level: LogLevel, step: StepIndex) {
    state.withLock { $0.logs.append(LogLine(level: level, message)) }
  }

  /// Records the lines.
  public func log(_ lines: [String], from stream: LogStream, step: StepIndex) {
    state.withLock { state in state.logs += lines.map { LogLine($0, from: stream) } }
  }

  /// Yes.
  public var showsUnfinishedLines: Bool { true }

  /// Records the line as it is.
  public func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {
    state.withLock { $0.unfinished.append(LogLine(line, from: stream)) }
  }

  /// Records the lines behind the plugin's name.
  public func log(_ lines: [String], from stream: LogStream, plugin: String) {
    state.withLock { state in state.logs += lines.map { LogLine("\(plugin): \($0)", from: stream) } }
  }

  /// Keeps the question for the test to answer.
  public func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {
    state.withLock { $0.question = (question, handler) }
  }

  /// Forgets the question.
  public func withdrawQuestion(of step: StepIndex, attempt: Int) { state.withLock { $0.question = nil } }

  /// Records the fraction.
  public func progress(_ fraction: Double, _ message: String, step: StepIndex) {
    state.withLock { $0.progress.append(fraction) }
  }

  /// Records the event; throws when the action that runs did not declare it.
  public func post(_ event: String, step: StepIndex) throws { try post(event, value: .null, step: step) }

  /// Records the event and its value; throws when the action that runs did not declare the event.
  public func post(_ event: String, value: Value, step: StepIndex) throws {
    try state.withLock { state in
      if let declaration = state.declaration, declaration.eventFromInput == nil, !declaration.events.contains(event) {
        throw ActionError(
          "undeclared-event", "'\(declaration.name)' posts '\(event)', which it did not declare", isRetryable: false)
      }
      state.posts.append(event)
      state.postedValues.append(value)
    }
  }

  /// Keeps the queue for ``deliver(_:value:)``.
  public func follow(_ event: String, into posts: PostQueue, step: StepIndex, attempt: Int) {
    state.withLock { $0.followed[event, default: []].append(posts) }
  }

  /// Posts an event into the queues of the action that follows it; returns false if none does.
  public func deliver(_ event: String, value: Value = .null) -> Bool {
    let (queues, number) = state.withLock { state in
      state.deliveredCount += 1
      return (state.followed[event] ?? [], state.deliveredCount)
    }
    for queue in queues { queue.add(EventPost(event: event, number: number, atNanoseconds: 0, value: value)) }
    return !queues.isEmpty
  }

  /// Counts the posts that were handled.
  public func handledPost(of step: StepIndex) { state.withLock { $0.handledPosts += 1 } }

  /// The number of posts that were handled.
  public var handledPosts: Int { state.withLock { $0.handledPosts } }

  /// What was provided last under the key.
  public func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? { state.withLock { $0.handles[key] } }

  /// Keeps the handle for later calls.
  public func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    state.withLock { state in
      state.handles[key] = handle
      state.provisions.append(Provision(key: key, handle: handle, close: close))
    }
  }

  /// Records the outputs; the first call counts.
  public func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) {
    let waiters = state.withLock { state -> [CheckedContinuation<ValueObject, Never>] in
      guard state.ready == nil else { return [] }
      state.ready = outputs
      defer { state.readyWaiters = [] }
      return state.readyWaiters
    }
    for waiter in waiters { waiter.resume(returning: outputs) }
  }

  /// Keeps the handler until ``advance(by:)`` reaches its time.
  public func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.alarms.append(($0.now + delay, handler)) }
  }
}
