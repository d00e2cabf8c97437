import FlowSystem
import Synchronization

/// A running program, connected by three pipes. When it ends, the other processes of its group are ended, too.
final class ChildProcess: Sendable {
  private let input: Mutex<Descriptor?>
  let output: Descriptor
  let errors: Descriptor
  /// A descriptor that becomes readable when the child has ended. Its number is negative if the system has no such
  /// descriptors.
  let exitWatch: Descriptor
  private let group: ProcessGroup

  /// Starts `command` in `directory`. The child inherits only `environment` and the three pipes.
  init(_ command: [String], environment: [String: String], directory: String) throws(SystemError) {
    SignalThread.ignoreBrokenPipes()
    let toChild = try Descriptor.pipe()
    let fromChild = try Descriptor.pipe()
    let log = try Descriptor.pipe()
    group = try ProcessGroup(
      Program(command, environment: environment, folder: directory), input: toChild.reading.number,
      output: fromChild.writing.number, errors: log.writing.number)
    exitWatch = Descriptor.exitWatch(of: group.number)
    let writing = toChild.takeWriting()
    output = fromChild.takeReading()
    errors = log.takeReading()
    writing.setNonBlocking()
    output.setNonBlocking()
    errors.setNonBlocking()
    input = Mutex(writing)
  }

  /// Returns the child's exit status, or nil if it is still running. Does not block.
  func exitStatus() -> TerminationStatus? { group.status() }

  /// Kills the child and its descendants, and waits for the child. Returns the child's exit status, which does not
  /// report the kill if the child had already ended.
  func end() -> TerminationStatus { group.end() }

  /// Blocks until the child has ended or the given time has passed, because some processes cannot be killed.
  func awaitExit(milliseconds: CInt) {
    guard exitWatch.number >= 0 else {
      let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
      while exitStatus() == nil, ContinuousClock.now < end { _ = poll(nil, 0, 10) }
      return
    }
    var interest = pollfd(fd: exitWatch.number, events: Int16(POLLIN), revents: 0)
    while poll(&interest, 1, milliseconds) < 0, errno == EINTR {}
  }

  /// Returns the number of bytes in the input pipe that the child has not read, or 0 if it is unknown.
  func unreadInputBytes() -> Int {
    input.withLock { input in
      switch input {
      case .none: 0
      case .some(let input): input.unreadBytes
      }
    }
  }

  /// Writes to the child's standard input as many of the bytes as the pipe accepts without blocking.
  func send(_ bytes: ArraySlice<UInt8>) -> Descriptor.Sent {
    input.withLock { input in
      switch input {
      case .none: .closed
      case .some(let input): input.send(bytes)
      }
    }
  }

  func closeInput() { input.withLock { $0 = nil } }

  /// The descriptor of the child's standard input, for `poll`. After the input was closed, it is −1, which `poll`
  /// ignores.
  var inputNumber: CInt {
    input.withLock { input in
      switch input {
      case .none: -1
      case .some(let input): input.number
      }
    }
  }
}
