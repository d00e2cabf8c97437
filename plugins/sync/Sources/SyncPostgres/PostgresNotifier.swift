#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import Synchronization

  /// Exchanges notifications of changes with other server processes. One connection sends notifications, another one
  /// receives them.
  ///
  /// Losing a notification is harmless: devices find the change by polling.
  final class PostgresNotifier: Sendable {
    private static let channel = "flowrun_sync"
    /// The time in milliseconds for which further notifications are gathered after one has been sent.
    private static let gatherMilliseconds: Int64 = 5
    /// The pause in seconds before connecting again to an unreachable database. It grows to at most four times this
    /// value. After the database is back, a server therefore notifies its devices within half a second, and they
    /// synchronize within two seconds.
    private static let pauseSeconds = 0.1
    private static let longestPause = 4
    /// The maximum number of different reasons that are reported until the part recovers.
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
      /// The reasons already reported for each failing part.
      var reported: [Part: Set<String>] = [:]
    }

    /// Sending and receiving notifications. Either can fail alone, for example if PostgreSQL refuses one of the
    /// connections.
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

    /// The two connections of the notifier.
    var lines: [Line] { [telling, listening] }

    /// Starts to receive notifications. The connection is used until at most a second after `stop()`.
    func start() {
      listening.submit { [self] connection in
        var failures = 0
        while !isStopped {
          do throws(BackendError) {
            _ = try connection.run("LISTEN \(Self.channel)")
            // Watchers are notified that the database is back, so that devices send waiting changes immediately.
            if failures > 0 { hub.recover() }
            failures = 0
            note(nil, of: .listening)
            // Publish changes that were made before this connection received notifications.
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

    /// Notifies other processes, either immediately or together with other changes within 5 ms.
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
        // One statement covers all zones; their names contain neither commas nor braces. The changes are already
        // durable and a notification may be lost, so this transaction does not wait for the disk and does not delay
        // commits.
        let payloads = batch.map { "\($0.key):\($0.value)" }.joined(separator: ",")
        _ = try connection.run(
          """
          SELECT set_config('synchronous_commit', 'off', true), pg_notify('\(Self.channel)', payload)
          FROM unnest($1::text[]) payload
          """, [.text("{\(payloads)}")])
      }
    }

    /// Reports each reason for the failure of a part once, and the recovery of the part once.
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
      // Names of zones do not contain colons.
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
