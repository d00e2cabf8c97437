#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncHTTP
  import SyncPomodoro
  import SyncWire
  import Testing

  /// The identity of a server's store.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct StoreIdentityTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func store(_ words: String) throws -> StoreIdentity? {
      StoreIdentity(try ServerProcess.run("store \(words)").output.trimmingCharacters(in: .newlines))
    }

    @Test(arguments: [true, false])
    func `a store keeps its identity until new-identity replaces it, and then refuses the old one`(_ usesPostgres: Bool)
      async throws
    {
      let database = usesPostgres ? try Database() : nil
      let place = database.map { ("--postgres", $0.information) } ?? ("--store", folder.file("zone.sqlite"))
      let words = "\(place.0) '\(place.1)'"
      let server = try ServerProcess(place.0, place.1, "--port", "0", "--open")
      let client = try HTTPBackend(address: server.address, token: "")
      let own = try await client.identity()
      #expect(try store("identity \(words)") == own)
      let heard = try await client.commit(
        Pomodoro.naming(atMilliseconds: 1), zone: Pomodoro.zone, heard: nil, store: own
      ).cursor
      let next = try #require(try store("new-identity \(words)"))
      #expect(next != own)
      #expect(try store("identity \(words)") == next)
      // The running server detects the new identity before it applies anything.
      let operations = [
        RecordOperation(
          key: Pomodoro.timer, expectedVersion: 0,
          change: .write(
            Write(
              timer: Dot(device: DeviceID(stem: "mac", random: 1), number: 1), milliseconds: 1, seen: nil,
              context: VersionVector(), state: TimerState(kind: .focus))))
      ]
      await #expect(throws: BackendError.self) {
        try await client.commit(operations, zone: Pomodoro.zone, heard: heard, store: own)
      }
      await #expect(throws: BackendError.otherStore(next)) {
        try await client.changes(
          zone: Pomodoro.zone, since: nil, limit: 9, maximumBytes: 9999, reader: .nobody, of: nil, store: own)
      }
      await #expect(throws: BackendError.otherStore(next)) {
        try await client.commit(operations, zone: Pomodoro.zone, heard: nil, store: own)
      }
      await #expect(throws: BackendError.otherStore(next)) {
        for try await _ in client.watch(zone: Pomodoro.zone, device: DeviceID(stem: "mac", random: 1), store: own) {}
      }
      let page = try await client.changes(zone: Pomodoro.zone, since: nil, limit: 9, maximumBytes: 9999)
      #expect(page.store == next)
      #expect(page.records.map(\.key.type).allSatisfy { $0 == ZoneRules.type })
    }

    @Test func `a missing store is reported and is not created`() throws {
      let file = folder.file("missing.sqlite")
      let (status, output) = try ServerProcess.run("store identity --store '\(file)' 2>&1")
      #expect(status == 64)
      #expect(output.contains("There is no file"))
      #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test(arguments: ["identity", "new-identity"])
    func `an empty file or database is reported and gets no store`(subcommand: String) throws {
      let file = folder.file("empty.sqlite")
      #expect(FileManager.default.createFile(atPath: file, contents: nil))
      let (status, output) = try ServerProcess.run("store \(subcommand) --store '\(file)' 2>&1")
      #expect(status == 1)
      #expect(output.contains("has no store"))
      #expect(FileManager.default.contents(atPath: file) == Data())
      let database = try Database()
      let (code, message) = try ServerProcess.run("store \(subcommand) --postgres '\(database.information)' 2>&1")
      #expect(code == 1)
      #expect(message.contains("has no store"))
      #expect(try database.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0")
    }

    @Test func `a device of an earlier version is refused, and the error contains the version the server requires`()
      async throws
    {
      let server = try ServerProcess("--store", folder.file("zone.sqlite"), "--port", "0", "--open")
      let (status, body) = try await Curl.post(
        server.address + "/zones/PomodoroZone/commit", token: "", body: Wire.body(of: []), version: Wire.version - 1)
      #expect(status == 400)
      #expect(body.contains("version \(Wire.version)"))
    }
  }
#endif
