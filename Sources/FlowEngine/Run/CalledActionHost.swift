import FlowModel
import FlowPluginKit
import Synchronization

/// The host of an action that a step calls for each post of an event. It forwards requests to the run, except those
/// that would start steps or outlive the call. Each call can be asked to end separately.
final class CalledActionHost: ActionHost {
  private struct State {
    /// The reason why the call was asked to end, or nil if it was not.
    var end: String?
    var handlers: [@Sendable () -> Void] = []
  }

  private let host: WorkflowRun
  /// The name of the called action.
  private let name: String
  /// The number of the post that the call handles.
  private let post: Int
  private let endsAtNanoseconds: Int
  private let state = Mutex(State())

  init(_ host: WorkflowRun, name: String, post: Int, endsAtNanoseconds: Int) {
    self.host = host
    self.name = name
    self.post = post
    self.endsAtNanoseconds = endsAtNanoseconds
  }

  /// Asks the call to end. A reason given in an earlier call to this method is kept.
  func end(because reason: String) {
    let handlers = state.withLock { state in
      state.end = state.end ?? reason
      defer { state.handlers = [] }
      return state.handlers
    }
    for handler in handlers { handler() }
  }

  /// The reason why the call was asked to end, or an empty string if it was not.
  var reason: String { state.withLock { $0.end } ?? "" }

  var run: RunInformation { host.run }
  func workflowFolder(of step: StepIndex) -> String { host.workflowFolder(of: step) }
  var launch: Launch { host.launch }
  var hasLogRoom: Bool { host.hasLogRoom }
  func stepID(of step: StepIndex) -> StepID { host.stepID(of: step) }
  /// Each post has a separate key, so that a service does not treat its request as a repetition of an earlier one.
  func idempotencyKey(of step: StepIndex) -> String { "\(host.idempotencyKey(of: step))#\(post)" }
  func environment(of step: StepIndex) -> [String: String] { host.environment(of: step) }
  func traceparent(of step: StepIndex, attempt: Int) -> String? { host.traceparent(of: step, attempt: attempt) }
  var withheldVariables: Set<String> { host.withheldVariables }
  var hasSecrets: Bool { host.hasSecrets }
  func holdsSecret(_ value: Value) -> Bool { host.holdsSecret(value) }
  func withholdOutputs(hiding texts: [String], step: StepIndex) { host.withholdOutputs(hiding: texts, step: step) }
  func log(_ message: String, level: LogLevel, step: StepIndex) { host.log(message, level: level, step: step) }
  func log(_ lines: [String], from stream: LogStream, step: StepIndex) { host.log(lines, from: stream, step: step) }
  func log(_ lines: PrintedLines, from stream: LogStream, step: StepIndex) { host.log(lines, from: stream, step: step) }
  func log(_ lines: [String], from stream: LogStream, plugin: String) { host.log(lines, from: stream, plugin: plugin) }
  func showsOutput(of step: StepIndex) -> Bool { host.showsOutput(of: step) }
  var showsUnfinishedLines: Bool { host.showsUnfinishedLines }
  func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {
    host.showUnfinished(line, from: stream, step: step)
  }
  func progress(_ fraction: Double, _ message: String, step: StepIndex) {}
  func ready(_ outputs: ValueObject, step: StepIndex, attempt: Int) {}
  func handle(_ key: HandleKey, step: StepIndex) -> (any Sendable)? { host.handle(key, step: step) }
  func expectFromOutside(_ change: Int) { host.expectFromOutside(change) }
  func wake(after delay: Duration, _ handler: @escaping @Sendable () -> Void) { host.wake(after: delay, handler) }
  func wake(after delay: Duration, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    host.wake(after: delay, step: step, attempt: attempt, handler)
  }

  func remaining(of step: StepIndex, attempt: Int) -> Duration? {
    .nanoseconds(max(0, endsAtNanoseconds - host.nowNanoseconds))
  }

  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool { state.withLock { $0.end != nil } }

  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if state.end == nil { state.handlers.append(handler) }
      return state.end != nil
    }
    if isLate { handler() }
  }

  func post(_ event: String, step: StepIndex) throws {
    throw ActionError(
      "undeclared-event", "'\(name)' posted '\(event)', but an action called for a post cannot start steps",
      isRetryable: false)
  }

  /// Closes the handle immediately, because no step could use it.
  func provide(
    _ key: HandleKey, _ handle: any Sendable, close: @escaping @Sendable () throws -> Void, step: StepIndex,
    attempt: Int
  ) {
    do { try close() } catch { host.warn("closing '\(key)' of '\(name)' failed: \(error)") }
  }
}
