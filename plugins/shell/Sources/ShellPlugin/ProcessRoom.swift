import FlowSystem
import Synchronization

/// Room for what commands start themselves, where the system gives this user few processes (`ulimit -u`): a shell that
/// cannot fork fails, a command that waits for its start does not.
enum ProcessRoom {
  /// What a command is given: itself, and three that it may start.
  private static let processesPerCommand = 4
  /// How long a command is expected to take to start what it starts.
  private static let settling = Duration.milliseconds(100)

  private static let starts = Mutex<[ContinuousClock.Instant]>([])

  /// Throws when a command that is started now would leave too few to those that run; one alone is always tried.
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
