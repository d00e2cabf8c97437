import Synchronization

/// Kills what a command has started in groups of their own, as `timeout` and shells with job control do: it is still of
/// the session that the command leads.
///
/// The system must be asked about every process, so commands that end at the same time share one look.
enum SessionSweep {
  private struct Request {
    var session: pid_t
    var done: @Sendable () -> Void
  }

  private static let waiting = Mutex<[Request]>([])
  private static let look = Mutex(())

  /// Kills every process of the session whose leader has just been collected. The number is not reused: that of a
  /// session is given to no other while it has members, and where it has none the system would have to give out every
  /// other number first.
  static func kill(session: pid_t) {
    waiting.withLock { $0.append(Request(session: session, done: {})) }
    for request in look.withLock({ _ in killWaiting() }) { request.done() }
    serve()
  }

  /// The same without waiting for a look that another thread has begun; calls `done` when it has been done, on some thread.
  static func kill(session: pid_t, _ done: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(Request(session: session, done: done)) }
    serve()
  }

  /// Does what is left, unless another thread looks, which then comes here.
  private static func serve() {
    while waiting.withLock({ !$0.isEmpty }), let done = look.withLockIfAvailable({ _ in killWaiting() }) {
      for request in done { request.done() }
    }
  }

  private static func killWaiting() -> [Request] {
    let requests = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    if !requests.isEmpty { kill(Set(requests.map(\.session))) }
    return requests
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
