import FlowModel
import FlowPluginKit
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The process group of one command, which may be told to end from any thread for as long as its leader is not collected.
final class ChildGroup: Sendable {
  /// How long a cancelled command has between SIGTERM and SIGKILL; less than the second that the run gives the step.
  static let grace = Duration.milliseconds(500)

  private let leader: pid_t
  private let isCollected = Mutex(false)

  init(leader: pid_t) { self.leader = leader }

  /// Sends a signal to every process of the group, unless the leader has been collected: its number may be another's.
  func send(_ signal: Int32) {
    isCollected.withLock { isCollected in
      if !isCollected { kill(-leader, signal) }
    }
  }

  /// Ends the group when the step is cancelled: SIGTERM, and SIGKILL after the grace.
  func end(whenCancelled context: ActionContext) {
    context.onCancel { [self] in
      send(SIGTERM)
      context.host.wake(after: Self.grace) { [self] in send(SIGKILL) }
    }
  }

  /// Waits for the leader, which must have ended or be about to, and ends whoever of its group outlived it; gives the
  /// leader's status as `waitpid` does, and whether anybody had.
  func collect() -> (status: Int32, leftBehind: Bool) {
    var status: Int32 = 0
    // The leader stays uncollected while it is waited for, so that a cancellation can still reach the group.
    var information = siginfo_t()
    while waitid(P_PID, id_t(leader), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    isCollected.withLock { isCollected in
      while waitpid(leader, &status, 0) < 0, errno == EINTR {}
      isCollected = true
    }
    // The number of a group is not given to another while one of its processes lives; where none does, nothing is found.
    return (status, kill(-leader, SIGKILL) == 0)
  }
}
