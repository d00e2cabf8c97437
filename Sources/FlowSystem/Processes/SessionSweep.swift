import Synchronization

/// Kills what a command has started in groups of their own, as `timeout` and shells with job control do: it is still of
/// the session that the command leads.
///
/// The system must be asked about every process, so commands that end at the same time share one look.
enum SessionSweep {
  private static let waiting = Mutex<Set<pid_t>>([])
  private static let look = Mutex(())

  /// Kills every process of the session whose leader has just been collected. The number is not reused: that of a
  /// session is given to no other while it has members, and where it has none the system would have to give out every
  /// other number first.
  static func kill(session: pid_t) {
    waiting.withLock { _ = $0.insert(session) }
    look.withLock { _ in
      let sessions = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      if !sessions.isEmpty { kill(sessions) }
    }
  }

  private static func kill(_ sessions: Set<pid_t>) {
    // A process may start another while it is looked for; anyone who is killed starts none.
    for _ in 0..<3 where killSeen(of: sessions) == 0 { return }
  }

  private static func killSeen(of sessions: Set<pid_t>) -> Int {
    var count = 0
    for process in ProcessTable.numbers {
      guard process > 1, let entry = ProcessTable.entry(of: process), !entry.hasEnded,
        sessions.contains(entry.session)
      else {
        continue
      }
      sendKill(process)
      count += 1
    }
    return count
  }
}

private func sendKill(_ process: pid_t) { kill(process, SIGKILL) }
