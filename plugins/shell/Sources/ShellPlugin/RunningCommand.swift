import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// A running command. When it ends, the remaining processes of its group are ended as well.
struct RunningCommand: ~Copyable {
  private let context: ActionContext
  private let group: ProcessGroup
  private var output: CommandOutput
  private var errors: CommandOutput
  private var lines: OutputLines
  private let kill = CommandStop()
  /// A descriptor that becomes readable when the group's leader ends. Its number is negative until it is needed, or if
  /// the system has no such descriptors.
  private var exitWatch = Descriptor(-1)
  private var hasBeenRead = false

  /// The outcome and the output of a command that has ended.
  struct Ending {
    /// The leader's status. It also states whether the leader left behind processes that had to be killed.
    var group: ProcessGroup.Ending
    var output: String
    var errors: String
    /// The last lines of both streams, in the order in which they arrived.
    var lastLines: LastLines
    /// True if the command was killed because it did not end in time.
    var wasKilled: Bool
  }

  /// Starts the command.
  ///
  /// - Parameter mergesOutput: true if standard error is written to the pipe of standard output.
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

  /// Ends the remaining processes of the group. Must be called after all output has been read.
  ///
  /// - Parameter restDone: called with the group's outcome if processes must be awaited, or nil to wait for them on
  ///   this thread. If it will be called, `isCalled` is true and the returned outcome is that of the leader only.
  consuming func end(restDone: (@Sendable (ProcessGroup.Ending) -> Void)?) -> (Ending, isCalled: Bool) {
    if context.isCancelled { awaitInnerRuns() }
    lines.finish()
    defer { Self.running.wrappingSubtract(1, ordering: .relaxed) }
    // If an output is still open or the command was cancelled, child processes may be running.
    let hasRest = output.isOpen || errors.isOpen || context.isCancelled
    let ending = restDone.map { group.collect(withSession: hasRest, $0) } ?? group.collect(withSession: hasRest)
    // Later steps may need a process in another session.
    if output.isOpen || errors.isOpen, !context.isCancelled {
      LateOutput.read(output.takePipe(), errors.takePipe(), in: context)
    }
    let result = Ending(
      group: ending ?? ProcessGroup.Ending(status: group.status() ?? .exited(code: 0), leftBehind: false),
      output: output.text, errors: errors.text, lastLines: lines.last, wasKilled: kill.wasNeeded)
    return (result, ending == nil)
  }

  private static let running = Atomic(0)

  /// The number of commands that are running in this process. Each releases descriptors and processes when it ends.
  static var count: Int { running.load(ordering: .relaxed) }

  /// The number of pieces of output after which the leader is checked if output arrives constantly.
  private static let busyLooks = 16
  /// The time in milliseconds within which processes may print after the leader's end. On a separate thread, the leader
  /// is also checked at this interval if the system has no descriptor for its end.
  private static let shortMilliseconds: CInt = 20
  /// The interval in milliseconds at which the leader is checked without a thread if the system has no descriptor for
  /// its end.
  private static let lookMilliseconds: CInt = 50
  /// The pause in milliseconds while the log accepts no more lines. Meanwhile the command is blocked, as by a slow
  /// terminal.
  private static let fullMilliseconds: CInt = 10
  /// The number of times that a silent command waits on a thread that no other step needs. As a result, the thread that
  /// started a short command usually reads all of its output.
  private static let heldLooks = 10
  private static let heldMilliseconds: CInt = 2

  /// Waits briefly for the end of the leader. It ends just after its outputs are closed, so for most short commands
  /// this thread wakes once instead of three times. Without a descriptor for the end, waits for standard error, which
  /// is closed last.
  private mutating func awaitEnd() {
    exitWatch = Descriptor.exitWatch(of: group.number)
    let number = exitWatch.number >= 0 ? exitWatch.number : errors.isOpen ? errors.number : output.number
    var file = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    _ = poll(&file, 1, Self.heldMilliseconds)
  }

