import FlowModel
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

/// The communication with a running program, from its start to its end.
///
/// Only one thread at a time reads standard output. If no thread is reading, the caller reads for one or two
/// milliseconds, so that a quick answer needs no thread switch. Slower and concurrent calls are left to the session's
/// thread (`PluginSession+Pump.swift`). That thread also reads the log, writes queued input, detects the program's end
/// and enforces deadlines. Only that thread ends the session.
package final class PluginSession: Sendable {
  let plugin: String
  private let version: String
  /// The settings for a worker, or nil for a plugin's program.
  let worker: WorkerTerms?
  let limits: PluginLimits
  let child: ChildProcess
  let state = Mutex(SessionState())
  let lines: Mutex<LineBuffer>
  let log = Mutex(ProgramLog())
  /// Wakes the session's thread when its plan may have changed.
  let wakePipe: Descriptor.Pipe
  /// Makes a caller that is reading stop.
  let recallPipe: Descriptor.Pipe
  /// Signaled when the session has ended.
  let over = SharedEnd()
  private let nextID = Atomic(HostMessage.initializeID)

  /// Starts a plugin's program and the thread of the session.
  convenience init(_ command: PluginCommand, of plugin: InstalledPlugin, limits: PluginLimits) throws(SystemError) {
    try self.init(
      command, name: plugin.name, version: plugin.manifest.version, folder: plugin.folder, limits: limits)
  }

  /// Starts a program and the thread of the session.
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

  /// True if further calls are accepted.
  package var isOpen: Bool { state.withLock { $0.end == nil } }

  /// Sends the `initialize` request and waits for its outcome.
  package func initialize() async -> PluginCall.Outcome {
    let call = newCall(nil, nil, deadline: .now + limits.start)
    let line =
      worker.map { HostMessage.initialize(worker: plugin, version: version, $0) }
      ?? HostMessage.initialize(name: plugin, version: version)
    let outcome = if let outcome = make(call, line) { outcome } else { await call.end() }
    if case .answered(let greeting) = outcome { state.withLock { $0.greeting = greeting } }
    return outcome
  }

  /// Sends a worker a request that is not a call to an action. The worker reads requests in the order in which they are
  /// sent.
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

  /// Calls an action. `inputs` must contain default values. `files` is the number of the folder on the worker's machine
  /// that contains the step's files.
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
    // The answer usually arrives while the caller is reading.
    if let outcome = make(call, line) { return outcome }
    return await withTaskCancellationHandler {
      await call.end()
    } onCancel: {
      self.cancel(call.id)
    }
  }

  /// Returns the folder of the file that contains the step. Returns nil if it is the workflow's folder, which the
  /// worker already has, or if the program is not a worker.
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

  /// Sends a call. Returns the outcome if there is one almost immediately, or nil if the call is pending.
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
        // The current reader sees this call in the table before it stops reading.
        return state.outbox.isEmpty && state.end == nil && call.deadline == nil ? .leavesItToReader : .leavesItToPump
      }
    }
  }

  /// Reads messages until the call has an outcome, the program violates the protocol, or the session's thread takes
  /// over.
  private func readDirectly(until call: PluginCall) {
    // Standard error comes second, because `poll` checks descriptors in order. If it is empty, it was also empty when
    // standard output became readable.
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
        // From now on, the session's thread reads the log.
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

  /// Asks the program to cancel a call, and starts the grace period of the call.
  func cancel(_ id: Int) {
    let hasStarted = state.withLock { state in
      guard state.startGrace(of: id, until: .now + limits.grace) else { return false }
      write(HostMessage.cancel(id: id), &state)
      return true
    }
    if hasStarted { wakePump() }
  }

  /// Waits until the program has ended and all calls have an outcome.
  package func awaitEnd() async { await over.value() }

  /// True if the host asked the program to end.
  package var wasStopped: Bool { state.withLock { if case .stopped? = $0.end { true } else { false } } }

  /// True if the host ended the program because it had not answered pings in time.
  package var wasSilent: Bool { state.withLock { if case .noPulse? = $0.end { true } else { false } } }

  /// True if the program was killed by a signal, for example after the grace period.
  package var wasKilled: Bool { state.withLock { $0.wasKilled } }

  /// Waits until the program has ended, and returns the reason as an error.
  package func endError() async -> ActionError {
    await over.value()
    return state.withLock { $0.endError } ?? ActionError("plugin-exited", "\(program) ended")
  }

  /// The time at which the program ended, or the current time if it is still running.
  var endedAt: ContinuousClock.Instant { state.withLock { $0.endedAt } ?? .now }

  /// The outcomes of calls that matter for deciding whether the program is started again.
  var events: [Supervision.Event] { state.withLock { $0.events } }

  /// The program's answer to `initialize`, or nil if there is none.
  package var greeting: Value? { state.withLock { $0.greeting } }

  /// The name of the program in messages.
  var program: String { worker == nil ? "the program of the plugin '\(plugin)'" : "'\(plugin)'" }

  /// Asks the program to end, and waits until it has ended. After the grace period, it is killed.
  package func stop() async {
    requestStop()
    await over.value()
  }

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

  /// Starts sending pings to a worker.
  package func startPulse() {
    guard let worker else { return }
    state.withLock { $0.pulse = SessionPulse(worker.pulse, at: .now) }
    wakePump()
  }

  /// Sends a ping, unless pings are no longer allowed.
  func sendPing(at now: ContinuousClock.Instant) {
    let isAllowed = worker?.mayPing() ?? false
    state.withLock { state in
      guard state.end == nil, state.pulse != nil else { return }
      state.pulse?.notePing(at: now, isSent: isAllowed)
      if isAllowed { write(HostMessage.ping(), &state) }
      if case .nobody = state.reader { state.reader = .pump }
    }
  }

  /// Sends the receipt that a worker has requested; see ``WorkerTerms/isRemote``.
  func sendReceipt() {
    let mustWait = state.withLock { state in
      write(HostMessage.receipt(), &state)
      return !state.outbox.isEmpty
    }
    if mustWait { wakePump() }
  }

  /// Sends a line to the program. The part that the pipe does not accept immediately is queued.
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

  func wakePump() {
    // If the pipe is full, it already contains bytes that wake the thread.
    _ = wakePipe.writing.send([0])
  }
}
