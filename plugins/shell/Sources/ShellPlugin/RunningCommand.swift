import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// A command from its start to its end, in a process group that ends with it.
struct RunningCommand: ~Copyable {
  private let context: ActionContext
  private let group: ProcessGroup
  private var output: CommandOutput
  private var errors: CommandOutput
  private var lines: OutputLines
  private let kill = CommandStop()
  /// Readable once the leader has ended. It has no number while nothing waits for that, or if the system does not
  /// support it.
  private var exitWatch = Descriptor(-1)
  private var hasBeenRead = false

  /// The end of a command and its output.
  struct Ending {
    /// The status of its process, and whether other processes were left and then killed.
    var group: ProcessGroup.Ending
    var output: String
    var errors: String
    /// The last lines of both outputs, in order of arrival.
    var lastLines: LastLines
    /// True if it did not end in time after it was asked to.
    var wasKilled: Bool
  }

  /// Starts the command.
  ///
  /// - Parameter mergesOutput: true to send standard error to the pipe of standard output.
  init(
    _ start: CommandStart, outputLimitBytes: Int, mergesOutput: Bool, _ stop: StopPolicy, in context: ActionContext
  ) throws(SystemError) {
    let output = try Descriptor.pipe()
    if mergesOutput {
      try CommandStart.checkRoom(above: output.writing.number)
      try ProcessRoom.check()
      group = try start.group(
        input: CommandStart.nothing, output: output.writing.number, errors: output.writing.number)
      self.output = CommandOutput(output.takeReading(), limitBytes: outputLimitBytes)
      self.errors = CommandOutput(limitBytes: outputLimitBytes)
    } else {
      let errors = try Descriptor.pipe()
      try CommandStart.checkRoom(above: errors.writing.number)
      try ProcessRoom.check()
      group = try start.group(
        input: CommandStart.nothing, output: output.writing.number, errors: errors.writing.number)
      self.output = CommandOutput(output.takeReading(), limitBytes: outputLimitBytes)
      self.errors = CommandOutput(errors.takeReading(), limitBytes: outputLimitBytes)
    }
    Self.running.wrappingAdd(1, ordering: .relaxed)
    self.context = context
    lines = OutputLines(context)
    kill.stop(group, by: stop, in: context)
  }

  /// Ends the remaining processes of the group after the command has been read to its end.
  ///
  /// - Parameter restDone: called with the ending of the group if other processes must be waited for; nil if this thread waits for
  ///   them. The second result is whether it is called. Until then the ending is that of the leader.
  consuming func end(restDone: (@Sendable (ProcessGroup.Ending) -> Void)?) -> (Ending, isCalled: Bool) {
    if context.isCancelled { awaitInnerRuns() }
    lines.finish()
    defer { Self.running.wrappingSubtract(1, ordering: .relaxed) }
    // Another process has its outputs open, or it was asked to end early: child processes may be left.
    let hasRest = output.isOpen || errors.isOpen || context.isCancelled
    let ending = restDone.map { group.collect(withSession: hasRest, $0) } ?? group.collect(withSession: hasRest)
    // A process in a session of its own may serve later steps.
    if output.isOpen || errors.isOpen, !context.isCancelled {
      LateOutput.read(output.takePipe(), errors.takePipe(), in: context)
    }
    let result = Ending(
      group: ending ?? ProcessGroup.Ending(status: group.status() ?? .exited(code: 0), leftBehind: false),
      output: output.text, errors: errors.text, lastLines: lines.last, wasKilled: kill.wasNeeded)
    return (result, ending == nil)
  }

  private static let running = Atomic(0)

  /// The number of running commands of this process, which will release their resources.
  static var count: Int { running.load(ordering: .relaxed) }

  /// The number of consecutive pieces of output after which the leader is checked.
  private static let busyLooks = 16
  /// The time, on a thread reserved for the command, to wait for the outputs alone. Most commands close both within it
  /// and need no descriptor for their end. Without such a descriptor, also the interval for checking the leader.
  private static let shortMilliseconds: CInt = 20
  /// The interval for checking the leader if its end has no descriptor.
  private static let lookMilliseconds: CInt = 50
  /// The pause while the log accepts no more lines: the command waits, as with a slow terminal.
  private static let fullMilliseconds: CInt = 10
  /// The number of checks for which a silent command keeps a thread that nothing else needs: most short commands are
  /// read by the thread that started them.
  private static let heldLooks = 10
  private static let heldMilliseconds: CInt = 2

  /// Waits for standard error alone. A command that ends closes it after standard output, so for most short commands
  /// only one of the two wakes this thread.
  private func awaitErrors() {
    var file = pollfd(fd: errors.isOpen ? errors.number : output.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&file, 1, Self.heldMilliseconds)
  }

