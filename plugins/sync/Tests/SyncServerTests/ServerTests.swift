#if Network
  import Foundation
  import SyncTestKit
  import SyncWire
  import SyncCore
  import SyncEngine
  import SyncHTTP
  import SyncPomodoro
  import SyncPostgres
  import SyncServer
  import SyncSQLite
  import Testing

  /// The server and its client, over real sockets.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ServerTests {
    private static let token = "0123456789abcdef-secret"

    /// Runs a server on a free port while the body runs.
    private func serving<Value: Sendable>(
      _ backend: any SyncBackend, _ settings: ServerSettings, _ body: (String) async throws -> Value
    ) async throws -> Value {
      var settings = settings
      settings.port = 0
      let server = SyncServer(backend: backend, settings: settings)
      let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
      let running = Task { try await server.run(stopOnSignals: false) { continuation.yield($0) } }
      defer { running.cancel() }
      var iterator = ports.makeAsyncIterator()
      let port = try #require(await iterator.next())
      return try await body("http://127.0.0.1:\(port)")
    }

    private func zones() -> [String] { (0..<BackendConformance.count).map { "Conformance\($0)" } }

    private func settings(requestsPerSecond: Int = 100_000) -> ServerSettings {
      var settings = ServerSettings(tokens: Dictionary(uniqueKeysWithValues: zones().map { ($0, Self.token) }))
      settings.requestsPerSecond = requestsPerSecond
      return settings
    }

    @Test func `the HTTP client passes the conformance suite with a backend in memory`() async throws {
      let failures = try await serving(MemoryBackend(zones: zones()), settings()) { address in
        await BackendConformance.run { _ in try HTTPBackend(address: address, token: Self.token) }
      }
      #expect(failures == [])
    }

    @Test func `the PostgreSQL backend passes the conformance suite`() async throws {
      let database = try Database()
      let failures = await BackendConformance.run { [zones = zones()] _ in
        try await PostgresBackend(database.information, zones: zones)
      }
      #expect(failures == [])
    }

    @Test func `two servers that share a database serve the same zone`() async throws {
      let database = try Database()
      let (one, other) = (
        try await PostgresBackend(database.information, zones: zones()),
        try await PostgresBackend(database.information, zones: zones())
      )
      try await serving(one, settings()) { first in
        try await serving(other, settings()) { second in
          let (mac, phone) = (
            try HTTPBackend(address: first, token: Self.token), try HTTPBackend(address: second, token: Self.token)
          )
          let zone = "Conformance0"
          let now = try await mac.serverTime()
          let named = try await mac.commit(Pomodoro.naming(atMilliseconds: now), zone: zone).cursor
          var signs = phone.watch(zone: zone, device: DeviceID(stem: "phone", random: 1)).makeAsyncIterator()
          // The second server may not have been notified of the change yet.
          var before = Cursor(generation: 0, sequence: 0)
          while before.sequence < named.sequence {
            guard let sign = try await signs.next() else {
              Issue.record("no first notification")
              return
            }
            before = sign.cursor ?? before
          }
          let write = Write(
            timer: Dot(device: DeviceID(stem: "mac", random: 1), number: 1), milliseconds: now,
            state: TimerState(kind: .focus))
          _ = try await mac.commit(
            [RecordOperation(key: Pomodoro.timer, expectedVersion: 0, change: .write(write))], zone: zone)
          var reached = before.sequence
          while reached <= before.sequence {
            if case .notification(let cursor)? = try await signs.next() { reached = cursor.sequence }
          }
          let page = try await phone.changes(zone: zone, since: before, limit: 9, maximumBytes: 9999)
          #expect(page.records.map(\.cell.entries.first?.dot) == [write.dot])
        }
      }
    }

    @Test func `V23: a PostgreSQL database restored from a copy is detected, regardless of later writes to it`()
      async throws
    {
      let database = try Database()
      let (zone, mac) = ("Conformance0", DeviceID(stem: "mac", random: 1))
      func write(_ numbers: ClosedRange<Int64>, _ backend: PostgresBackend) async throws {
        for number in numbers {
          let write = Write(
            timer: Dot(device: mac, number: number), milliseconds: 1, state: TimerState(kind: .focus))
          let operation = RecordOperation(key: Pomodoro.timer, expectedVersion: number - 1, change: .write(write))
          _ = try await backend.commit([operation], zone: zone)
        }
      }
      func page(_ cursor: SyncCore.Cursor?, _ backend: PostgresBackend) async throws -> ChangePage {
        try await backend.changes(zone: zone, since: cursor, limit: 9, maximumBytes: 9999)
      }
      let tables = ["sync_zone", "sync_record", "sync_life", "sync_tag", "sync_act"]
      let before = try await PostgresBackend(database.information, zones: zones())
      _ = try await before.commit(Pomodoro.naming(atMilliseconds: 1), zone: zone)
      try await write(1...3, before)
      let kept = try await page(nil, before).cursor
      try database.execute(tables.map { "CREATE TABLE copy_\($0) AS TABLE \($0);" }.joined())
      // One connection continues after the restore, in the same incarnation.
      try await write(4...5, before)
      let gone = try await page(kept, before).cursor
      try database.kill()
      try database.start()
      try database.execute(
        tables.map { "DELETE FROM \($0); INSERT INTO \($0) TABLE copy_\($0);" }.joined())
      // The connections of the running server broke, so its first commit fails.
      await #expect(throws: BackendError.self) { try await write(4...4, before) }
      try await write(4...9, before)
      #expect(try await page(kept, before).records.count == 1)
      await #expect(throws: BackendError.cursorExpired) { try await page(gone, before) }
      before.close()
    }

    @Test func `a wrong token, no token and an unknown zone are refused in the same way`() async throws {
      try await serving(MemoryBackend(zones: zones()), settings()) { address in
        for (token, zone) in [("wrong-token-wrong-token", "Conformance0"), ("", "Conformance0"), (Self.token, "Other")]
        {
          let client = try HTTPBackend(address: address, token: token)
          await #expect(throws: BackendError.self) {
            try await client.changes(zone: zone, since: nil, limit: 1, maximumBytes: 1)
          }
          do throws(BackendError) {
            _ = try await client.changes(zone: zone, since: nil, limit: 1, maximumBytes: 1)
          } catch {
            #expect(error.code == "not-authenticated")
          }
        }
      }
    }

    @Test func `without a valid token, the server does not reveal which zones exist`() async throws {
      try await serving(MemoryBackend(zones: zones()), settings()) { address in
        var answers: Set<String> = []
        for zone in ["Conformance0", "Nowhere"] {
          for token in ["", "wrong-token-wrong-token"] {
            let answer = try await Curl.post("\(address)/zones/\(zone)/commit", token: token, body: Wire.body(of: []))
            answers.insert("\(token.isEmpty) \(answer.status) \(answer.body.replacingOccurrences(of: zone, with: "Z"))")
          }
        }
        #expect(answers.count == 2)
      }
    }

    @Test func `a device of an earlier version is refused with advice to update, and then stops sending`()
      async throws
    {
      let backend = MemoryBackend(zones: zones())
      try await serving(backend, settings()) { address in
        let answer = try await Curl.post(
          "\(address)/zones/Conformance0/commit", token: Self.token, body: Wire.body(of: []), version: 1)
        #expect(answer.status == 400)
        #expect(answer.body.contains("unsupported-format"))
        #expect(answer.body.contains("update flowrun on this device"))
        // The earlier version then stops and keeps its waiting changes.
        let error = Wire.error(Array(answer.body.utf8), status: answer.status)
        #expect(error.remedy == .pause)
      }
    }

    @Test func `silent connections are closed, and the server responds in the meantime`() async throws {
      var settings = settings()
      settings.timeouts.headerSeconds = 1
      try await serving(MemoryBackend(zones: zones()), settings) { address in
        let port = try #require(Int(address.split(separator: ":").last ?? ""))
        let silent = (0..<300).compactMap { _ in LocalSocket(port: port) }
        let client = try HTTPBackend(address: address, token: Self.token)
        #expect(try await client.serverTime() > 0)
        #expect(silent.count == 300)
        #expect(silent.allSatisfy { $0.some(waitMilliseconds: 20_000) == nil })
        for page in ["health", "ready", "metrics"] {
          #expect(try await Curl.get("\(address)/\(page)").status == 200)
        }
      }
    }

    @Test(arguments: [
      "GET /health HTTP/1.1\r\nHost: a\r\nX: ",
      "POST /zones/Conformance0/commit HTTP/1.1\r\nContent-Length: 999\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /health HTTP/1.1\r\nX: ",
    ])
    func `a client that sends byte by byte cannot extend the time limits`(
      _ beginning: String
    ) async throws {
      var settings = settings()
      settings.timeouts.headerSeconds = 1
      settings.timeouts.bodySeconds = 1
      settings.timeouts.idleSeconds = 1
      try await serving(MemoryBackend(zones: zones()), settings) { address in
        let port = try #require(Int(address.split(separator: ":").last ?? ""))
        let slow = try #require(LocalSocket(port: port))
        let began = ContinuousClock.now
        slow.send(Array(beginning.utf8))
        while slow.some(waitMilliseconds: 50) != nil, began.duration(to: .now) < .seconds(20) {
          slow.send([UInt8(ascii: "x")])
        }
        #expect((.milliseconds(800)...(.seconds(10))).contains(began.duration(to: .now)))
        #expect(try await Curl.get("\(address)/health").status == 200)
      }
    }

    /// Calls the body with a client on a network that applies the fault to every request.
    private func behind<Value: Sendable>(
      _ fault: FaultProxy.Fault, _ body: (HTTPBackend, FaultProxy) async throws -> Value
    ) async throws -> Value {
      let backend = MemoryBackend(zones: zones())
      _ = try await backend.commit(Pomodoro.naming(atMilliseconds: 1), zone: "Conformance0")
      return try await serving(backend, settings()) { address in
        let port = try #require(Int(address.split(separator: ":").last ?? ""))
        let proxy = try FaultProxy(server: port, seed: 1, faults: [fault])
        defer { proxy.stop() }
        return try await body(try HTTPBackend(address: "http://127.0.0.1:\(proxy.port)", token: Self.token), proxy)
      }
    }

    @Test(arguments: [FaultProxy.Fault.doubledAnswer, .staleAnswer, .rubbish])
    func `V15: the client never uses a response that does not belong to its request`(
      _ fault: FaultProxy.Fault
    ) async throws {
      try await behind(fault) { client, _ in
        var (answers, version, isUncertain) = (0, Int64(0), false)
        for number in 1...12 as ClosedRange<Int64> {
          let write = Write(
            timer: Dot(device: DeviceID(stem: "mac", random: 1), number: number), milliseconds: 1,
            state: TimerState(kind: .focus))
          let operation = RecordOperation(
            key: Pomodoro.timer, expectedVersion: version, change: .write(write))
          guard let reply = try? await client.commit([operation], zone: "Conformance0") else {
            // The commit may or may not have reached the server.
            isUncertain = true
            continue
          }
          // The response must belong to this commit. A response to another commit would contain another version.
          switch reply.results.first {
          case .committed(version + 1, _, _): version += 1
          case .conflict(let record?) where isUncertain && record.version > version: version = record.version
          default:
            Issue.record("commit \(number): \(reply.results)")
            return
          }
          isUncertain = false
          answers += 1
        }
        #expect(fault == .rubbish ? answers == 0 : answers > 0)
      }
    }

    @Test func `V18, S36: the client sends each request once, and reads the Retry-After header`() async throws {
      for fault in [FaultProxy.Fault.overloaded, .lostRequest, .lostAnswer, .cutAnswer] {
        try await behind(fault) { client, proxy in
          for _ in 0..<4 {
            do throws(BackendError) {
              _ = try await client.serverTime()
              Issue.record("\(fault) had an answer")
            } catch {
              if fault == .overloaded { #expect(error.remedy == .retry(afterMilliseconds: 1000)) }
            }
          }
          #expect(proxy.requests == 4, "\(fault)")
        }
      }
    }

    @Test func `S44: a client that exceeds 40 requests per second is refused with a time to wait`() async throws {
      try await serving(MemoryBackend(zones: zones()), settings(requestsPerSecond: 40)) { address in
        let client = try HTTPBackend(address: address, token: Self.token)
        let (count, began) = (200, ContinuousClock.now)
        var answered = 0
        for _ in 0..<count {
          do throws(BackendError) {
            _ = try await client.changes(zone: "Conformance0", since: nil, limit: 1, maximumBytes: 1)
            answered += 1
          } catch {
            guard case .rateLimited(let wait?) = error else { throw error }
            #expect((1...1000).contains(wait))
          }
        }
        // A slow machine may need longer than a second for the requests.
        let seconds = Int(began.duration(to: .now).components.seconds)
        #expect(answered >= 40)
        #expect(answered <= 40 * (seconds + 2))
      }
    }

    @Test func `a body that is too large, truncated or has an unknown part is refused, with the reason in the body`()
      async throws
    {
      try await serving(MemoryBackend(zones: zones()), settings()) { address in
        // No cursor, one operation on a record of the type 'a' and the name 'b', without version and transaction.
        let operation: [UInt8] = [0, 1, 1, 97, 1, 98, 0, 0]
        let cases: [([UInt8], Int, String)] = [
          (Array(repeating: 0, count: SyncLimits.bodyBytes + 1), 413, "too-large"), ([0], 400, "operations"),
          (Array(operation.dropLast(3)), 400, "operations[0]"),
          (operation + [3], 400, "(write), 1 (join) or 2 (retire)"),
          (operation + [0, 2, 7, 0], 400, "format 7"), (Wire.body(of: []) + [0], 400, "after its end"),
        ]
        for (body, status, message) in cases {
          let answer = try await Curl.post("\(address)/zones/Conformance0/commit", token: Self.token, body: body)
          #expect(answer.status == status)
          #expect(answer.body.contains(message), "\(answer.body)")
        }
      }
    }

    @Test func `S49: a change reaches another device through the channel, without a request`() async throws {
      let database = try Database()
      let backend = try await PostgresBackend(database.information, zones: zones())
      try await serving(backend, settings()) { address in
        let mac = try await session("mac", address)
        let phone = try await session("phone", address)
        #expect(await phone.wait(milliseconds: 60_000) { $0.status(atMilliseconds: 0).isChannelUp })
        #expect(await mac.wait(milliseconds: 60_000) { $0.completedPulls > 0 })
        var requests: Int64 = 0
        for number in 1...6 as ClosedRange<UInt8> {
          let value = Scalar.text("\(number)").bytes
          try await mac.act(Pomodoro.settings, .edit(RecordEdit(fields: ["n": .set(value)])))
          let isThere = await phone.wait(milliseconds: 60_000) {
            $0.view(of: Pomodoro.settings).fields.first?.value == value
          }
          #expect(isThere, "\(number)")
          // The server's first commit starts an incarnation of the zone, which the phone must fetch.
          if number == 1 { requests = await phone.machine.replica.statistics.requests }
        }
        #expect(await phone.machine.replica.statistics.requests == requests)
        await mac.stop()
        await phone.stop()
      }
      backend.close()
    }

    private func session(_ device: String, _ address: String) async throws -> SyncSession {
      let session = try await SyncSession.open(
        device: device, zone: "Conformance0", backend: try HTTPBackend(address: address, token: Self.token),
        store: try SQLiteReplicaStore(path: ":memory:"))
      try await session.declare(Pomodoro.schema)
      await session.start()
      return session
    }

    @Test func `the channel of a client ends with an error when the server stops`() async throws {
      let signs = try await serving(MemoryBackend(zones: zones()), settings()) { address in
        let client = try HTTPBackend(address: address, token: Self.token)
        let stream = client.watch(zone: "Conformance0", device: DeviceID(stem: "mac", random: 1))
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        return stream
      }
      await #expect(throws: (any Error).self) { for try await _ in signs {} }
    }

    @Test func `the server explains why it refuses unsafe settings`() {
      var settings = ServerSettings(tokens: ["a": nil])
      #expect(settings.problem == nil)
      settings.host = "0.0.0.0"
      #expect(settings.problem?.contains("other machines") == true)
      settings.zones = ["a": ZoneToken(Self.token)]
      #expect(settings.problem?.contains("--plain-http") == true)
      settings.allowsPlainHTTP = true
      #expect(settings.problem == nil)
      #expect(ServerSettings(tokens: ["a": "short"]).problem?.contains("at least 16") == true)
      #expect(ServerSettings(tokens: ["a b": nil]).problem?.contains("is not a name for a zone") == true)
      #expect(ServerSettings(tokens: [:]).problem != nil)
    }

    @Test(arguments: [
      "http://example.com", "http://127.example.com", "ftp://x", "http://", "https://", "https://a@b", "https://b/?c",
      "http://127.0.0.1:99999",
    ])
    func `an address that is invalid or would reveal the token is refused`(_ address: String) {
      #expect(throws: BackendError.self) { try HTTPBackend(address: address, token: "t") }
    }
  }
#endif
