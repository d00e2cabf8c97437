#if Network
  import FlowBytes
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncPomodoro
  import SyncServer
  import SyncWire
  import Testing

  /// Requests that are damaged during transmission. They are sent again, and their changes are not refused.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct DamagedRequestsTests {
    private static let token = "a-token-of-tests-0123456789"
    private static let mac = DeviceID(stem: "mac", random: 1)

    /// The possible faults of a request's packets.
    private enum Damage: CaseIterable {
      case packetTwice, allTwice, cut, lost, reordered, late
    }

    private struct Request {
      var kind: String
      var name: String
      var bytes: [UInt8]

      init(_ kind: String, _ query: [String: String], name: String, body: [UInt8] = []) {
        (self.kind, self.name) = (kind, name)
        let headers = [
          ("authorization", "Bearer \(DamagedRequestsTests.token)"), (Wire.versionHeader, "\(Wire.version)"),
          (Wire.requestHeader, name),
        ]
        let head = RequestHead(kind: kind, zone: Pomodoro.zone, query: query) { name in
          headers.first { $0.0 == name }?.1
        }
        let values = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        var text = "\(body.isEmpty ? "GET" : "POST") /zones/\(Pomodoro.zone)/\(kind)?\(values) HTTP/1.1\r\nhost: a\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        text += "\(RequestHead.checkHeader): \(head.check(body: body))\r\n"
        if !body.isEmpty { text += "content-length: \(body.count)\r\n" }
        bytes = Array((text + "\r\n").utf8) + body
      }
    }

    private static func requests(_ seed: UInt64, _ cursor: Cursor) -> [Request] {
      let write = Write(
        timer: Dot(device: mac, number: 1), milliseconds: 1, seen: nil, context: VersionVector(),
        state: TimerState(kind: .focus))
      let operations = [RecordOperation(key: Pomodoro.timer, expectedVersion: 0, change: .write(write))]
      let name = String(seed, radix: 16)
      return [
        Request("commit", [:], name: name, body: Wire.body(of: operations)),
        Request(
          "changes", ["limit": "9", "bytes": "9999", "device": mac.name, "since": "\(cursor)"], name: name),
        Request("pokes", ["device": mac.name], name: name),
      ]
    }

    /// Returns the packets of a request as they arrive. If one is late, the packets include the next request.
    private static func packets(
      of request: Request, _ damage: Damage, before other: Request, using random: inout SplitMix64
    ) -> [[UInt8]] {
      let bytes = request.bytes
      let ends = (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 1..<bytes.count, using: &random)
      }
      let places = [0] + Set(ends).sorted() + [bytes.count]
      var packets = zip(places, places.dropFirst()).map { Array(bytes[$0..<$1]) }
      let index = Int.random(in: 0..<packets.count, using: &random)
      switch damage {
      case .packetTwice: packets.insert(packets[index], at: index)
      case .allTwice: packets += packets
      case .cut: packets.removeLast()
      case .lost: packets.remove(at: index)
      case .reordered: packets.swapAt(index, (index + 1) % packets.count)
      // A packet of this request arrives after the next request was sent on the same connection.
      case .late: packets.append(contentsOf: [other.bytes, packets.remove(at: index)])
      }
      return packets
    }

    /// Returns the error that the device reads from the first response, or nil for a success or if there is no
    /// response.
    private static func error(_ packets: [[UInt8]], _ request: Request, port: Int) throws -> BackendError? {
      let socket = try #require(LocalSocket(port: port))
      for packet in packets where !socket.send(packet) { break }
      var answer: [UInt8] = []
      while let piece = socket.some(waitMilliseconds: 30), !piece.isEmpty {
        answer += piece
        if let error = error(answer, request) { return error.error }
      }
      socket.end()
      return nil
    }

    /// Returns nil while the response is incomplete. Otherwise, returns a tuple with its error, which is nil for a
    /// success.
    private static func error(_ answer: [UInt8], _ request: Request) -> (error: BackendError?, Void)? {
      let text = String(decoding: answer, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { return nil }
      let lines = text[..<end.lowerBound].split(separator: "\r\n")
      let status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
      func header(_ name: String) -> String? {
        lines.first { $0.lowercased().hasPrefix(name + ":") }?.split(separator: ":").last?
          .trimmingCharacters(in: .whitespaces)
      }
      if status == 200 { return (nil, ()) }
      let body = Array(text[end.upperBound...].utf8)
      if let length = header("content-length").flatMap({ Int($0) }), body.count < length { return nil }
      return (Wire.error(body, status: status, isOfRequest: header(Wire.requestHeader) == request.name), ())
    }

    /// Calls `body` with a server and the latest cursor of its zone.
    private func withServer(_ body: (MemoryBackend, Cursor, _ port: Int) async throws -> Void) async throws {
      let backend = MemoryBackend(zones: [Pomodoro.zone])
      let cursor = try await backend.commit(Pomodoro.naming(atMilliseconds: 1), zone: Pomodoro.zone).cursor
      var settings = ServerSettings(tokens: [Pomodoro.zone: Self.token])
      (settings.port, settings.requestsPerSecond) = (0, 100_000)
      let server = SyncServer(backend: backend, settings: settings)
      let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
      let running = Task { try await server.run(stopOnSignals: false) { continuation.yield($0) } }
      defer { running.cancel() }
      var iterator = ports.makeAsyncIterator()
      try await body(backend, cursor, try #require(await iterator.next()))
    }

    @Test func `a request with lost, duplicated or reordered packets is sent again`() async throws {
      try await withServer(sendDamagedRequests)
    }

    @Test func `a request is refused as damaged if a packet with a part of its query arrives twice`() async throws {
      try await withServer { _, cursor, port in
        let request = Self.requests(1, cursor)[1]
        let text = String(decoding: request.bytes, as: UTF8.self)
        let since = try #require(text.range(of: "&since=")).lowerBound.utf16Offset(in: text)
        let query = try #require(text.range(of: "?")).upperBound.utf16Offset(in: text)
        for (first, end) in [(since, since + 9), (since, since + 12), (query + 1, since + 10), (query + 6, since + 8)] {
          let packets = [request.bytes[..<end], request.bytes[first..<end], request.bytes[end...]].map { Array($0) }
          let error = try Self.error(packets, request, port: port)
          #expect(error?.code == "damaged", "\(first), \(end): \(String(describing: error))")
        }
      }
    }

    private func sendDamagedRequests(_ backend: MemoryBackend, _ cursor: Cursor, _ port: Int) async throws {
      var (damaged, codes): (Int, Set<String>) = (0, [])
      for seed in 1...UInt64(200) {
        var random = SplitMix64(seed: seed)
        let requests = Self.requests(seed, cursor)
        let request = requests[Int(seed) % requests.count]
        let damage = Damage.allCases[Int(seed) / requests.count % Damage.allCases.count]
        let other = requests[Int.random(in: 0..<2, using: &random)]
        let packets = Self.packets(of: request, damage, before: other, using: &random)
        guard let error = try Self.error(packets, request, port: port) else { continue }
        damaged += 1
        codes.insert(error.code)
        guard case .retry = error.remedy else {
          Issue.record("seed \(seed): \(damage) of \(request.kind) gave \(error)")
          continue
        }
      }
      #expect(damaged > 20)
      #expect(codes.contains("damaged") && codes.isSubset(of: ["damaged", "unreachable"]), "\(codes)")
      // Requests that arrived complete were performed once, even if they arrived several times. No others were
      // performed.
      let page = try await backend.changes(zone: Pomodoro.zone, since: nil, limit: 99, maximumBytes: 1 << 20)
      let timer = try #require(page.records.first { $0.key == Pomodoro.timer })
      #expect(timer.version == 1)
      #expect(TimerState(payload: timer.cell.entries.first?.payload ?? [])?.kind == .focus)
      #expect(page.records.allSatisfy { $0.key == Pomodoro.timer || $0.key.type == ZoneRules.type })
    }

    @Test func `a checksum detects a body, zone or query that differs from the one sent`() {
      let head = RequestHead(kind: "commit", zone: "notes", query: [:]) { $0 == Wire.requestHeader ? "a" : nil }
      let check = head.check(body: [1, 2, 3])
      #expect(head.isWhole(check))
      #expect(RequestHead.isWhole(body: [1, 2, 3], check))
      #expect(!RequestHead.isWhole(body: [1, 2], check))
      #expect(!RequestHead(kind: "commit", zone: "note", query: [:]) { _ in nil }.isWhole(check))
      #expect(!head.isWhole(nil))
      #expect(RequestHead.query([("a", "1"), ("b", "2")]) == ["a": "1", "b": "2"])
      #expect(RequestHead.query([("a", "x"), ("a", "1"), ("b", "2")]) != ["a": "1", "b": "2"])
    }
  }
#endif
