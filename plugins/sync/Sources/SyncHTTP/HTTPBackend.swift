#if Network
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import NIOSSL
  import SyncCore
  import SyncEngine
  import SyncWire
  import Synchronization

  /// A zone on a sync server, reached over HTTP or HTTPS. Connections are kept open and shared. HTTP/2 is used if the
  /// server supports it.
  public final class HTTPBackend: SyncBackend {
    private let address: ServerAddress
    private let token: String
    private let configuration: HTTPClient.Configuration
    /// The client, or nil after `close()`.
    private let client: Mutex<HTTPClient?>
    /// The maximum duration of a request.
    private static let timeout = Duration.seconds(10)
    /// The maximum size of a response, in bytes.
    private static let maximumBodyBytes = 8 << 20

    /// Creates a backend for `https://HOST[:PORT]`, or for `http://` on this machine, with the zone's token.
    /// `certificates` is a PEM file of certificate authorities that are trusted instead of the system's.
    ///
    /// Throws `BackendError.invalid` for any other address, or if the token or the certificates are invalid.
    public init(address: String, token: String, certificates: String? = nil) throws(BackendError) {
      self.address = try ServerAddress(address)
      guard token.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
        throw .invalid("the token contains characters that are not allowed")
      }
      self.token = token
      configuration = try Self.configuration(certificates: certificates)
      client = Mutex(HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
    }

    deinit { close() }

    /// Closes all connections. Later requests fail.
    public func close() {
      let client = client.withLock { client in
        defer { client = nil }
        return client
      }
      client?.shutdown { _ in }
    }

    private static func configuration(certificates: String?) throws(BackendError) -> HTTPClient.Configuration {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      if let certificates {
        guard let roots = try? NIOSSLCertificate.fromPEMFile(certificates), !roots.isEmpty else {
          throw .invalid("'\(certificates)' is not a readable file of PEM certificates")
        }
        tls.trustRoots = .certificates(roots)
      }
      var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
      // A request is sent only once and to one address, so that the budget counts every request that is sent.
      configuration.redirectConfiguration = .disallow
      configuration.connectionPool.retryConnectionEstablishment = false
      // This is shorter than the server's own timeout, so that the server rarely closes a connection in use.
      configuration.connectionPool.idleTimeout = .seconds(20)
      configuration.timeout.connect = .seconds(10)
      // The maximum silence on a channel. Requests have their own timeouts.
      configuration.timeout.read = .seconds(75)
      return configuration
    }

    /// Commits operations; see `SyncBackend`.
    public func commit(
      _ operations: [RecordOperation], zone: String, heard: SyncCore.Cursor?, store: StoreIdentity?
    ) async throws(BackendError) -> CommitReply {
      let body = Wire.body(of: operations, heard: heard)
      guard body.count <= SyncLimits.bodyBytes else { throw .tooLarge }
      let answer = try await exchange(request("commit", zone, store: store, body: body))
      return try Self.read { () throws(Wire.WireProblem) in try Wire.commitReply(answer) }
    }

    /// Returns changes; see `SyncBackend`.
    public func changes(
      zone: String, since cursor: SyncCore.Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
      of subscription: SyncSubscription?, store: StoreIdentity?
    ) async throws(BackendError) -> ChangePage {
      var query = ["limit": "\(limit)", "bytes": "\(maximumBytes)"]
      if let cursor { query["since"] = "\(cursor)" }
      if case .device(let device, let heard) = reader {
        query["device"] = "\(device)"
        if let heard, heard != cursor { query["heard"] = "\(heard)" }
      }
      if let subscription { query["subscribe"] = Wire.text(of: subscription) }
      let answer = try await exchange(request("changes", zone, query, store: store))
      return try Self.read { () throws(Wire.WireProblem) in try Wire.page(answer, isPartial: subscription != nil) }
    }

    /// Returns the identity of the server's store.
    public func identity() async throws(BackendError) -> StoreIdentity {
      let answer = try await exchange(request("/store"))
      return try Self.read { () throws(Wire.WireProblem) in try Wire.identity(answer) }
    }

    /// Returns the time of the server's clock, in milliseconds since 1970.
    public func serverTime() async throws(BackendError) -> Int64 {
      let answer = try await exchange(request("/time"))
      return try Self.read { () throws(Wire.WireProblem) in try Wire.serverTime(answer) }
    }

    /// Returns a stream of notifications; see `SyncBackend`.
    public func watch(
      zone: String, device: DeviceID, store: StoreIdentity?
    ) -> AsyncThrowingStream<ChannelSign, any Error> {
      let (stream, continuation) = AsyncThrowingStream.makeStream(
        of: ChannelSign.self, bufferingPolicy: .bufferingNewest(16))
      var request = request("pokes", zone, ["device": device.name], store: store)
      request.headers.add(name: "Accept", value: "text/event-stream")
      let client = client.withLock { $0 }
      let task = Task { [request, address] in
        do {
          guard let client else { throw HTTPClientError.alreadyShutdown }
          let response = try await client.execute(request, timeout: .nanoseconds(Self.timeout.nanoseconds))
          // Something else, such as the login page of a network, must not count as a sign of the store.
          if response.status == .ok {
            try Self.requireAnswer(response.headers.first(name: Wire.requestHeader), request)
          }
          guard response.status == .ok else {
            let answer = try await Self.within(Self.timeout) { try await Answer(response) }
            throw answer.error(to: request)
          }
          var reader = EventStreamReader()
          for try await piece in response.body {
            reader.take(Array(buffer: piece)) { continuation.yield($0) }
          }
          continuation.finish(throwing: BackendError.unreachable("the server closed the channel"))
        } catch {
          continuation.finish(throwing: await HTTPFailure.error(error, from: address))
        }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }

    // MARK: Requests

    /// A complete response of the server.
    private struct Answer: Sendable {
      var status: Int
      var retryAfter: String?
      var date: String?
      /// The identifier of the request to which the server responds, or nil.
      var request: String?
      /// The version of the server's messages, or 1 if the response does not include it.
      var version: Int
      var body: [UInt8]

      init(_ response: HTTPClientResponse) async throws {
        status = Int(response.status.code)
        retryAfter = response.headers.first(name: "Retry-After")
        date = response.headers.first(name: "Date")
        request = response.headers.first(name: Wire.requestHeader)
        version = response.headers.first(name: Wire.versionHeader).flatMap { Int($0) } ?? 1
        body = Array(buffer: try await response.body.collect(upTo: HTTPBackend.maximumBodyBytes))
      }

      /// True if this is the response to a given request. Proxies may duplicate or delay responses.
      func answers(_ asked: HTTPClientRequest) -> Bool { request == asked.headers.first(name: Wire.requestHeader) }

      /// Returns the error for an unsuccessful response.
      func error(to asked: HTTPClientRequest) -> BackendError {
        Wire.error(
          body, status: status, isOfRequest: answers(asked), version: version, retryAfter: retryAfter, date: date)
      }
    }

    /// Creates a request about a zone. It includes a checksum, with which the server detects damage.
    private func request(
      _ kind: String, _ zone: String, _ query: [String: String] = [:], store: StoreIdentity?, body: [UInt8]? = nil
    ) -> HTTPClientRequest {
      let values = query.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.escaped($0.value))" }
      let target = "/zones/\(Self.escaped(zone))/\(kind)" + (values.isEmpty ? "" : "?" + values.joined(separator: "&"))
      var request = request(target)
      if let store { request.headers.add(name: Wire.storeHeader, value: "\(store)") }
      let head = RequestHead(kind: kind, zone: zone, query: query) { request.headers.first(name: $0) }
      request.headers.add(name: RequestHead.checkHeader, value: head.check(body: body ?? []))
      if let body {
        request.method = .POST
        request.headers.add(name: "Content-Type", value: Wire.packedType)
        request.body = .bytes(ByteBuffer(bytes: body))
      }
      return request
    }

    private func request(_ target: String) -> HTTPClientRequest {
      var request = HTTPClientRequest(url: address.url + target)
      request.headers.add(name: "Authorization", value: "Bearer \(token)")
      // Without this header, a proxy may compress responses, which are not decompressed here.
      request.headers.add(name: "Accept-Encoding", value: "identity")
      request.headers.add(name: Wire.versionHeader, value: "\(Wire.version)")
      request.headers.add(name: Wire.requestHeader, value: String(UInt64.random(in: .min ... .max), radix: 16))
      return request
    }

    private func exchange(_ request: HTTPClientRequest) async throws(BackendError) -> [UInt8] {
      guard let client = client.withLock({ $0 }) else { throw HTTPFailure.closed }
      let answer = try await self.answer(to: request, from: client)
      if answer.status == 200 {
        do throws(BackendError) {
          try Self.requireAnswer(answer.request, request)
        } catch {
          // A response to another request is ignored, and its connection is closed.
          renew(client)
          throw error
        }
      }
      if answer.status == 200, answer.version < Wire.version { throw .unsupportedFormat(Wire.serverIsOlder) }
      guard answer.status == 200 else { throw answer.error(to: request) }
      return answer.body
    }

    /// Throws unless `answered`, the identifier in a response, is that of `request`.
    private static func requireAnswer(_ answered: String?, _ request: HTTPClientRequest) throws(BackendError) {
      if answered == request.headers.first(name: Wire.requestHeader) { return }
      throw .unreachable("the answer belongs to \(answered == nil ? "no request" : "another request")")
    }

    private func answer(
      to request: HTTPClientRequest, from client: HTTPClient
    ) async throws(BackendError) -> Answer {
      do {
        return try await Self.within(Self.timeout) {
          try await Answer(try await client.execute(request, timeout: .nanoseconds(Self.timeout.nanoseconds)))
        }
      } catch {
        throw await HTTPFailure.error(error, from: address)
      }
    }

    /// Replaces a client and closes its connections, unless it has already been replaced.
    private func renew(_ old: HTTPClient) {
      let isPresent = client.withLock { client in
        guard client === old else { return false }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        return true
      }
      if isPresent { old.shutdown { _ in } }
    }

    /// Returns the result of `body`, or throws `timedOut` if it takes longer than `limit`.
    private static func within<Value: Sendable>(
      _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
          try await Task.sleep(for: limit)
          return nil
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() ?? nil else { throw BackendError.timedOut }
        return value
      }
    }

    private static func read<Value>(_ body: () throws(Wire.WireProblem) -> Value) throws(BackendError) -> Value {
      do {
        return try body()
      } catch {
        if error.isOfTheFuture { throw .unsupportedFormat("\(error)") }
        throw .unreachable("the server's answer cannot be read: \(error)")
      }
    }

    /// Returns a string for use in a URL. All bytes except ASCII letters and digits are escaped.
    private static func escaped(_ text: String) -> String {
      text.utf8.reduce(into: "") { result, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          result.unicodeScalars.append(Unicode.Scalar(byte))
        default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
      }
    }
  }

  extension Duration {
    fileprivate var nanoseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#endif
