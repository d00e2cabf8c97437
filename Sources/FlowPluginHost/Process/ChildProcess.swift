import FlowSystem
import Synchronization

/// A running program of a plugin: three pipes and the group that ends with it.
final class ChildProcess: Sendable {
  /// What is written here is the child's standard input.
  private let input: Mutex<Descriptor?>
  /// The child's standard output.
  let output: Descriptor
  /// The child's standard error.
  let errors: Descriptor
  /// Becomes readable when the child has ended; its number is negative where the system has no such thing.
  let exitWatch: Descriptor
  /// The child and whatever it starts.
  private let group: ProcessGroup

  /// Starts `command` in `directory`, seeing `environment` and its three pipes and nothing else of this process.
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

  /// Whether and how the child has ended; never waits.
  func exitStatus() -> TerminationStatus? { group.status() }

  /// Kills the child and whatever it started, and waits for the child. What ended by itself is reported as it ended.
  func end() -> TerminationStatus { group.end() }

  /// Waits until the child has ended, but not for one that the system cannot end.
  func awaitExit(milliseconds: CInt) {
    guard exitWatch.number >= 0 else {
      let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
      while exitStatus() == nil, ContinuousClock.now < end { _ = poll(nil, 0, 10) }
      return
    }
    var interest = pollfd(fd: exitWatch.number, events: Int16(POLLIN), revents: 0)
    while poll(&interest, 1, milliseconds) < 0, errno == EINTR {}
  }

  /// How many bytes of what was written the child has not read; 0 where that cannot be known.
  func unreadInputBytes() -> Int {
    input.withLock { input in
      switch input {
      case .none: 0
      case .some(let input): input.unreadBytes
      }
    }
  }

  /// Writes to the child's standard input as much as it takes now.
  func send(_ bytes: ArraySlice<UInt8>) -> Descriptor.Sent {
    input.withLock { input in
      switch input {
      case .none: .closed
      case .some(let input): input.send(bytes)
      }
    }
  }

  /// Tells the child that nothing more comes.
  func closeInput() { input.withLock { $0 = nil } }

  /// The number of the descriptor behind which the child reads, for `poll`; -1 when it is closed, which `poll` ignores.
  var inputNumber: CInt {
    input.withLock { input in
      switch input {
      case .none: -1
      case .some(let input): input.number
      }
    }
  }
}
