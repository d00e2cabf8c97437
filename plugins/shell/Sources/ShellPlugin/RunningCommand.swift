import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// One command from its start to its end, in a process group of its own that ends with it.
struct RunningCommand: ~Copyable {
  private let context: ActionContext
  private let group: ProcessGroup
  private var output: CommandOutput
  private var errors: CommandOutput
  private var lines: OutputLines
  private let kill = CommandStop()

  /// How a command ended and what it wrote.
  struct Ending {
    /// How its process ended, and whether it had left others running, which were then killed.
    var group: ProcessGroup.Ending
    var output: String
    var errors: String
    /// The last lines of both outputs, in the order in which they came.
    var lastLines: LastLines
    /// Whether it had not ended in time after it was asked to.
    var wasKilled: Bool
  }

  /// Starts the command; waits while there are no descriptors or processes for it because others have them.
  ///
  /// - Parameter mergesOutput: whether standard error goes to the pipe of standard output.
  init(
    _ start: CommandStart, outputLimitBytes: Int, mergesOutput: Bool, _ stop: StopPolicy, in context: ActionContext
  ) throws {
    var patience = Patience()
    while true {
      try context.checkCancellation()
      do throws(SystemError) {
        let output = try Descriptor.pipe()
        if mergesOutput {
          try CommandStart.checkRoom(above: output.writing.number)
          try ProcessRoom.check()
          group = try ProcessGroup(
            start.program, input: CommandStart.nothing, output: output.writing.number, errors: output.writing.number,
            inner: start.inner)
          self.output = CommandOutput(output.takeReading(), limitBytes: outputLimitBytes)
          self.errors = CommandOutput(limitBytes: outputLimitBytes)
          break
        }
        let errors = try Descriptor.pipe()
        try CommandStart.checkRoom(above: errors.writing.number)
        try ProcessRoom.check()
        group = try ProcessGroup(
          start.program, input: CommandStart.nothing, output: output.writing.number, errors: errors.writing.number,
          inner: start.inner)
        self.output = CommandOutput(output.takeReading(), limitBytes: outputLimitBytes)
        self.errors = CommandOutput(errors.takeReading(), limitBytes: outputLimitBytes)
        break
      } catch {
        guard patience.allows(error) else { throw start.explain(error) }
      }
    }
    Self.running.wrappingAdd(1, ordering: .relaxed)
    self.context = context
    lines = OutputLines(context)
    kill.stop(group, by: stop, in: context)
  }

  /// Reads what the command writes until it has ended, and ends the processes of its group that outlived it.
  consuming func end() -> Ending {
    read()
    if context.isCancelled { awaitInnerRuns() }
    lines.finish()
    defer { Self.running.wrappingSubtract(1, ordering: .relaxed) }
    // Another process has its outputs open although it has ended, or it was asked to end early: child processes may be left.
    let ending = group.collect(withSession: output.isOpen || errors.isOpen || context.isCancelled)
    // A process in a session of its own may serve later steps.
    if output.isOpen || errors.isOpen, !context.isCancelled {
      LateOutput.read(output.takePipe(), errors.takePipe(), in: context)
    }
    return Ending(
      group: ending, output: output.text, errors: errors.text, lastLines: lines.last,
      wasKilled: kill.wasNeeded)
  }

  private static let running = Atomic(0)

  /// Whether any command of this process runs, which will return what it has.
  static var isAnyRunning: Bool { running.load(ordering: .relaxed) > 0 }

  /// How long the outputs alone are waited for. Most commands have closed both by then, and need no descriptor for
  /// their end, which costs more to make than a pipe.
  private static let shortMilliseconds: CInt = 20
  /// After how many pieces of output in a row the leader is looked after.
  private static let busyLooks = 16
  /// How often the leader is looked after where there is no descriptor for its end.
  private static let lookMilliseconds: CInt = 50
  /// How long the outputs are left alone while no more lines can be taken: the command waits, as at a slow terminal.
  private static let fullMilliseconds: CInt = 10

  /// How long standard error alone is waited for. A command that ends closes it after standard output: of most short commands
  /// one end of an output wakes this thread, and not two.
  private static let firstMilliseconds: CInt = 2

  private func awaitErrors() {
    var file = pollfd(fd: errors.isOpen ? errors.number : output.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&file, 1, Self.firstMilliseconds)
  }

  /// Reads what runs of flowrun write that clean up, although the command has ended in which they are.
  private mutating func awaitInnerRuns() {
    while group.innerTime > 0 {
      var files = (
        pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors.number, events: Int16(POLLIN), revents: 0)
      )
      _ = withUnsafeMutableBytes(of: &files) {
        poll($0.bindMemory(to: pollfd.self).baseAddress, 2, Self.shortMilliseconds)
      }
      // Their own end is looked for, and not that of the outputs.
      if !output.isOpen, !errors.isOpen { _ = poll(nil, 0, Self.shortMilliseconds) }
      if files.0.revents != 0 { output.read(everything: false, as: .standardOutput, into: &lines) }
      if files.1.revents != 0 { errors.read(everything: false, as: .standardError, into: &lines) }
    }
    output.read(everything: true, as: .standardOutput, into: &lines)
    errors.read(everything: true, as: .standardError, into: &lines)
  }

  /// Reads both outputs until both are at their end or the leader has ended: someone it left behind may hold them open.
  private mutating func read() {
    awaitErrors()
    var end = Descriptor(-1)
    var patience = Self.shortMilliseconds
    var looks = 0
    while output.isOpen || errors.isOpen {
      let isFull = !lines.hasRoom
      var files = (
        pollfd(fd: isFull ? -1 : output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isFull ? -1 : errors.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
      )
      let ready = withUnsafeMutableBytes(of: &files) { bytes in
        poll(bytes.bindMemory(to: pollfd.self).baseAddress, 3, isFull ? Self.fullMilliseconds : patience)
      }
      if ready < 0, errno != EINTR { return }
      var hasEnded = files.2.revents != 0
      looks += 1
      // Also while something comes all the time: it may be from someone whom the leader left behind.
      if end.number < 0, ready == 0 || looks % Self.busyLooks == 0 {
        hasEnded = group.status() != nil
        end = Descriptor.exitWatch(of: group.number)
        patience = end.number >= 0 ? -1 : Self.lookMilliseconds
      }
      if files.0.revents != 0 || hasEnded { output.read(everything: hasEnded, as: .standardOutput, into: &lines) }
      if files.1.revents != 0 || hasEnded { errors.read(everything: hasEnded, as: .standardError, into: &lines) }
      if hasEnded { return }
    }
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
