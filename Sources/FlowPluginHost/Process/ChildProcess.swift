import FlowSystem
import Synchronization

/// A running program of a plugin: three pipes and a process group that ends with it.
final class ChildProcess: Sendable {
  /// The pipe to the child's standard input.
  private let input: Mutex<Descriptor?>
  /// The child's standard output.
  let output: Descriptor
  /// The child's standard error.
  let errors: Descriptor
  /// Becomes readable when the child has ended; its number is negative if the system does not support this.
  let exitWatch: Descriptor
  /// The child and its descendants.
  private let group: ProcessGroup

  /// Starts `command` in `directory` with `environment` and three pipes; it inherits nothing else from this process.
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

  /// The status of the child if it has ended, or nil. Never waits.
  func exitStatus() -> TerminationStatus? { group.status() }

  /// Kills the child and its descendants, and waits for the child. If it has already ended, returns its own status.
  func end() -> TerminationStatus { group.end() }

  /// Waits until the child has ended, at most for the given time, because some processes cannot be ended.
  func awaitExit(milliseconds: CInt) {
    guard exitWatch.number >= 0 else {
      let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
      while exitStatus() == nil, ContinuousClock.now < end { _ = poll(nil, 0, 10) }
      return
    }
    var interest = pollfd(fd: exitWatch.number, events: Int16(POLLIN), revents: 0)
    while poll(&interest, 1, milliseconds) < 0, errno == EINTR {}
  }

  /// The number of bytes written that the child has not read, or 0 if that is unknown.
  func unreadInputBytes() -> Int {
    input.withLock { input in
      switch input {
      case .none: 0
      case .some(let input): input.unreadBytes
      }
    }
  }

  /// Writes to the child's standard input as much as fits now.
  func send(_ bytes: ArraySlice<UInt8>) -> Descriptor.Sent {
    input.withLock { input in
      switch input {
      case .none: .closed
      case .some(let input): input.send(bytes)
      }
    }
  }

  /// Closes the child's standard input.
  func closeInput() { input.withLock { $0 = nil } }

  /// The descriptor number of the child's standard input for `poll`, or −1, which `poll` ignores, if it is closed.
  var inputNumber: CInt {
    input.withLock { input in
      switch input {
      case .none: -1
      case .some(let input): input.number
      }
    }
  }
}
