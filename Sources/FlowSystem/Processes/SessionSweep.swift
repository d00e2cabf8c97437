import Synchronization

/// Kills what a command has started in groups of their own, as `timeout` and shells with job control do: it is still of
/// the session that the command leads.
///
/// The system must be asked about every process, so commands that end at the same time share one look.
enum SessionSweep {
  private static let waiting = Mutex<Set<pid_t>>([])
  private static let look = Mutex(())

  /// Kills every process of the session whose leader has just been collected. The number is nobody else's: that of a
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
    #if os(Linux)
      // A process may start another while it is looked for; whoever is killed starts none.
      for _ in 0..<3 where killSeen(of: sessions) == 0 { return }
    #endif
  }

  #if os(Linux)
    private static func killSeen(of sessions: Set<pid_t>) -> Int {
      guard let folder = opendir("/proc") else { return 0 }
      defer { closedir(folder) }
      var count = 0
      while let entry = readdir(folder) {
        let number = withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) { atoi($0) }
        }
        guard number > 0, let session = session(of: number), sessions.contains(session) else { continue }
        sendKill(number)
        count += 1
      }
      return count
    }

    /// The session of a process that is no zombie.
    private static func session(of process: pid_t) -> pid_t? {
      let file = Descriptor(open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC))
      return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
        guard file.number >= 0, case .bytes(let count) = file.receive(into: buffer) else { return nil }
        // `number (name) state parent group session …`; the name may hold anything.
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst()
        guard fields.count > 3, let state = fields.first, state != "Z", state != "X" else { return nil }
        return pid_t(fields[fields.startIndex + 3])
      }
    }
  #endif
}

private func sendKill(_ process: pid_t) { kill(process, SIGKILL) }
