import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

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
  /// Reads the output, or nil after the command has ended.
  private let reader: Mutex<ServiceReader?>

  /// Starts the command.
  init(
    _ start: CommandStart, mergesOutput: Bool, pattern: LinePattern?, in context: ActionContext
  ) throws(SystemError) {
    self.context = context
    self.pattern = pattern
    let output = try Descriptor.pipe()
    let errors = try Descriptor.pipe()
    try CommandStart.checkRoom(above: errors.writing.number)
    try ProcessRoom.check()
    let merged = mergesOutput ? output.writing.number : errors.writing.number
    group = try start.group(input: CommandStart.nothing, output: output.writing.number, errors: merged)
    reader = Mutex(
      ServiceReader(
        CommandOutput(output.takeReading(), limitBytes: 0), CommandOutput(errors.takeReading(), limitBytes: 0),
        OutputLines(context), endOf: group))
    guard pattern != nil else { return }
    let lines = OutputLines(context) { [weak self] line in self?.lookAt(line) }
    reader.withLock { $0?.lines = lines }
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
  func record(stranger: String) -> Bool {
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

  /// Reads the command's output until the command has ended. Returns nil then. If the command is silent and the thread
  /// is shared, returns the events for which it waits.
  func read(on thread: StepThread) -> CommandPause? {
    let (pause, last) = reader.withLock { reader -> (CommandPause?, LastLines?) in
      guard var open = reader.take() else { return (nil, nil) }
      if let pause = open.read(group, on: thread, awaitsMore: { isAwaitingInnerRuns }) {
        reader = consume open
        return (pause, nil)
      }
      return (nil, open.finish())
    }
    guard let last else { return pause }
    state.withLock { state in
      state.hasEnded = true
      state.lastLines = last
      state.onMatch = nil
    }
    return nil
  }

  /// Ends the remaining processes of the group. Called after the command has ended.
  ///
  /// - Parameter isShared: true if this thread must not wait for them.
  func collect(isShared: Bool) -> GroupOutcome {
    let outcome = GroupOutcome()
    if !isShared {
      outcome.set(group.collect(withSession: true))
    } else if let ending = group.collect(withSession: true, { outcome.set($0) }) {
      outcome.set(ending)
    }
    return outcome
  }

  private func lookAt(_ line: UnsafeRawBufferPointer) {
    if !isOver, pattern?.matches(line) == true { noteMatch() }
  }

  /// True if the service was asked to end and nested flowrun runs are still cleaning up.
  private var isAwaitingInnerRuns: Bool { state.withLock { $0.isAskedToEnd } && group.innerTime > 0 }
}
