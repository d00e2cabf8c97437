import FlowSystem
import Synchronization

/// Delays the start of commands if the system allows this user only a few processes (`ulimit -u`), so that running
/// commands can start children. A shell fails if it cannot fork, but a command that has not been started can wait.
enum ProcessRoom {
  /// The number of processes reserved per command: one for the command and three for children.
  private static let processesPerCommand = 4
  /// The time within which a new command is expected to start its children.
  private static let settling = Duration.milliseconds(100)

  private static let starts = Mutex<[ContinuousClock.Instant]>([])

  /// Throws an error if starting a command now would leave too few processes for the commands that have just started.
  /// Never throws if no other command is running or has just started.
  static func check() throws(SystemError) {
    try starts.withLock { starts throws(SystemError) in
      guard let room = ProcessTable.room else { return }
      let now = ContinuousClock.now
      starts.removeAll { now - $0 > settling }
      guard RunningCommand.count == 0 && starts.isEmpty || room >= (starts.count + 1) * processesPerCommand else {
        throw SystemError("cannot start a process", EAGAIN)
      }
      starts.append(now)
    }
  }
}
