import FlowModel
import FlowPluginKit
import FlowSyntax
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The conversation with one running program, from its start to its end.
///
/// Standard output has one reader at a time. A call that finds nobody reading reads itself for up to a millisecond, so
/// that a quick answer costs no change of threads; a call that takes longer, or does not come alone, leaves it to the
/// session's own thread (`PluginSession+Pump.swift`), which also reads the log, writes what the pipe had no room for,
/// notices the program's end and keeps the deadlines. Only that thread ends the conversation.
final class PluginSession: Sendable {
  let plugin: String
  let limits: PluginLimits
  let child: ChildProcess
  let state = Mutex(SessionState())
  let lines: Mutex<LineBuffer>
  let log = Mutex(ChildLog())
  /// Wakes the session's thread.
  let wakePipe: Descriptor.Pipe
  /// Told when everything is over.
  let over = OneShot<Void>()
  private let nextID = Atomic(HostMessage.initializeID)

  /// How long a caller reads for itself.
  private static let directMilliseconds: CInt = 1

  /// Starts the program and its thread.
  init(_ command: PluginCommand, of plugin: InstalledPlugin, limits: PluginLimits) throws(SystemError) {
    self.plugin = plugin.name
    self.limits = limits
    wakePipe = try Descriptor.pipe()
    child = try ChildProcess(command.arguments, environment: command.environment, directory: plugin.folder)
    wakePipe.reading.setNonBlocking()
    wakePipe.writing.setNonBlocking()
    lines = Mutex(LineBuffer(limit: limits.lineBytes))
    DetachedThread.start { self.pump() }
  }

  /// Whether calls can still be made.
  var isOpen: Bool { state.withLock { $0.end == nil } }

  /// Asks the program who it is.
  func initialize() async -> PluginCall.Outcome {
    await request(.initialize, deadline: .now + limits.start) { _ in HostMessage.initialize() }
  }

  /// Calls an action with complete inputs.
  func run(_ action: PluginManifest.Action, _ inputs: ValueObject, _ context: ActionContext) async -> PluginCall.Outcome
  {
    await request(.run(action, context), deadline: nil) { id in
      HostMessage.run(
        id: id, action: action.declaration.name, inputs: inputs, environment: context.environment,
        attempt: context.attempt, remaining: context.remaining)
    }
  }

  private func request(
    _ request: PluginCall.Request, deadline: ContinuousClock.Instant?, line: (Int) -> [UInt8]
  ) async -> PluginCall.Outcome {
    let id = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    let line = line(id)
    if line.count > limits.lineBytes {
      return .failed(
        ActionError(
          "plugin-input", "the inputs take \(line.count) bytes as JSON; at most \(limits.lineBytes) can be sent",
          isRetryable: false))
    }
    let answer = OneShot<PluginCall.Outcome>()
    switch send(line, as: request, id: id, deadline: deadline, answer: answer) {
    case .closed: return .unread
    case .readsItself: readDirectly(until: answer)
    case .leavesItToPump: wakePump()
    }
    if let outcome = answer.value { return outcome }
    return await withTaskCancellationHandler {
      await answer.wait()
    } onCancel: {
      self.cancel(id)
    }
  }

  private enum Sent {
    case closed, readsItself, leavesItToPump
  }

  private func send(
    _ line: [UInt8], as request: PluginCall.Request, id: Int, deadline: ContinuousClock.Instant?,
    answer: OneShot<PluginCall.Outcome>
  ) -> Sent {
    state.withLock { state in
      guard state.end == nil else { return .closed }
      state.add(PluginCall(request: request, position: state.queuedBytes, answer: answer, deadline: deadline), id: id)
      write(line, &state)
      guard case .nobody = state.reader, state.outbox.isEmpty, state.end == nil else {
        if case .nobody = state.reader { state.reader = .pump }
        return .leavesItToPump
      }
      state.reader = .caller
      return .readsItself
    }
  }

  /// Reads as the only caller until its answer is there, the program has something wrong, or the moment is over.
  private func readDirectly(until answer: OneShot<PluginCall.Outcome>) {
    let end = ContinuousClock.now + .milliseconds(Int(Self.directMilliseconds))
    var interest = pollfd(fd: child.output.number, events: Int16(POLLIN), revents: 0)
    while answer.value == nil, isOpen {
      guard poll(&interest, 1, Self.directMilliseconds) > 0, readOutput() == .open, ContinuousClock.now < end else {
        break
      }
    }
    let isQuiet = state.withLock { state in
      let isQuiet = state.calls.isEmpty && state.outbox.isEmpty && state.end == nil
      state.reader = isQuiet ? .nobody : .pump
      return isQuiet
    }
    if !isQuiet { wakePump() }
  }

  /// Asks the program to give up a call and starts its grace.
  func cancel(_ id: Int) {
    let hasStarted = state.withLock { state in
      guard state.startGrace(of: id, until: .now + limits.grace) else { return false }
      write(HostMessage.cancel(id: id), &state)
      return true
    }
    if hasStarted { wakePump() }
  }

  /// Asks the program to end and waits until it has, or has been killed after the grace.
  func stop() async {
    requestStop()
    await over.wait()
  }

  /// Asks the program to end, without waiting.
  func requestStop() {
    state.withLock { state in
      guard state.end == nil else { return }
      write(HostMessage.shutdown(), &state)
      state.finish(.stopped)
      state.stopDeadline = .now + limits.grace
      if case .nobody = state.reader { state.reader = .pump }
      child.closeInput()
    }
    wakePump()
  }

  /// Queues a line for the program: as much as its pipe takes now, the rest when it has room.
  func write(_ line: [UInt8], _ state: inout SessionState) {
    guard state.end == nil else { return }
    state.queuedBytes += line.count
    guard state.outbox.isEmpty else {
      state.outbox += line
      if state.outbox.count > limits.waitingInputBytes { state.finish(.inputUnread(bytes: state.outbox.count)) }
      return
    }
    switch child.send(line[...]) {
    case .bytes(let count): if count < line.count { state.outbox = line[count...] }
    case .closed:
      state.outbox = line[...]
      state.finish(.closedInput)
    }
  }

  /// Wakes the session's thread, which may be waiting.
  func wakePump() {
    // A full pipe wakes it just as well.
    _ = wakePipe.writing.send([0])
  }
}