  /// Reads the output of nested flowrun runs, which may still clean up after the command has ended.
  private mutating func awaitInnerRuns() {
    while group.innerTime > 0 {
      var files = (
        pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors.number, events: Int16(POLLIN), revents: 0)
      )
      _ = withUnsafeMutableBytes(of: &files) {
        poll($0.bindMemory(to: pollfd.self).baseAddress, 2, Self.shortMilliseconds)
      }
      // The nested runs may continue after closing the outputs.
      if !output.isOpen, !errors.isOpen { _ = poll(nil, 0, Self.shortMilliseconds) }
      if files.0.revents != 0 { output.read(everything: false, as: .standardOutput, into: &lines) }
      if files.1.revents != 0 { errors.read(everything: false, as: .standardError, into: &lines) }
    }
    output.read(everything: true, as: .standardOutput, into: &lines)
    errors.read(everything: true, as: .standardError, into: &lines)
  }

  /// Reads both outputs until they or the leader have ended, and then returns nil. A process that outlives the leader
  /// may keep the outputs open. If the command is silent and the thread is shared, returns the conditions on which to
  /// continue.
  mutating func read(on thread: StepThread) -> CommandPause? {
    var isShared = thread.isWanted != nil
    if !hasBeenRead, thread.isWanted?() != true { awaitEnd() }
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
      // Checked even if data arrives constantly, because the data may come from a process that outlives the leader.
      let isLook = ready == 0 || looks % Self.busyLooks == 0
      if isLook, exitWatch.number < 0 {
        hasEnded = group.status() != nil
        exitWatch = Descriptor.exitWatch(of: group.number)
      }
      if files.0.revents == Int16(POLLHUP) {
        output.end()
      } else if files.0.revents != 0 || hasEnded {
        output.read(everything: hasEnded, as: .standardOutput, into: &lines)
      }
      if files.1.revents == Int16(POLLHUP) {
        errors.end()
      } else if files.1.revents != 0 || hasEnded {
        errors.read(everything: hasEnded, as: .standardError, into: &lines)
      }
      if hasEnded {
        readRest()
        return nil
      }
      guard isShared, isLook, ready == 0 || isWanted else { continue }
      if ReadinessWatch.shared.begin() { return pause(isFull: isFull) }
      isShared = false
    }
    return isShared ? awaitLeader() : nil
  }

  /// Reads what other processes print just after the leader's end, such as the last lines of `exec > >(tee log)`. Stops
  /// after a short time, or earlier if they close the outputs, the log has no room or the step is cancelled.
  private mutating func readRest() {
    let end = ContinuousClock.now + .milliseconds(Int(Self.shortMilliseconds))
    while output.isOpen || errors.isOpen, lines.hasRoom, !context.isCancelled, ContinuousClock.now < end {
      var files = (
        pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors.number, events: Int16(POLLIN), revents: 0)
      )
      let ready = withUnsafeMutableBytes(of: &files) {
        poll($0.bindMemory(to: pollfd.self).baseAddress, 2, Self.shortMilliseconds)
      }
      if ready <= 0 { return }
      if files.0.revents != 0 { output.read(everything: true, as: .standardOutput, into: &lines) }
      if files.1.revents != 0 { errors.read(everything: true, as: .standardError, into: &lines) }
    }
  }

  /// Returns the milliseconds that this thread waits for more output, or −1 to wait without a limit.
  private func patience(isFull: Bool, isShared: Bool, isWanted: Bool) -> CInt {
    if isShared { return isFull || isWanted ? 0 : Self.heldMilliseconds }
    if isFull { return Self.fullMilliseconds }
    return exitWatch.number >= 0 ? -1 : Self.shortMilliseconds
  }

  private func pause(isFull: Bool) -> CommandPause {
    if isFull { return CommandPause(files: [exitWatch.number], time: .milliseconds(Int(Self.fullMilliseconds))) }
    return CommandPause(
      files: [output.number, errors.number, exitWatch.number],
      time: exitWatch.number >= 0 ? nil : .milliseconds(Int(Self.lookMilliseconds)))
  }

  /// Called when both outputs have ended. Returns nil if the leader has ended, ends within 2 ms, or cannot be watched
  /// without blocking a thread. Otherwise returns a pause until the leader ends.
  private mutating func awaitLeader() -> CommandPause? {
    if group.status() != nil { return nil }
    if exitWatch.number < 0 { exitWatch = Descriptor.exitWatch(of: group.number) }
    guard exitWatch.number >= 0 else { return nil }
    var file = pollfd(fd: exitWatch.number, events: Int16(POLLIN), revents: 0)
    if poll(&file, 1, Self.heldMilliseconds) != 0 || !ReadinessWatch.shared.begin() { return nil }
    return CommandPause(files: [exitWatch.number])
  }
}

extension StopPolicy.Signal {
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
