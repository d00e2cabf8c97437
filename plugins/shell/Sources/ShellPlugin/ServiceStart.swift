import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// One run of a service's command. Each restart creates another one.
final class ServiceStart: Sendable {
  private struct State {
    var isReady = false
    var isTooLate = false
    var hasEnded = false
    var isAskedToEnd = false
    var lastLines = LastLines()
    /// The action to call once, when a line matches.
    var onMatch: (@Sendable () -> Void)?
    var hasMatched = false
    /// The description of a process that answers on the service's port but does not belong to the service.
    var stranger: String?
  }

  private let group: ProcessGroup
  private let context: ActionContext
  private let pattern: LinePattern?
  private let state = Mutex(State())
  private let kill = CommandStop()
  /// The reader of the output. Nil after the command has ended.
  private let reader: Mutex<ServiceReader?>

  /// Starts the command. If `mergesOutput` is true, standard error is sent to the pipe of standard output. A line that
  /// matches `pattern` marks the service as ready.
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
  /// True if the service did not become ready within its time limit.
  var isTooLate: Bool { state.withLock { $0.isTooLate } }
  /// True if readiness is no longer checked: the service is ready, has exceeded its time limit, or has ended.
  var isOver: Bool { state.withLock { $0.isReady || $0.isTooLate || $0.hasEnded } }
  /// True if the command had to be killed because it did not end in time.
  var wasKilled: Bool { kill.wasNeeded }
  /// The description of a process that answers on the service's port but does not belong to the service, or nil.
  var stranger: String? { state.withLock { $0.stranger } }
  /// The last lines of the service's output.
  var lastLines: LastLines { state.withLock { $0.lastLines } }

  /// Checks once whether the service is ready. The check ends early when readiness no longer matters.
  func look(_ probe: ReadyProbe) -> ReadyProbe.Answer { probe.look(at: group, unless: { self.isOver }) }

  /// Records a process that answers on the service's port but does not belong to the service. Returns false if it was
  /// already recorded.
  func record(stranger: String) -> Bool {
    state.withLock { state in
      defer { state.stranger = stranger }
      return state.stranger != stranger
    }
  }

  /// Marks the service as ready. Returns false if it is already ready, has exceeded its time limit, or has ended.
  func becomeReady() -> Bool {
    state.withLock { state in
      guard !state.isReady, !state.isTooLate, !state.hasEnded else { return false }
      state.isReady = true
      return true
    }
  }

  /// Records that the service exceeded its time limit. Returns false if it is ready or has ended.
  func giveUp() -> Bool {
    state.withLock { state in
      guard !state.isReady, !state.hasEnded else { return false }
      state.isTooLate = true
      return true
    }
  }

  /// Calls `action` once, when a line matches. If a line has already matched, calls it immediately.
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

  /// Reads the command's output until the command has ended, and then returns nil. If the command is silent and the
  /// thread is shared, returns the conditions for continuing.
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

  /// Ends the remaining processes of the group. Must be called after the command has ended.
  ///
  /// - Parameter isShared: true if this thread must not wait until they have ended.
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

  /// True if the service was asked to end but nested flowrun runs are still cleaning up.
  private var isAwaitingInnerRuns: Bool { state.withLock { $0.isAskedToEnd } && group.innerTime > 0 }
}
