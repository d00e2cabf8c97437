import FlowModel
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

/// The conversation with one running program, from its start to its end.
///
/// Standard output has one reader at a time. If there is no reader, a caller reads for a millisecond or two itself, so
/// that a quick answer needs no thread switch. Slower or concurrent calls are left to the session's thread
/// (`PluginSession+Pump.swift`), which also reads the log, writes queued input, detects the program's end and enforces
/// deadlines. Only that thread ends the conversation.
package final class PluginSession: Sendable {
  let plugin: String
  private let version: String
  /// The terms of a worker, or nil for a plugin's program.
  let worker: WorkerTerms?
  let limits: PluginLimits
  let child: ChildProcess
  let state = Mutex(SessionState())
  let lines: Mutex<LineBuffer>
  let log = Mutex(ProgramLog())
  /// Wakes the session's thread.
  let wakePipe: Descriptor.Pipe
  /// Wakes a caller that reads, so that it stops.
  let recallPipe: Descriptor.Pipe
  /// Finished once the conversation has ended.
  let over = SharedEnd()
  private let nextID = Atomic(HostMessage.initializeID)

  /// Starts the program of a plugin and its thread.
  convenience init(_ command: PluginCommand, of plugin: InstalledPlugin, limits: PluginLimits) throws(SystemError) {
    try self.init(
      command, name: plugin.name, version: plugin.manifest.version, folder: plugin.folder, limits: limits)
  }

  /// Starts a program and its thread.
  package init(
    _ command: PluginCommand, name: String, version: String, folder: String, limits: PluginLimits,
    worker: WorkerTerms? = nil
  ) throws(SystemError) {
    plugin = name
    self.version = version
    self.worker = worker
    self.limits = limits
    wakePipe = try Descriptor.pipe()
    recallPipe = try Descriptor.pipe()
    child = try ChildProcess(command.arguments, environment: command.environment, directory: folder)
    wakePipe.setNonBlocking()
    recallPipe.setNonBlocking()
    lines = Mutex(LineBuffer(limit: limits.lineBytes))
    try DetachedThread.start { self.pump() }
  }

  /// True if calls can still be made.
  package var isOpen: Bool { state.withLock { $0.end == nil } }

  /// Sends the `initialize` request.
  package func initialize() async -> PluginCall.Outcome {
    let call = newCall(nil, nil, deadline: .now + limits.start)
    let line =
      worker.map { HostMessage.initialize(worker: plugin, version: version, $0) }
      ?? HostMessage.initialize(name: plugin, version: version)
    let outcome = if let outcome = make(call, line) { outcome } else { await call.end() }
    if case .answered(let greeting) = outcome { state.withLock { $0.greeting = greeting } }
    return outcome
  }

  /// Sends a worker a request that runs nothing. Requests are read in the order in which they are sent.
  package func post(_ method: String, _ parameters: ValueObject) -> PluginCall {
    let call = newCall(nil, nil, deadline: nil)
    let line = HostMessage.request(id: call.id, method, parameters)
    switch send(line, as: call, readsItself: false) {
    case .closed: call.finish(.unread)
    case .leavesItToPump: wakePump()
    case .leavesItToReader, .readsItself: break
    }
    return call
  }

  /// Calls an action with complete inputs; `files` is the number of the worker's folder for the step's files.
  package func run(
    _ action: CallableAction, _ inputs: ValueObject, files: Int? = nil, _ context: ActionContext
  ) async -> PluginCall.Outcome {
    let call = newCall(action, context, deadline: nil)
    let line = HostMessage.run(
      id: call.id, head: action.requestHead, inputs: inputs, durations: action.durationNames,
      environment: context.environment,
      attempt: context.attempt, remaining: context.remaining,
      key: worker == nil ? nil : context.idempotencyKey, workflowFolder: ownFolder(context), files: files,
      isQuiet: worker != nil && !context.host.showsOutput(of: context.step))
    // Usually the answer arrives while the caller reads.
    if let outcome = make(call, line) { return outcome }
    return await withTaskCancellationHandler {
      await call.end()
    } onCancel: {
      self.cancel(call.id)
    }
  }

  /// The folder of the file that contains the step, if it is not the folder of the workflow, which the worker already
  /// has.
  private func ownFolder(_ context: ActionContext) -> String? {
    guard let worker else { return nil }
    let folder = context.run.workflowFolder
    return folder == worker.workflowFolder ? nil : folder
  }

  private func newCall(
    _ action: CallableAction?, _ context: ActionContext?, deadline: ContinuousClock.Instant?
  ) -> PluginCall {
    PluginCall(
      id: nextID.wrappingAdd(1, ordering: .relaxed).oldValue, action: action, context: context, deadline: deadline)
  }

  /// Sends the line of a call; returns its result if it arrives almost at once, otherwise nil.
  private func make(_ call: PluginCall, _ line: [UInt8]) -> PluginCall.Outcome? {
    if line.count > limits.lineBytes {
      return .failed(
        ActionError(
          "plugin-input", "the inputs take \(line.count) bytes as JSON; at most \(limits.lineBytes) can be sent",
          isRetryable: false))
    }
    switch send(line, as: call) {
    case .closed: return .unread
    case .readsItself(let wakesPump):
      if wakesPump { wakePump() }
      readDirectly(until: call)
    case .leavesItToPump: wakePump()
    case .leavesItToReader: break
    }
    return call.outcome
  }

  private enum Sent {
    case closed, leavesItToPump, leavesItToReader
    case readsItself(wakesPump: Bool)
  }

  private func send(_ line: [UInt8], as call: PluginCall, readsItself: Bool = true) -> Sent {
    state.withLock { state in
      guard state.end == nil else { return .closed }
      state.add(call)
      write(line, &state)
      switch state.reader {
      case .nobody where readsItself && state.outbox.isEmpty && state.end == nil:
        return .readsItself(wakesPump: state.beginDirectRead())
      case .nobody:
        state.reader = .pump
        return .leavesItToPump
      case .caller, .pump:
        // The current reader checks for this call before it stops reading.
        return state.outbox.isEmpty && state.end == nil && call.deadline == nil ? .leavesItToReader : .leavesItToPump
      }
    }
  }

  /// Reads until the answer arrives, the program makes an error, or the session's thread takes over.
  private func readDirectly(until call: PluginCall) {
    // The log is polled after the output: if it is empty, it was also empty when the output became readable.
    var interests = (
      pollfd(fd: child.output.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: child.errors.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: recallPipe.reading.number, events: Int16(POLLIN), revents: 0)
    )
    while true {
      let count = withUnsafeMutableBytes(of: &interests) { interests in
        poll(interests.assumingMemoryBound(to: pollfd.self).baseAddress, 3, -1)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 || interests.2.revents != 0 { break }
      if interests.0.revents == 0 {
        // The session's thread reads the log.
        interests.1.fd = -1
        continue
      }
      let look = readOutput(isLogEmpty: interests.1.fd >= 0 && interests.1.revents == 0)
      if look == .idle { return }
      guard look == .open, call.outcome == nil, isOpen else { break }
    }
    recallPipe.drain()
    let isQuiet = state.withLock { state in
      state.leaveReading()
      return state.isQuiet
    }
    if !isQuiet { wakePump() }
  }

  /// Asks the program to cancel a call and starts its grace period.
  func cancel(_ id: Int) {
    let hasStarted = state.withLock { state in
      guard state.startGrace(of: id, until: .now + limits.grace) else { return false }
      write(HostMessage.cancel(id: id), &state)
      return true
    }
    if hasStarted { wakePump() }
  }

  /// Waits until the program has ended and all calls are finished.
  package func awaitEnd() async { await over.value() }

  /// True if the host asked the program to end.
  package var wasStopped: Bool { state.withLock { if case .stopped? = $0.end { true } else { false } } }

  /// True if the program was considered lost because it had been silent for too long.
  package var wasSilent: Bool { state.withLock { if case .noPulse? = $0.end { true } else { false } } }

  /// True if a signal ended the program, such as the one sent after the grace period.
  package var wasKilled: Bool { state.withLock { $0.wasKilled } }

  /// Waits for the end and returns its reason.
  package func endError() async -> ActionError {
    await over.value()
    return state.withLock { $0.endError } ?? ActionError("plugin-exited", "\(program) ended")
  }

  /// The instant of its end; now if it has not ended.
  var endedAt: ContinuousClock.Instant { state.withLock { $0.endedAt } ?? .now }

  /// What became of the calls that it was given.
  var events: [Supervision.Event] { state.withLock { $0.events } }

  /// What a worker or a plugin's program says of itself; nil as long as it has said nothing.
  package var greeting: Value? { state.withLock { $0.greeting } }

  /// The program in messages.
  var program: String { worker == nil ? "the program of the plugin '\(plugin)'" : "'\(plugin)'" }

  /// Asks the program to end and waits until it has ended or was killed after the grace period.
  package func stop() async {
    requestStop()
    await over.value()
  }

  /// Asks the program to end, without waiting.
  package func requestStop() {
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

  /// Starts to ask a worker for heartbeats.
  package func startPulse() {
    guard let worker else { return }
    state.withLock { $0.pulse = SessionPulse(worker.pulse, at: .now) }
    wakePump()
  }

  /// Sends a ping, unless this is not permitted any more.
  func sendPing(at now: ContinuousClock.Instant) {
    let isAllowed = worker?.mayPing() ?? false
    state.withLock { state in
      guard state.end == nil, state.pulse != nil else { return }
      state.pulse?.notePing(at: now, isSent: isAllowed)
      if isAllowed { write(HostMessage.ping(), &state) }
      if case .nobody = state.reader { state.reader = .pump }
    }
  }

  /// Confirms a worker's write.
  func sendReceipt() {
    let mustWait = state.withLock { state in
      write(HostMessage.receipt(), &state)
      return !state.outbox.isEmpty
    }
    if mustWait { wakePump() }
  }

  /// Queues a line for the program: writes as much as its pipe accepts now, and the rest later.
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
    // A full pipe also wakes it.
    _ = wakePipe.writing.send([0])
  }
}
