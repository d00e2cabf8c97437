import Synchronization

/// Kills processes that a command has started in other groups, for example with `timeout` or by a shell with job
/// control. They still belong to the session that the command leads.
///
/// This requires inspecting every process, so commands that end at the same time share one search.
enum SessionSweep {
  private struct Request {
    var session: pid_t
    var done: @Sendable () -> Void
  }

  private static let waiting = Mutex<[Request]>([])
  private static let look = Mutex(())

  /// Kills every process of a session whose leader has just been reaped. The number of the session is not reused as
  /// long as the session has members. Without members, the system would first have to assign every other number.
  static func kill(session: pid_t) {
    waiting.withLock { $0.append(Request(session: session, done: {})) }
    for request in look.withLock({ _ in killWaiting() }) { request.done() }
    serve()
  }

  /// Kills every process of a session, but does not wait for a search that another thread is performing. Calls `done`
  /// afterwards, on any thread.
  static func kill(session: pid_t, _ done: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(Request(session: session, done: done)) }
    serve()
  }

  /// Handles the queued sessions, unless another thread is searching and will handle them.
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
    // During the search, a process that is still alive may start another one, so search again.
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
