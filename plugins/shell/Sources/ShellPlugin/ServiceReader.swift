import FlowPluginKit
import FlowSystem

/// Reads the output of a service's command until the command has ended.
struct ServiceReader: ~Copyable {
  private var output: CommandOutput
  private var errors: CommandOutput
  /// The splitter that logs the lines of both streams.
  var lines: OutputLines
  /// A descriptor that becomes readable when the command has ended. Its number is negative if the system has no such
  /// descriptors.
  private let exitWatch: Descriptor
  private var hasEnded = false

  /// The interval in milliseconds at which the command is checked if the system has no descriptor for its end.
  private static let lookMilliseconds: CInt = 50
  /// The pause in milliseconds while the log accepts no more lines. Meanwhile the service is blocked, as by a slow
  /// terminal.
  private static let fullMilliseconds: CInt = 10
  /// The maximum time in milliseconds for which a silent service stays on a shared thread that no other step needs.
  private static let heldMilliseconds: CInt = 2

  init(
    _ output: consuming CommandOutput, _ errors: consuming CommandOutput, _ lines: OutputLines,
    endOf group: ProcessGroup
  ) {
    self.output = output
    self.errors = errors
    self.lines = lines
    exitWatch = Descriptor.exitWatch(of: group.number)
  }

  /// Reads until the command has ended and `awaitsMore` returns false, and then returns nil. If the command is silent
  /// and the thread is shared, returns the conditions for continuing.
  mutating func read(_ group: ProcessGroup, on thread: StepThread, awaitsMore: () -> Bool) -> CommandPause? {
    let isShared = thread.isWanted != nil && ReadinessWatch.shared.begin()
    while true {
      let isFull = !lines.hasRoom
      let patience = isFull ? Self.fullMilliseconds : hasEnded || exitWatch.number < 0 ? Self.lookMilliseconds : -1
      let end = hasEnded ? -1 : exitWatch.number
      var files = (
        pollfd(fd: isFull ? -1 : output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isFull ? -1 : errors.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end, events: Int16(POLLIN), revents: 0)
      )
      let held = isFull || thread.isWanted?() == true ? 0 : Self.heldMilliseconds
      let ready = withUnsafeMutableBytes(of: &files) { bytes in
        poll(bytes.bindMemory(to: pollfd.self).baseAddress, 3, isShared ? held : patience)
      }
      if ready < 0, errno != EINTR { return nil }
      hasEnded = hasEnded || files.2.revents != 0 || exitWatch.number < 0 && group.status() != nil
      if files.0.revents != 0 || hasEnded { output.read(everything: hasEnded, as: .standardOutput, into: &lines) }
      if files.1.revents != 0 || hasEnded { errors.read(everything: hasEnded, as: .standardError, into: &lines) }
      if hasEnded, !awaitsMore() { return nil }
      guard isShared, ready <= 0 || thread.isWanted?() == true else { continue }
      return CommandPause(
        files: isFull ? [end] : [output.number, errors.number, end],
        time: patience < 0 ? nil : .milliseconds(Int(patience)))
    }
  }

  /// Logs incomplete last lines. Returns the last lines of the output.
  mutating func finish() -> LastLines {
    lines.finish()
    return lines.last
  }
}
