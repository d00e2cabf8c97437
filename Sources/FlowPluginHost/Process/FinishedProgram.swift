import FlowModel
import FlowSystem

/// A program that ran to its end, with what it wrote; it is waited for on the calling thread.
package struct FinishedProgram: Sendable {
  /// How it ended.
  package let status: TerminationStatus
  /// What it wrote on both its outputs, at most 64 KiB of it.
  package let output: String
  /// What it wrote on standard output, at most 64 KiB of it.
  package let standardOutput: String
  /// What it wrote on standard error, at most 64 KiB of it.
  package let standardError: String
  /// Whether it was killed at the deadline.
  package let isKilled: Bool

  private static let outputBytes = 64 << 10

  /// Runs a program in `directory` until it ends or is killed at the deadline.
  package init(_ command: PluginCommand, directory: String, deadline: ContinuousClock.Instant) throws(SystemError) {
    self.init(try Self.start(command, directory), deadline)
  }

  /// Runs programs in `directory` at the same time until all have ended; each is killed at the deadline.
  package static func together(
    _ commands: [(command: PluginCommand, directory: String)], deadline: ContinuousClock.Instant
  ) throws(SystemError) -> [FinishedProgram] {
    var children: [ChildProcess] = []
    for next in commands { children.append(try start(next.command, next.directory)) }
    // One that writes much meanwhile waits for its turn to be read.
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
      // A program that never stops writing must not keep the deadline from being seen.
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
