#if Network
  import ServiceLifecycle
  import SyncCore
  import SyncEngine

  /// Watches each zone of the backend, and repeats notifications that have not been followed by a fetch.
  struct NotificationService: Service {
    let backend: any SyncBackend
    let access: ZoneAccess
    let hub: NotificationHub

    func run() async throws {
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await followZones() }
        group.addTask {
          while true {
            try await Task.sleep(for: .milliseconds(SyncLimits.notificationRepeatMilliseconds))
            hub.repeatUnfetched()
          }
        }
        try? await gracefulShutdown()
        group.cancelAll()
      }
    }

    /// Watches all zones, including those added while the server runs.
    private func followZones() async {
      await withDiscardingTaskGroup { group in
        var followed: [String: Ending] = [:]
        for await names in access.changes() {
          for (zone, ending) in followed where !names.contains(zone) {
            ending.end()
            followed[zone] = nil
          }
          for zone in names where followed[zone] == nil {
            let ending = Ending()
            followed[zone] = ending
            group.addTask { await ending.run { try await follow(zone) } }
          }
        }
        group.cancelAll()
      }
    }

    /// A task that can be ended separately from its task group.
    private final class Ending: Sendable {
      private let ends = AsyncStream.makeStream(of: Void.self)

      func end() { ends.continuation.finish() }

      func run(_ body: @escaping @Sendable () async throws -> Void) async {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { try? await body() }
          group.addTask { [self] in for await _ in ends.stream {} }
          await group.next()
          group.cancelAll()
        }
      }
    }

    /// Watches a zone. If the backend fails, tries again after half a second. Watchers are notified when it has
    /// recovered.
    private func follow(_ zone: String) async throws {
      var wasAway = false
      while !Task.isCancelled {
        do {
          for try await sign in backend.watch(zone: zone, device: SyncServer.serverDevice) {
            guard let cursor = sign.cursor else { continue }
            hub.publish(wasAway ? .recovered(cursor) : sign, zone: zone)
            wasAway = false
          }
        } catch {
          wasAway = true
          try await Task.sleep(for: .milliseconds(500))
        }
      }
    }
  }
#endif
