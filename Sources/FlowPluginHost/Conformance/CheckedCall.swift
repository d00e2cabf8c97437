import FlowModel
import FlowPluginKit
import Synchronization

/// A call that ``PluginConformance`` makes. It records posted events and provided handles, and it can be cancelled.
final class CheckedCall: ActionHost {
  let run: RunInformation
  let launch = Launch()
  private let action: RegisteredAction
  private let state = Mutex(State())

  private struct State {
    var posts: [String] = []
    var handles: [HandleKey: any Sendable] = [:]
    var closers: [@Sendable () throws -> Void] = []
    var isCancelled = false
    var handlers: [@Sendable () -> Void] = []
  }

  /// Creates a call. Relative output paths are resolved against `folder`, and relative input paths against
  /// `sourceFolder`.
  init(_ action: RegisteredAction, in folder: String, reading sourceFolder: String) {
    self.action = action
    run = RunInformation(
      id: "00000000-0000-0000-0000-000000000000", dataFolder: folder, workflowFolder: sourceFolder)
  }

  /// The names of the events that the action has posted.
  var posts: [String] { state.withLock { $0.posts } }

  /// Runs the action, closes the handles it provided and returns its outputs.
  func outputs(with inputs: ValueObject) async throws -> ValueObject {
    defer {
      // Failures to close a handle are covered by each plugin's own tests.
      for close in state.withLock({ $0.closers.reversed() }) { try? close() }
    }
    let inputs = absolutePaths(in: inputs)
    let context = ActionContext(host: self, step: 0, attempt: 1)
    return try await action.run(inputs, in: context) { self.cancel() }
  }

  func cancel() {
    let handlers = state.withLock { state in
      state.isCancelled = true
      defer { state.handlers = [] }
      return state.handlers
    }
    for handler in handlers { handler() }
  }

  private func absolutePaths(in inputs: ValueObject) -> ValueObject {
    var absolute = inputs
    for field in action.declaration.inputs {
      guard case .path(let base) = field.type, case .string(let path)? = inputs[field.name] ?? field.defaultValue,
        path.utf8.first != UInt8(ascii: "/")
      else { continue }
      absolute[field.name] = .string((base == .data ? run.dataFolder : run.workflowFolder) + "/" + path)
    }
    return absolute
  }

  func stepID(of step: StepIndex) -> StepID { StepID(unchecked: "check") }
  func environment(of step: StepIndex) -> [String: String] { [:] }
  func remaining(of step: StepIndex, attempt: Int) -> Duration? { nil }
  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool { state.withLock { $0.isCancelled } }
  func log(_ message: String, level: LogLevel, step: StepIndex) {}
  func log(_ lines: [String], from stream: LogStream, step: StepIndex) {}
  func log(_ lines: [String], from stream: LogStream, plugin: String) {}
  func progress(_ fraction: Double, _ message: String, step: StepIndex) {}
  func post(_ event: String, step: StepIndex) throws { state.withLock { $0.posts.append(event) } }
  func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? { state.withLock { $0.handles[key] } }

  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.handlers.append(handler) }
      return state.isCancelled
    }
    if isCancelled { handler() }
  }

  func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    state.withLock { state in
      state.handles[key] = handle
      state.closers.append(close)
    }
  }

  /// Cancels a service as soon as it is ready. Otherwise it would run forever.
  func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) { cancel() }
}