  /// Reads the output of nested flowrun runs that clean up after the command has ended.
  private mutating func awaitInnerRuns() {
    while group.innerTime > 0 {
      var files = (
        pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors.number, events: Int16(POLLIN), revents: 0)
      )
      _ = withUnsafeMutableBytes(of: &files) {
        poll($0.bindMemory(to: pollfd.self).baseAddress, 2, Self.shortMilliseconds)
      }
      // Checks whether they have ended, not whether the outputs have.
      if !output.isOpen, !errors.isOpen { _ = poll(nil, 0, Self.shortMilliseconds) }
      if files.0.revents != 0 { output.read(everything: false, as: .standardOutput, into: &lines) }
      if files.1.revents != 0 { errors.read(everything: false, as: .standardError, into: &lines) }
    }
    output.read(everything: true, as: .standardOutput, into: &lines)
    errors.read(everything: true, as: .standardError, into: &lines)
  }

  /// The events that a command waits for without a thread.
  struct Pause {
    /// The descriptors of which one must become ready.
    var files: [CInt]
    /// The time limit, or nil.
    var time: Duration?
  }

  /// Reads both outputs until both have ended or the leader has ended, because a leftover process may keep them open.
  /// Returns the events to wait for if the command has not ended and the thread is shared, or nil once it has been read
  /// to its end.
  mutating func read(on thread: StepThread) -> Pause? {
    var isShared = thread.isWanted != nil
    if !hasBeenRead, thread.isWanted?() != true { awaitErrors() }
    hasBeenRead = true
    var looks = 0
    var idleLooks = 0
    while output.isOpen || errors.isOpen {
      let isFull = !lines.hasRoom
      var files = (
        pollfd(fd: isFull ? -1 : output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isFull ? -1 : errors.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: exitWatch.number, events: Int16(POLLIN), revents: 0)
      )
      let isWanted = isShared && thread.isWanted?() == true
      let time = patience(isFull: isFull, isShared: isShared, isWanted: isWanted)
      let ready = withUnsafeMutableBytes(of: &files) { bytes in
        poll(bytes.bindMemory(to: pollfd.self).baseAddress, 3, time)
      }
      if ready < 0, errno != EINTR { return nil }
      var hasEnded = files.2.revents != 0
      looks += 1
      if ready == 0, isShared, !isFull, !isWanted {
        idleLooks += 1
        if idleLooks < Self.heldLooks { continue }
      }
      // Checked even if data arrives constantly: it may come from a leftover process.
      let isLook = ready == 0 || looks % Self.busyLooks == 0
      if isLook, exitWatch.number < 0 {
        hasEnded = group.status() != nil
        exitWatch = Descriptor.exitWatch(of: group.number)
      }
      if files.0.revents != 0 || hasEnded { output.read(everything: hasEnded, as: .standardOutput, into: &lines) }
      if files.1.revents != 0 || hasEnded { errors.read(everything: hasEnded, as: .standardError, into: &lines) }
      if hasEnded { return nil }
      guard isShared, isLook, ready == 0 || isWanted else { continue }
      if ReadinessWatch.shared.begin() { return pause(isFull: isFull) }
      isShared = false
    }
    return isShared ? awaitLeader() : nil
  }

  /// The milliseconds for which this thread waits for more output.
  private func patience(isFull: Bool, isShared: Bool, isWanted: Bool) -> CInt {
    if isShared { return isFull || isWanted ? 0 : Self.heldMilliseconds }
    if isFull { return Self.fullMilliseconds }
    return exitWatch.number >= 0 ? -1 : Self.shortMilliseconds
  }

  private func pause(isFull: Bool) -> Pause {
    if isFull { return Pause(files: [exitWatch.number], time: .milliseconds(Int(Self.fullMilliseconds))) }
    return Pause(
      files: [output.number, errors.number, exitWatch.number],
      time: exitWatch.number >= 0 ? nil : .milliseconds(Int(Self.lookMilliseconds)))
  }

  /// The event to wait for once both outputs have ended, or nil if the leader has ended, which usually happens at the
  /// same time.
  private mutating func awaitLeader() -> Pause? {
    if group.status() != nil { return nil }
    if exitWatch.number < 0 { exitWatch = Descriptor.exitWatch(of: group.number) }
    guard exitWatch.number >= 0 else { return nil }
    var file = pollfd(fd: exitWatch.number, events: Int16(POLLIN), revents: 0)
    if poll(&file, 1, Self.heldMilliseconds) != 0 || !ReadinessWatch.shared.begin() { return nil }
    return Pause(files: [exitWatch.number])
  }
}

extension StopPolicy.Signal {
  /// The number of the signal.
  var number: CInt {
    switch self {
    case .hangUp: SIGHUP
    case .interrupt: SIGINT
    case .quit: SIGQUIT
    case .terminate: SIGTERM
    case .user1: SIGUSR1
    case .user2: SIGUSR2
    }
  }
}
