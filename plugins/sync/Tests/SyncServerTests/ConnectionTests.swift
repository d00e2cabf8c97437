#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncHTTP
  import SyncPomodoro
  import SyncPostgres
  import SyncSQLite
  import TestSupport
  import Testing

  /// Malicious clients, and too many clients.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ConnectionTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func server(connectionsPerPeer: Int = 2048, descriptors: Int? = nil) throws -> ServerProcess {
      try ServerProcess(
        "--store", folder.file("zone.sqlite"), "--port", "0", "--open", "--connections-per-peer",
        "\(connectionsPerPeer)", descriptors: descriptors)
    }

    private func silent(_ count: Int, _ server: ServerProcess) -> [LocalSocket] {
      (0..<count).compactMap { _ in LocalSocket(port: server.port) }
    }

    /// Responses of programs other than the sync server, such as a proxy or the login page of a network.
    private static let foreign = [
      FaultProxy.refusal,
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>",
      "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\u{1f}\u{1}\u{8}\u{0}",
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/login\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\ncut",
      "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ncut",
      "HTTP/1.1 100 Continue\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{46}", "",
    ]

    @Test(arguments: foreign)
    func `a change is not parked because of a proxy's response, and is sent when the server responds again`(
      _ response: String
    ) async throws {
      let server = try server()
      let proxy = try FaultProxy(server: server.port, seed: 1, faults: [.refusal], refusal: response)
      defer { proxy.stop() }
      let session = try await SyncSession.open(
        device: "mac", zone: Pomodoro.zone,
        backend: try HTTPBackend(address: "http://127.0.0.1:\(proxy.port)", token: ""),
        store: try SQLiteReplicaStore(path: ":memory:"))
      try await session.declare(Pomodoro.schema)
      await session.start()
      let acts = try await session.act(
        Pomodoro.settings, .edit(RecordEdit(fields: ["n": .set(Scalar.text("1").bytes)])))
      #expect(await session.wait(milliseconds: 60_000) { $0.replica.pause != nil })
      let reason = await session.machine.replica.pause?.reason ?? ""
      #expect(response != FaultProxy.refusal || reason.contains("'oops'"), "\(reason)")
      #expect(await session.machine.fate(of: acts) == .waiting)
      #expect(await session.machine.pausedBecause == nil)
      proxy.heal()
      #expect(await session.wait(milliseconds: 60_000) { $0.fate(of: acts) == .acknowledged })
      #expect(await session.status().parked.isEmpty)
      await session.stop()
      server.kill()
    }

    @Test func `a channel does not open if another program answers the request`() async throws {
      let (listener, port) = try LocalSocket.listen()
      defer { LocalSocket.shutDown(listener) }
      Thread.detachNewThread {
        guard let client = LocalSocket.accept(listener).map({ LocalSocket($0) }), client.message() != nil else {
          return
        }
        client.send(
          Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: poke\ndata: 1:5\n\n".utf8))
        _ = client.message()
        LocalSocket.close(listener)
      }
      let client = try HTTPBackend(address: "http://127.0.0.1:\(port)", token: "")
      await #expect {
        for try await sign in client.watch(zone: Pomodoro.zone, device: DeviceID(stem: "mac", random: 1)) {
          Issue.record("\(sign)")
        }
      } throws: {
        ($0 as? BackendError)?.code == "unreachable" && "\($0)".contains("no request")
      }
    }

    @Test func `a server that may open only 1,024 files responds despite 1,100 silent connections`() async throws {
      let server = try server(descriptors: 1024)
      let silent = silent(1100, server)
      #expect(silent.count == 1100)
      for page in ["health", "ready"] {
        #expect(try await Curl.get("\(server.address)/\(page)").status == 200)
      }
      let client = try HTTPBackend(address: server.address, token: "")
      #expect(try await client.changes(zone: Pomodoro.zone, since: nil, limit: 1, maximumBytes: 1).records == [])
      // The connections that had been silent for longest were closed.
      #expect(within(seconds: 20) { silent.count(where: \.isClosed) >= 1100 - 1024 })
      let metrics = try await Curl.get("\(server.address)/metrics").body
      #expect(!metrics.contains("flowrun_sync_connections_closed_total 0"))
    }

    @Test func `the server limits connections per address, and does not close a channel to accept a new connection`()
      async throws
    {
      let server = try server(connectionsPerPeer: 20)
      let client = try HTTPBackend(address: server.address, token: "")
      var signs = client.watch(zone: Pomodoro.zone, device: DeviceID(stem: "mac", random: 1)).makeAsyncIterator()
      #expect(try await signs.next() != nil)
      let silent = silent(60, server)
      #expect(try await Curl.get("\(server.address)/health").status == 200)
      // The server closes the other connections on their own threads, which may be busy.
      within(seconds: 20) { silent.count { !$0.isClosed } <= 20 }
      #expect((1...20).contains(silent.count { !$0.isClosed }))
      let metrics = try await Curl.get("\(server.address)/metrics").body
      #expect(metrics.contains("flowrun_sync_channels 1"))
    }

    @Test func `a stopping server completes its requests, refuses new connections and exits`() async throws {
      let database = try Database()
      let server = try ServerProcess(database: database)
      let client = try HTTPBackend(address: server.address, token: "")
      _ = try await client.commit(Pomodoro.naming(atMilliseconds: 1), zone: Pomodoro.zone)
      try database.execute(
        """
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$;
        CREATE TRIGGER slow BEFORE UPDATE OF seq ON sync_zone FOR EACH ROW EXECUTE FUNCTION slow();
        """)
      let write = Write(
        timer: Dot(device: DeviceID(stem: "mac", random: 1), number: 1), milliseconds: 1,
        state: TimerState(kind: .focus))
      let operation = RecordOperation(key: Pomodoro.timer, expectedVersion: 0, change: .write(write))
      async let reply = client.commit([operation], zone: Pomodoro.zone)
      while try database.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "0" {
        try await Task.sleep(for: .milliseconds(20))
      }
      server.terminate()
      guard case .committed(1, _, _) = try await reply.results.first else {
        Issue.record("the commit that was under way was not answered")
        return
      }
      #expect(server.ended() == 0)
      #expect(LocalSocket(port: server.port) == nil)
      #expect(try database.value("SELECT count(*) FROM sync_record WHERE type = 'timers'") == "1")
    }
  }
#endif
