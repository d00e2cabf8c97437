import FlowModel
import FlowPluginKit
import Synchronization

/// One attempt of a step on a worker. The body uses this object instead of a run.
final class WorkerCall: ActionHost {
  let id: Int
  let run: RunInformation
  let launch = Launch()
  let withheldVariables: Set<String>
  private let stepID: StepID
  private let key: String
  private let attempt: Int
  private let variables: [String: String]
  private let deadline: ContinuousClock.Instant?
  private let isQuiet: Bool
  private let handles: [PluginHandle]
  private let output: WorkerOutput
  private let keep: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())

  private struct State {
    var isCancelled = false
    var handlers: [@Sendable () -> Void] = []
  }

  /// Creates a call from a request.
  ///
  /// - Parameter keep: Registers a closure that closes a handle when the worker ends.
  init(
    id: Int, _ parameters: ValueObject, dataFolder: String, workflowFolder: String, without withheld: Set<String>,
    _ handles: [PluginHandle], _ output: WorkerOutput,
    keep: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.keep = keep
    self.id = id
    withheldVariables = withheld
    var variables: [String: String] = [:]
    for (name, value) in parameters["env"]?.objectValue ?? [:] { variables[name] = value.stringValue }
    stepID = StepID(unchecked: variables["FLOWRUN_STEP"] ?? "step")
    run = RunInformation(
      id: variables["FLOWRUN_RUN"] ?? "", dataFolder: dataFolder, workflowFolder: workflowFolder)
    key = parameters["key"]?.stringValue ?? variables["FLOWRUN_KEY"] ?? ""
    self.variables = variables
    attempt = parameters["attempt"]?.integerValue ?? 1
    deadline = parameters["remainingMilliseconds"]?.integerValue.map { .now + .milliseconds($0) }
    isQuiet = parameters["quiet"]?.booleanValue ?? false
    self.handles = handles
    self.output = output
  }

  var context: ActionContext { ActionContext(host: self, step: 0, attempt: attempt) }

  func cancel() {
    let handlers = state.withLock { state in
      state.isCancelled = true
      defer { state.handlers = [] }
      return state.handlers
    }
    for handler in handlers { handler() }
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func stepID(of step: StepIndex) -> StepID { stepID }
  func environment(of step: StepIndex) -> [String: String] { variables }
  func idempotencyKey(of step: StepIndex) -> String { key }
  func showsOutput(of step: StepIndex) -> Bool { !isQuiet }
  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool { isCancelled }

  func remaining(of step: StepIndex, attempt: Int) -> Duration? {
    deadline.map { max(.zero, $0 - .now) }
  }

  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.isCancelled { state.handlers.append(handler) }
      return state.isCancelled
    }
    if isLate { handler() }
  }

  func log(_ message: String, level: LogLevel, step: StepIndex) {
    output.notify("log", ["id": .integer(id), "level": .string(level.rawValue), "message": .string(message)])
  }

  func log(_ lines: [String], from stream: LogStream, step: StepIndex) {
    if isQuiet { return }
    for line in lines {
      output.notify("log", ["id": .integer(id), "stream": .string(stream.rawValue), "message": .string(line)])
    }
  }

  func log(_ lines: [String], from stream: LogStream, plugin: String) { log(lines, from: stream, step: 0) }

  func progress(_ fraction: Double, _ message: String, step: StepIndex) {
    output.notify(
      "progress", ["id": .integer(id), "fraction": .number(fraction), "message": .string(message)])
  }

  func post(_ event: String, step: StepIndex) throws { try post(event, value: .null, step: step) }

  func post(_ event: String, value: Value, step: StepIndex) throws {
    var parameters: ValueObject = ["id": .integer(id), "event": .string(event)]
    if !value.isNull { parameters["value"] = value }
    output.notify("post", parameters)
  }

  func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? { handles.first { $0.key == key }?.handle }

  /// Notifies the host that more output may follow. The value itself is not used, because a portable action provides
  /// nothing but the output of processes that outlive their command.
  func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    output.notify("lines-follow", ["id": .integer(id)])
    keep { try? close() }
  }

  func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) {}
}
