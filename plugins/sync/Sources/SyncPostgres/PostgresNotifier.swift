#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import Synchronization

  /// Tells other server processes of changes, and hears of theirs: one connection that notifies, one that listens.
  ///
  /// What is lost between commit and notification is a hint only; devices find the change by polling.
  final class PostgresNotifier: Sendable {
    private static let channel = "flowrun_sync"
    /// How long notifications are gathered after one has gone, in milliseconds.
    private static let gatherMilliseconds: Int64 = 5
    /// A database that is away is looked for after this many seconds, then twice, three, at most four times as many: a server
    /// tells its devices of its return within half a second, and they settle within two.
    private static let pauseSeconds = 0.1
    private static let longestPause = 4
    /// How many reasons for a failure are said until it ends.
    private static let reasonLimit = 8

    private let hub: NotificationHub
    private let cursors: ZoneCursors
    private let telling: Line
    private let listening: Line
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    private struct State {
      var waiting: [String: Cursor] = [:]
      var isSending = false
      var isStopped = false
      /// What has been said of parts that fail.
      var reported: [Part: Set<String>] = [:]
    }

    /// What can be away by itself, as when PostgreSQL refuses one more connection.
    private enum Part { case telling, listening }

    init(
      _ information: String, hub: NotificationHub, cursors: ZoneCursors, report: @escaping @Sendable (String) -> Void
    ) {
      self.hub = hub
      self.cursors = cursors
      self.report = report
      telling = Line(name: "sync-notify", information)
      listening = Line(name: "sync-listen", information)
    }

    /// Its connections.
    var lines: [Line] { [telling, listening] }

    /// Begins to listen, until within a second after `stop()`.
    func start() {
      listening.submit { [self] connection in
        var failures = 0
        while !isStopped {
          do throws(BackendError) {
            _ = try connection.run("LISTEN \(Self.channel)")
            // Anyone who watches hears that the database is back: what waits for it goes at once.
            if failures > 0 { hub.recover() }
            failures = 0
            note(nil, of: .listening)
            // What was told before this connection listened.
            let zones = try connection.run("SELECT name, generation, seq, tag FROM sync_zone")
            for row in 0..<zones.count {
              let cursor = Cursor(
                generation: UInt64(bitPattern: zones.integer(row, 1)), sequence: zones.integer(row, 2),
                tag: UInt64(bitPattern: zones.integer(row, 3)))
              hear(cursor, zone: zones.text(row, 0))
            }
            while !isStopped {
              for payload in try connection.notifications(waitMilliseconds: 500) { hear(payload) }
            }
          } catch {
            note(error, of: .listening)
            failures = min(failures + 1, Self.longestPause)
            Thread.sleep(forTimeInterval: Self.pauseSeconds * Double(failures))
          }
        }
      }
    }

    func stop() {
      state.withLock { $0.isStopped = true }
      telling.stop()
      listening.stop()
    }

    /// Sends a notification to the other processes: at once, or together with those of the next 5 ms.
    func tell(_ cursor: Cursor, zone: String) {
      let isFirst = state.withLock { state in
        let isNewer = state.waiting[zone].map { $0.generation != cursor.generation || $0.sequence < cursor.sequence }
        if isNewer ?? true { state.waiting[zone] = cursor }
        defer { state.isSending = true }
        return !state.isSending
      }
      if isFirst { Task { await send() } }
    }

    private func send() async {
      while true {
        let batch = state.withLock { state in
          defer { state.waiting = [:] }
          if state.waiting.isEmpty { state.isSending = false }
          return state.waiting
        }
        if batch.isEmpty { return }
        do throws(BackendError) {
          try await tell(batch)
          note(nil, of: .telling)
        } catch {
          note(error, of: .telling)
        }
        try? await Task.sleep(for: .milliseconds(Self.gatherMilliseconds))
      }
    }

    private func tell(_ batch: [String: Cursor]) async throws(BackendError) {
      try await telling.perform { connection throws(BackendError) in
        // One transaction for all of them; a zone's name holds neither a comma nor a brace. What it tells is durable already
        // and it is a hint only: it does not wait for the disk, nor do commits wait for it there.
        let payloads = batch.map { "\($0.key):\($0.value)" }.joined(separator: ",")
        _ = try connection.run(
          """
          SELECT set_config('synchronous_commit', 'off', true), pg_notify('\(Self.channel)', payload)
          FROM unnest($1::text[]) payload
          """, [.text("{\(payloads)}")])
      }
    }

    /// Says each reason once for which a part fails, and once that it works again.
    private func note(_ error: BackendError?, of part: Part) {
      let isNews = state.withLock { state in
        guard !state.isStopped else { return false }
        guard let error else { return state.reported.removeValue(forKey: part) != nil }
        guard state.reported[part, default: []].count < Self.reasonLimit else { return false }
        return state.reported[part, default: []].insert("\(error)").inserted
      }
      guard isNews else { return }
      let (told, changed) = part == .telling ? ("other servers", "this one") : ("this server", "other ones")
      let after = error.map { ": \($0)" } ?? ""
      report("devices of \(told) learn of changes on \(changed) \(error == nil ? "at once again" : "late")\(after)")
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func hear(_ payload: String) {
      // A zone's name has no colon.
      let parts = payload.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let cursor = Cursor(parts[1]) else { return }
      hear(cursor, zone: String(parts[0]))
    }

    private func hear(_ cursor: Cursor, zone: String) {
      cursors.note(cursor, zone: zone)
      hub.publish(cursor, zone: zone)
    }
  }
#endif
