import FlowModel
import FlowSystem

/// A program that was run to its end, with its exit status and output.
package struct FinishedProgram: Sendable {
  package let status: TerminationStatus
  /// Standard output and standard error combined, at most 64 KiB.
  package let output: String
  /// The standard output, at most 64 KiB.
  package let standardOutput: String
  /// The standard error, at most 64 KiB.
  package let standardError: String
  /// True if the program was killed at the deadline.
  package let isKilled: Bool

  private static let outputBytes = 64 << 10

  /// Runs a program in `directory`. Blocks the calling thread until the program ends or is killed at the deadline.
  package init(_ command: PluginCommand, directory: String, deadline: ContinuousClock.Instant) throws(SystemError) {
    self.init(try Self.start(command, directory), deadline)
  }

  /// Runs several programs concurrently. Blocks until all of them have ended. Those still running at the deadline are
  /// killed.
  package static func together(
    _ commands: [(command: PluginCommand, directory: String)], deadline: ContinuousClock.Instant
  ) throws(SystemError) -> [FinishedProgram] {
    var children: [ChildProcess] = []
    for next in commands { children.append(try start(next.command, next.directory)) }
    // The output is read from one program after another. Meanwhile, another program may block because its pipe is full.
    return children.map { FinishedProgram($0, deadline) }
  }

  private static func start(_ command: PluginCommand, _ directory: String) throws(SystemError) -> ChildProcess {
    let child = try ChildProcess(command.arguments, environment: command.environment, directory: directory)
    child.closeInput()
    return child
  }

  private init(_ child: ChildProcess, _ deadline: ContinuousClock.Instant) {
    var written: [UInt8] = []
    var printed: [UInt8] = []
    var explained: [UInt8] = []
    var isOutputOpen = true
    var isLogOpen = true
    while isOutputOpen || isLogOpen {
      let rest = (deadline - .now).nanoseconds / 1_000_000
      var interests = [
        pollfd(fd: isOutputOpen ? child.output.number : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isLogOpen ? child.errors.number : -1, events: Int16(POLLIN), revents: 0),
      ]
      guard rest > 0, poll(&interests, 2, CInt(clamping: rest)) != 0 else { break }
      if interests[0].revents != 0 { isOutputOpen = Self.drain(child.output, into: &written, &printed) }
      if interests[1].revents != 0 { isLogOpen = Self.drain(child.errors, into: &written, &explained) }
    }
    isKilled = isOutputOpen || isLogOpen
    if isKilled { written += "\n(killed: it took too long)".utf8 }
    child.awaitExit(milliseconds: CInt(clamping: max(0, (deadline - .now).nanoseconds / 1_000_000)))
    status = child.end()
    output = String(decoding: written, as: UTF8.self)
    standardOutput = String(decoding: printed, as: UTF8.self)
    standardError = String(decoding: explained, as: UTF8.self)
  }

  private static func drain(
    _ pipe: borrowing Descriptor, into written: inout [UInt8], _ own: inout [UInt8]
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      // The number of reads is limited, because otherwise a program that never stops writing would prevent the deadline
      // from being checked.
      for _ in 0..<64 {
        switch pipe.receive(into: buffer) {
        case .nothing: return true
        case .end: return false
        case .bytes(let count):
          written.append(contentsOf: buffer.prefix(min(count, max(0, outputBytes - written.count))))
          own.append(contentsOf: buffer.prefix(min(count, max(0, outputBytes - own.count))))
        }
      }
      return true
    }
  }
}
