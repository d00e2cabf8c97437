#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncHTTP
  import SyncPomodoro
  import SyncSQLite
  import Testing

  /// Real processes that are killed while they work (V15, V20).
  @Suite(.serialized, .timeLimit(.minutes(10))) struct KillTests {
    private static let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil

    private static func setting(_ value: String) -> SyncMachine.Action {
      .edit(RecordEdit(fields: ["n": .set(Scalar.text(value).bytes)]))
    }

    @Test func `killing the server or the database neither loses an action nor counts it twice`() async throws {
      let database = try Database()
      let port = try ServerPort.take()
      var server = try ServerProcess(port: port, database: database)
      let store = "\(database.folder)-mac.sqlite"
      defer { try? FileManager.default.removeItem(atPath: store) }
      let mac = try await session("mac", port: port, store: try SQLiteReplicaStore(path: store))
      let phone = try await session("phone", port: port, store: try SQLiteReplicaStore(path: ":memory:"))
      let actions = Self.isLong ? 200 : 24
      for action in 1...actions {
        if action % 8 == 3 {
          server.kill()
          server = try ServerProcess(port: port, database: database)
        }
        if action % 12 == 7 {
          try database.kill()
          try database.start()
        }
        try await mac.act(
          Pomodoro.timer,
          .edit(TimerState(kind: .focus, remainingMilliseconds: Int64(action)).edit(completing: 1)))
        if action % 3 == 0 {
          try await phone.act(Pomodoro.settings, Self.setting("\(action)"))
        }
      }
      // After so many failures, the pauses are minutes long. Going online again resets them.
      for device in [mac, phone] {
        await device.setOnline(false)
        await device.setOnline(true)
      }
      #expect(await mac.wait(milliseconds: 60_000) { $0.isFlushed })
      #expect(await phone.wait(milliseconds: 60_000) { $0.isFlushed })
      await phone.foreground()
      #expect(
        await phone.wait(milliseconds: 60_000) {
          TimerStateRecord.completed(in: $0.view(of: Pomodoro.timer)) == actions
        })
      #expect(await mac.machine.view(of: Pomodoro.timer) == phone.machine.view(of: Pomodoro.timer))
      #expect(await mac.status().parked.isEmpty)
      await mac.stop()
      await phone.stop()
      server.kill()
    }

    @Test func `changes made during a PostgreSQL outage of 1 or 6 s arrive within 20 s after it ends`()
      async throws
    {
      let database = try Database()
      let server = try ServerProcess(database: database)
      let (mac, phone) = (
        try await session("mac", server.address, store: try SQLiteReplicaStore(path: ":memory:")),
        try await session("phone", server.address, store: try SQLiteReplicaStore(path: ":memory:"))
      )
      for (seconds, value) in [(1.0, "1"), (6, "2")] {
        for device in [mac, phone] {
          #expect(await device.wait(milliseconds: 60_000) { $0.isFlushed && $0.status(atMilliseconds: 0).isChannelUp })
        }
        try database.stop()
        try await mac.act(Pomodoro.settings, Self.setting(value))
        // The outage is long enough for all pauses to grow.
        try await Task.sleep(for: .seconds(seconds))
        try database.start()
        let returned = ContinuousClock.now
        let isThere = await phone.wait(milliseconds: 30_000) {
          $0.view(of: Pomodoro.settings).fields.first?.value == Scalar.text(value).bytes
        }
        #expect(isThere)
        #expect(returned.duration(to: .now) < .seconds(20), "after \(seconds) s away")
      }
      await mac.stop()
      await phone.stop()
      server.kill()
    }

    @Test func `a sync server that receives a signal to stop exits promptly, even with an open channel`() async throws {
      let database = try Database()
      let server = try ServerProcess(database: database)
      let client = try HTTPBackend(address: server.address, token: "")
      var signs = client.watch(zone: Pomodoro.zone, device: DeviceID(stem: "mac", random: 1)).makeAsyncIterator()
      #expect(try await signs.next() != nil)
      let began = ContinuousClock.now
      #expect(server.stop() == 0)
      #expect(began.duration(to: .now) < .seconds(20))
    }

    private func session(_ device: String, port: Int, store: SQLiteReplicaStore) async throws -> SyncSession {
      try await session(device, "http://127.0.0.1:\(port)", store: store)
    }

    private func session(_ device: String, _ address: String, store: SQLiteReplicaStore) async throws -> SyncSession {
      var limits = RequestBudget.Limits()
      limits.requestsPerHour = 100_000
      let session = try await SyncSession.open(
        device: device, zone: Pomodoro.zone,
        backend: try HTTPBackend(address: address, token: ""), store: store, limits: limits)
      try await session.declare(Pomodoro.schema)
      await session.start()
      return session
    }
  }
#endif
