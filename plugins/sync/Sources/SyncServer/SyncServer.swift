#if Network
  import FlowPlatform
  import FlowServing
  import Hummingbird
  import HummingbirdCore
  import HummingbirdTLS
  import Logging
  import NIOCore
  import ServiceLifecycle
  import SyncCore
  import SyncEngine
  import SyncWire

  /// A stateless sync server, which works with any backend. Several servers can serve the same zones from one database.
  ///
  /// `POST /zones/{zone}/commit` · `GET /zones/{zone}/changes?since=&limit=&bytes=` · `GET /zones/{zone}/pokes`
  /// (server-sent events) · `GET /store` (the identity of the store) · `GET /time` · `GET /health` (the process is
  /// running) · `GET /ready` (the store responds) · `GET /metrics`.
  public struct SyncServer: Sendable {
    private let backend: any SyncBackend
    private let settings: ServerSettings
    private let access: ZoneAccess
    private let openZone: @Sendable (String) async throws -> Void
    private let connections: ConnectionTable
    private let rate: RateLimit
    private let clock = SystemClock()
    private let notifications = NotificationHub()
    private let counts = RequestCounts()

    /// Creates a server for a backend. `settings.problem` must be nil. `openZone` adds a zone to the backend while the
    /// server is running.
    public init(
      backend: any SyncBackend, settings: ServerSettings,
      openZone: @escaping @Sendable (String) async throws -> Void = { _ in }
    ) {
      precondition(settings.problem == nil, settings.problem ?? "")
      self.backend = backend
      self.settings = settings
      self.openZone = openZone
      access = ZoneAccess(settings.zones)
      connections = ConnectionTable(total: settings.connections, perPeer: settings.connectionsPerPeer)
      rate = RateLimit(perSecond: settings.requestsPerSecond)
    }

    /// Runs the server until the process receives SIGTERM or SIGINT, or the task is cancelled. Requests in progress are
    /// completed, and channels are closed. `onListening` is called with the port once it is open. `report` is called
    /// with messages for the operator. Throws a `PortTaken` if the port is in use.
    public func run(
      stopOnSignals: Bool = true, onListening: @escaping @Sendable (Int) async -> Void = { _ in },
      report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws {
      var logger = Logger(label: "flowrun-sync-server")
      logger.logLevel = .error
      var application = Application(
        router: router(), server: try server(report),
        configuration: ApplicationConfiguration(
          address: .hostname(settings.host, port: settings.port), serverName: "flowrun-sync-server"),
        onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) }, logger: logger)
      application.addServices(NotificationService(backend: backend, access: access, hub: notifications))
      if let file = settings.zonesFile {
        application.addServices(
          ZonesService(file: file, access: access, hub: notifications, openZone: openZone, report: report))
      }
      let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
          services: [application], gracefulShutdownSignals: stopOnSignals ? [.sigterm, .sigint] : [], logger: logger))
      // The task may be cancelled at any time, but the services must not be, because SwiftNIO treats a truncated
      // response as a fatal error. A cancellation therefore starts a graceful shutdown.
      let serving = Task { try await group.run() }
      try await withTaskCancellationHandler {
        do {
          try await serving.value
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
          throw PortTaken(host: settings.host, port: settings.port)
        }
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
    }

    private func server(_ report: @escaping @Sendable (String) -> Void) throws -> HTTPServerBuilder {
      let (table, timeouts) = (connections, settings.timeouts)
      let plain = HTTPServerBuilder.http1(
        configuration: .init(additionalChannelHandlers: [ConnectionGuard(table: table, timeouts: timeouts)]))
      guard let certificate = settings.certificate, let key = settings.key else { return plain }
      let files = try CertificateFiles(certificate: certificate, key: key, report: report)
      return try .tls(plain, tlsConfiguration: files.configuration())
    }

    private func router() -> Router<BasicRequestContext> {
      let router = Router()
      router.add(middleware: RequestNames())
      router.get("/health") { _, _ in Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "ok\n")))
      }
      router.get("/ready") { _, _ in
        try await answer { () throws(BackendError) in
          for zone in access.names.sorted().prefix(1) {
            _ = try await backend.changes(zone: zone, since: nil, limit: 1, maximumBytes: 1)
          }
          return Wire.body(ofServerTime: try await backend.serverTime())
        }
      }
      router.get("/metrics") { _, _ in
        Response(
          status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
          body: ResponseBody(
            byteBuffer: ByteBuffer(string: counts.text(channels: notifications.count, connections: connections.counts)))
        )
      }
      router.get("/time") { _, _ in
        try await answer { () throws(BackendError) in Wire.body(ofServerTime: try await backend.serverTime()) }
      }
      router.get("/store") { _, _ in
        try await answer { () throws(BackendError) in Wire.body(of: try await backend.identity()) }
      }
      router.post("/zones/:zone/commit") { request, context in
        let zone = context.parameters.get("zone") ?? ""
        return try await answer(Wire.packedType) { () throws(BackendError) in try await commit(request, zone) }
      }
      router.get("/zones/:zone/changes") { request, context in
        let zone = context.parameters.get("zone") ?? ""
        return try await answer(Wire.packedType) { () throws(BackendError) in try await changes(request, zone) }
      }
      router.get("/zones/:zone/pokes") { request, context in
        let zone = context.parameters.get("zone") ?? ""
        do throws(BackendError) {
          return try await channel(request, zone)
        } catch {
          return response(to: error)
        }
      }
      return router
    }

    // MARK: Requests

    private func commit(_ request: Request, _ zone: String) async throws(BackendError) -> [UInt8] {
      try admit(request, "commit", zone)
      let store = try Self.store(request)
      let body: [UInt8]
      do {
        body = Array(buffer: try await request.body.collect(upTo: SyncLimits.bodyBytes))
      } catch is NIOTooManyBytesError {
        throw .tooLarge
      } catch {
        throw .damaged("its body cannot be read")
      }
      guard RequestHead.isWhole(body: body, request.headers[.init(RequestHead.checkHeader)!]) else {
        throw .damaged("its body has another checksum")
      }
      let (operations, heard): ([RecordOperation], Cursor?)
      do throws(Wire.WireProblem) {
        (operations, heard) = try Wire.commit(body)
      } catch {
        if error.isOfTheFuture { throw .unsupportedFormat("\(error)") }
        throw .invalid("\(error)")
      }
      let reply = try await backend.commit(operations, zone: zone, heard: heard, store: store)
      counts.count(reply)
      if !backend.tellsOwnCommits, reply.lastSequence != nil { notifications.publish(reply.cursor, zone: zone) }
      return Wire.body(of: reply)
    }

    private func changes(_ request: Request, _ zone: String) async throws(BackendError) -> [UInt8] {
      try admit(request, "changes", zone)
      let query = request.uri.queryParameters
      let cursor = try Self.cursor(query["since"], "since")
      let heard = try Self.cursor(query["heard"], "heard") ?? cursor
      let limit = try Self.number(query["limit"], "limit", 1...SyncLimits.records) ?? SyncLimits.records
      let bytes = try Self.number(query["bytes"], "bytes", 0...SyncLimits.bodyBytes) ?? SyncLimits.bodyBytes
      let device = query["device"].flatMap { DeviceID(String($0)) }
      if let cursor, let device { notifications.fetched(cursor, by: device, zone: zone) }
      let (subscription, store) = (try Self.subscription(query["subscribe"]), try Self.store(request))
      let page = try await backend.changes(
        zone: zone, since: cursor, limit: limit, maximumBytes: bytes,
        reader: device.map { .device($0, heard: heard) } ?? .nobody, of: subscription, store: store)
      return Wire.body(of: page, isPartial: subscription != nil)
    }

    private static func cursor(_ text: Substring?, _ name: String) throws(BackendError) -> Cursor? {
      guard let text else { return nil }
      guard let cursor = Cursor(text) else { throw .invalid("'\(name)' is not a cursor: '\(text)'") }
      return cursor
    }

    /// Returns the store that a request requires, or nil if it does not require one.
    private static func store(_ request: Request) throws(BackendError) -> StoreIdentity? {
      guard let text = request.headers[.init(Wire.storeHeader)!] else { return nil }
      guard let store = StoreIdentity(text) else {
        throw .invalid("'\(Wire.storeHeader)' is not the identity of a store: '\(text)'")
      }
      return store
    }

    private static func subscription(_ text: Substring?) throws(BackendError) -> SyncSubscription? {
      guard let text else { return nil }
      do throws(Wire.WireProblem) {
        return try Wire.subscription(String(text))
      } catch {
        throw .invalid("\(error)")
      }
    }

    private func channel(_ request: Request, _ zone: String) async throws(BackendError) -> Response {
      try admit(request, "pokes", zone)
      guard notifications.count < settings.channels else {
        throw .unreachable("all \(settings.channels) channels are taken")
      }
      guard let device = request.uri.queryParameters["device"].flatMap({ DeviceID(String($0)) }) else {
        throw .invalid("'device' is missing or no device's name")
      }
      let own = try await backend.identity()
      if let store = try Self.store(request), store != own { throw .otherStore(own) }
      let (backend, notifications) = (backend, notifications)
      let signs = notifications.subscribe(zone: zone, device: device) {
        if let latest = notifications.latest(zone: zone) { return latest }
        for try await sign in backend.watch(zone: zone, device: Self.serverDevice) {
          if let cursor = sign.cursor { return cursor }
        }
        throw BackendError.zoneMissing(zone)
      }
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        body: ResponseBody { writer in
          do {
            try await withGracefulShutdownHandler {
              for try await sign in signs { try await writer.write(ByteBuffer(string: Self.event(sign))) }
            } onGracefulShutdown: {
              // The server waits until all responses have ended, so the channels must be ended here.
              notifications.finish(throwing: .unreachable("the server stops"))
            }
          } catch is BackendError {}
          try await writer.finish(nil)
        })
    }

    private static func event(_ sign: ChannelSign) -> String {
      switch sign {
      case .notification(let cursor): "event: poke\ndata: \(cursor)\n\n"
      case .changes(let page, since: let cursor):
        // A client that does not support this event uses the notification that follows. A client that has applied the
        // changes need not fetch.
        if let text = Wire.text(of: page, since: cursor) {
          "event: changes\ndata: \(text)\n\n\(event(.notification(page.cursor)))"
        } else {
          event(.notification(page.cursor))
        }
      case .recovered(let cursor): "event: recovered\ndata: \(cursor)\n\n"
      case .alive: ": alive\n\n"
      }
    }

    /// Throws unless a request may be processed. Damage is checked first, because errors in a damaged request do not
    /// show anything about the device that sent it.
    private func admit(_ request: Request, _ kind: String, _ zone: String) throws(BackendError) {
      let version = request.headers[.init(Wire.versionHeader)!].flatMap { Int($0) } ?? 1
      let check = request.headers[.init(RequestHead.checkHeader)!]
      if version >= Wire.version || check != nil {
        let query = RequestHead.query(request.uri.queryParameters.map { (String($0.key), String($0.value)) })
        let head = RequestHead(kind: kind, zone: zone, query: query) { request.headers[.init($0)!] }
        guard head.isWhole(check) else { throw .damaged("its head has another checksum") }
      }
      try access.check(zone: zone, authorization: request.headers[.authorization])
      if version < Wire.version { throw .unsupportedFormat(Wire.needsNewer) }
      try rate.take(zone: zone, atMilliseconds: clock.nowMilliseconds())
    }

    private static func number(
      _ text: Substring?, _ name: String, _ range: ClosedRange<Int>
    ) throws(BackendError) -> Int? {
      guard let text else { return nil }
      guard let number = Int(text), range.contains(number) else {
        throw .invalid("'\(name)' is '\(text)', expected \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }

    // MARK: Responses

    private func answer(
      _ type: String = "application/json", _ body: () async throws(BackendError) -> [UInt8]
    ) async throws -> Response {
      do throws(BackendError) {
        let bytes = try await body()
        counts.count(status: 200)
        return Response(
          status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
      } catch {
        return response(to: error)
      }
    }

    private func response(to error: BackendError) -> Response {
      var headers: HTTPFields = [.contentType: "application/json"]
      counts.count(status: Wire.status(of: error))
      if case .retry(let wait?) = error.remedy { headers[.retryAfter] = String((wait + 999) / 1000) }
      if case .queueOnly(let wait?) = error.remedy { headers[.retryAfter] = String((wait + 999) / 1000) }
      return Response(
        status: .init(code: Wire.status(of: error)), headers: headers,
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: Wire.body(of: error))))
    }
  }

  /// Copies a request's identifier to its response, so that a client can match them. Also adds the version of the
  /// server's messages.
  struct RequestNames: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
      _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
      var response = try await next(request, context)
      // The name of a header is a token of RFC 9110, so it is valid.
      response.headers[.init(Wire.versionHeader)!] = "\(Wire.version)"
      response.headers[.init(Wire.requestHeader)!] = request.headers[.init(Wire.requestHeader)!]
      return response
    }
  }

  extension SyncServer {
    /// The device name that the server uses to watch its backend.
    static let serverDevice = DeviceID(stem: "server", random: 0)
  }
#endif
