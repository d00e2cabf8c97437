import FlowSystem
import Synchronization

/// Reserves processes for the children of commands if the system allows this user few (`ulimit -u`): a shell that
/// cannot fork fails, but a command can wait for its start.
enum ProcessRoom {
  /// The number of processes reserved per command: itself and three children.
  private static let processesPerCommand = 4
  /// The time in which a command is expected to start its children.
  private static let settling = Duration.milliseconds(100)

  private static let starts = Mutex<[ContinuousClock.Instant]>([])

  /// Throws an error if starting a command now would leave too few processes to running ones; a single command is
  /// always tried.
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
