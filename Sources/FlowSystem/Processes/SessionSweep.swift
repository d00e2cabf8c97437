import Synchronization

/// Kills processes that a command has started in separate groups, such as with `timeout` or shells with job control:
/// they still belong to the session that the command leads.
///
/// This requires inspecting every process, so commands that end at the same time share one search.
enum SessionSweep {
  private struct Request {
    var session: pid_t
    var done: @Sendable () -> Void
  }

  private static let waiting = Mutex<[Request]>([])
  private static let look = Mutex(())

  /// Kills every process of the session whose leader has just been reaped. The number is not reused while the session
  /// has members, and otherwise the system would have to assign every other number first.
  static func kill(session: pid_t) {
    waiting.withLock { $0.append(Request(session: session, done: {})) }
    for request in look.withLock({ _ in killWaiting() }) { request.done() }
    serve()
  }

  /// Does the same without waiting for a search that another thread has begun; calls `done` on some thread afterwards.
  static func kill(session: pid_t, _ done: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(Request(session: session, done: done)) }
    serve()
  }

  /// Handles queued sessions, unless another thread is searching, which then handles them.
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
    // A process may start another one during the search; a killed process cannot.
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
