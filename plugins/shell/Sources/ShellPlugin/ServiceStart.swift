import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// The output streams of a service.
struct ServicePipes: ~Copyable {
  var output: CommandOutput
  var errors: CommandOutput
}

/// One run of a service's command. Each restart creates a new one.
final class ServiceStart: Sendable {
  private struct State {
    var isReady = false
    var isTooLate = false
    var hasEnded = false
    var isAskedToEnd = false
    var lastLines = LastLines()
    /// Called when a line matches, then removed.
    var onMatch: (@Sendable () -> Void)?
    var hasMatched = false
    /// The process that answers at the service's port without belonging to it.
    var stranger: String?
  }

  private let group: ProcessGroup
  private let context: ActionContext
  private let pattern: LinePattern?
  private let state = Mutex(State())
  private let kill = CommandStop()

  /// The interval of checking the leader if there is no descriptor for its end.
  private static let lookMilliseconds: CInt = 50
  /// The pause while the log accepts no more lines.
  private static let fullMilliseconds: CInt = 10

  /// Starts the command. Waits if too few descriptors or processes are available.
  ///
  /// - Parameter pipes: set to the command's output streams.
  init(
    _ start: CommandStart, mergesOutput: Bool, pattern: LinePattern?, in context: ActionContext,
    _ pipes: inout ServicePipes?
  ) throws {
    self.context = context
    self.pattern = pattern
    var patience = Patience()
    while true {
      try context.checkCancellation()
      do throws(SystemError) {
        let output = try Descriptor.pipe()
        let errors = try Descriptor.pipe()
        try CommandStart.checkRoom(above: errors.writing.number)
        try ProcessRoom.check()
        let merged = mergesOutput ? output.writing.number : errors.writing.number
        group = try start.group(input: CommandStart.nothing, output: output.writing.number, errors: merged)
        pipes = ServicePipes(
          output: CommandOutput(output.takeReading(), limitBytes: 0),
          errors: CommandOutput(errors.takeReading(), limitBytes: 0))
        break
      } catch {
        guard patience.allows(error) else { throw start.explain(error) }
      }
    }
  }

  var isReady: Bool { state.withLock { $0.isReady } }
  /// True if the service was not ready within its time limit.
  var isTooLate: Bool { state.withLock { $0.isTooLate } }
  /// True if readiness is no longer awaited: the service is ready, was not ready in time, or has ended.
  var isOver: Bool { state.withLock { $0.isReady || $0.isTooLate || $0.hasEnded } }
  /// True if the command was killed because it had not ended in time.
  var wasKilled: Bool { kill.wasNeeded }
  /// The description of the process that answered at its port and does not belong to it, or nil.
  var stranger: String? { state.withLock { $0.stranger } }
  /// The last lines of its output.
  var lastLines: LastLines { state.withLock { $0.lastLines } }

  /// Checks once whether the service is ready.
  func look(_ probe: ReadyProbe) -> ReadyProbe.Answer { probe.look(at: group, unless: { self.isOver }) }

  /// Records a process that answers at the service's port without belonging to it; returns false if it is known.
  func note(stranger: String) -> Bool {
    state.withLock { state in
      defer { state.stranger = stranger }
      return state.stranger != stranger
    }
  }

  /// Marks the service as ready; returns false if it already was or its readiness is no longer awaited.
  func becomeReady() -> Bool {
    state.withLock { state in
      guard !state.isReady, !state.isTooLate, !state.hasEnded else { return false }
      state.isReady = true
      return true
    }
  }

  /// Marks the service as not ready in time. Returns false if it is ready or has ended.
  func giveUp() -> Bool {
    state.withLock { state in
      guard !state.isReady, !state.hasEnded else { return false }
      state.isTooLate = true
      return true
    }
  }

  /// Calls `action` once when a line matches, or immediately if one has matched.
  func onLine(_ action: @escaping @Sendable () -> Void) {
    let hasMatched = state.withLock { state in
      if !state.hasMatched { state.onMatch = action }
      return state.hasMatched
    }
    if hasMatched { action() }
  }

  private func noteMatch() {
    let action = state.withLock { state in
      state.hasMatched = true
      return state.onMatch.take()
    }
    action?()
  }

  /// Asks the command to end, and kills it if it does not end in time.
  func end(_ stop: StopPolicy, _ context: ActionContext) {
    state.withLock { $0.isAskedToEnd = true }
    kill.end(group, by: stop, in: context)
  }

  /// Reads the command's output until the command has ended, and ends the remaining processes of its group.
  func awaitEnd(reading pipes: inout ServicePipes?) -> TerminationStatus {
    let look: @Sendable (UnsafeRawBufferPointer) -> Void = { [self] line in lookAt(line) }
    var lines = pattern == nil ? OutputLines(context) : OutputLines(context, onLine: look)
    if var open = pipes.take() { read(&open, &lines) }
    lines.finish()
    let last = lines.last
    state.withLock { state in
      state.hasEnded = true
      state.lastLines = last
      state.onMatch = nil
    }
    return group.collect(withSession: true).status
  }

  private func lookAt(_ line: UnsafeRawBufferPointer) {
    if !isOver, pattern?.matches(line) == true { noteMatch() }
  }

  /// True if the service was asked to end and nested flowrun runs are still cleaning up.
  private var isAwaitingInnerRuns: Bool { state.withLock { $0.isAskedToEnd } && group.innerTime > 0 }

  private func read(_ pipes: inout ServicePipes, _ lines: inout OutputLines) {
    let end = Descriptor.exitWatch(of: group.number)
    var hasEnded = false
    while true {
      let patience = hasEnded || end.number < 0 ? Self.lookMilliseconds : -1
      let isFull = !lines.hasRoom
      var files = (
        pollfd(fd: isFull ? -1 : pipes.output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isFull ? -1 : pipes.errors.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: hasEnded ? -1 : end.number, events: Int16(POLLIN), revents: 0)
      )
      let ready = withUnsafeMutableBytes(of: &files) { bytes in
        poll(bytes.bindMemory(to: pollfd.self).baseAddress, 3, isFull ? Self.fullMilliseconds : patience)
      }
      if ready < 0, errno != EINTR { return }
      hasEnded = hasEnded || files.2.revents != 0 || end.number < 0 && group.status() != nil
      if files.0.revents != 0 || hasEnded {
        pipes.output.read(everything: hasEnded, as: .standardOutput, into: &lines)
      }
      if files.1.revents != 0 || hasEnded {
        pipes.errors.read(everything: hasEnded, as: .standardError, into: &lines)
      }
      if hasEnded, !isAwaitingInnerRuns { return }
    }
  }
}
