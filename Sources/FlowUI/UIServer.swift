import FlowCommandKit

#if Network
  import FlowCLI
  import FlowInsight
  import FlowServing
  import FlowSystem
  import Hummingbird
  import HummingbirdCore
  import Logging
  import NIOCore
  import ServiceLifecycle
  import Synchronization

  /// The web server that `flowrun ui` starts.
  package struct UIServer: Sendable {
    private let settings: UISettings
    private let access: UIAccess
    private let starter: RunStarter
    private let connections: ConnectionTable

    /// Creates a server. The settings must be valid: their `problem` must be nil.
    package init(_ settings: UISettings) {
      precondition(settings.problem == nil, settings.problem ?? "")
      self.settings = settings
      access = UIAccess(settings)
      starter = RunStarter(program: settings.flowrun, limit: settings.runs)
      connections = ConnectionTable(total: settings.connections, perPeer: settings.connections)
    }

    /// Answers requests until the process is asked to stop (SIGTERM, SIGINT) or the task is cancelled. Runs that were
    /// started here are then cancelled. `onListening` receives the link and another link that works only once.
    package func run(
      stopOnSignals: Bool = true, onListening: @escaping @Sendable (_ link: String, _ once: String) async -> Void
    ) async throws {
      var logger = Logger(label: "flowrun-ui")
      logger.logLevel = .error
      let (table, timeouts) = (connections, settings.timeouts)
      let application = Application(
        responder: UIResponder(settings: settings, access: access, starter: starter),
        server: .http1(
          configuration: .init(
            additionalChannelHandlers: [ConnectionGuard(table: table, timeouts: timeouts), SentTarget()])),
        configuration: ApplicationConfiguration(
          address: .hostname(settings.host, port: settings.port), serverName: "flowrun-ui"),
        onServerRunning: { [settings, access] channel in
          let port = channel.localAddress?.port ?? settings.port
          access.listens(at: port)
          let name = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
          let start = settings.publicURL.map { "\($0.scheme)://\($0.authority)" } ?? "http://\(name):\(port)"
          await onListening("\(start)/?token=\(settings.token)", "\(start)/?token=\(access.onceToken())")
        }, logger: logger)
      let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
          services: [application], gracefulShutdownSignals: stopOnSignals ? [.sigterm, .sigint] : [], logger: logger))
      // SwiftNIO treats a truncated answer as a fatal error, so the server is stopped gracefully when the task is
      // cancelled.
      let serving = Task { try await group.run() }
      let result = await withTaskCancellationHandler {
        await serving.result
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
      await starter.stop()
      do {
        try result.get()
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        throw PortTaken(host: settings.host, port: settings.port)
      }
    }
  }

  /// Answers requests after checking that they are allowed.
  struct UIResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let settings: UISettings
    let access: UIAccess
    let starter: RunStarter
    private let busy = Busy()

    /// Counts the requests and event streams in progress.
    final class Busy: Sendable {
      let requests = Mutex(0)
      let followers = Mutex(0)

      /// Counts a request or an event stream while `body` runs. Returns nil without running it if `limit` is reached.
      static func counted<Answer>(
        _ count: borrowing Mutex<Int>, _ limit: Int, _ body: () async throws -> Answer
      ) async rethrows -> Answer? {
        let isFree = count.withLock { count in
          guard count < limit else { return false }
          count += 1
          return true
        }
        guard isFree else { return nil }
        defer { count.withLock { $0 -= 1 } }
        return try await body()
      }
    }

    init(settings: UISettings, access: UIAccess, starter: RunStarter) {
      (self.settings, self.access, self.starter) = (settings, access, starter)
    }

    // Pages load nothing from other servers, cannot be embedded or read by other pages, and contain no inline scripts
    // or styles.
    private static let headers: HTTPFields = [
      .contentSecurityPolicy:
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'",
      .xContentTypeOptions: "nosniff", .init("Referrer-Policy")!: "no-referrer", .cacheControl: "no-store",
      .init("Cross-Origin-Opener-Policy")!: "same-origin", .init("Cross-Origin-Resource-Policy")!: "same-origin",
    ]

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
      var response: Response
      do {
        response =
          try await Busy.counted(busy.requests, settings.requests) { try await answer(request) }
          ?? Response.text(.serviceUnavailable, "The server is busy; try again.", [.retryAfter: "1"])
      } catch let problem as UsageProblem {
        response = UIPage.problem(.badRequest, problem.description, isFor: request)
      } catch {
        response = UIPage.problem(.internalServerError, RunLibrary.message(of: error), isFor: request)
      }
      for field in Self.headers where response.headers[field.name] == nil { response.headers[field.name] = field.value }
      if request.method == .head { response.body = ResponseBody() }
      return response
    }

    private func answer(_ request: Request) async throws -> Response {
      let hosts = [request.head.authority].compactMap { $0 } + request.headers[values: .init("Host")!]
      let target = request.headers[.init(SentTarget.fieldName)!] ?? ""
      let problem = RequestAddress.problem(target: target, hosts: hosts) { access.isOwn(host: $0) }
      if let problem { return .text(.badRequest, problem) }
      guard access.isOwn(host: request.head.authority) else {
        return .text(.forbidden, "This server has another name: open the link that flowrun ui printed.")
      }
      let origin = request.headers[.origin]
      if let origin, !access.isOwn(origin: origin) {
        return .text(.forbidden, "A page of another server asks for this.")
      }
      guard [.get, .head, .post].contains(request.method) else {
        return .text(.methodNotAllowed, "Expected GET or POST.", [.allow: "GET, HEAD, POST"])
      }
      let path = request.uri.path
      if request.method != .post, let asset = UIAsset.named(path) { return asset }
      if path == "/", request.method == .get, let token = request.uri.queryParameters["token"] {
        guard let cookie = access.open(with: String(token)) else {
          return UIPage.problem(.unauthorized, Self.noSession, isFor: request)
        }
        return .opened(cookie, at: access.lostPage(of: request), forgetting: access.lostPageCookie)
      }
      let isUpdate =
        request.headers[.init(UIPage.updateHeader)!] != nil || request.headers[.accept] == "text/event-stream"
      guard let (name, session) = access.session(of: request, isUse: !isUpdate) else {
        var response = UIPage.problem(.unauthorized, Self.noSession, isFor: request)
        if request.method == .get, !isUpdate {
          response.headers[.setCookie] = access.noting(lostPage: request.uri.string)
        }
        return response
      }
      if request.method == .post {
        // A form on another site cannot send this header, nor a cookie with `SameSite`.
        guard origin != nil, UIAccess.areEqual(request.headers[.init(UIPage.tokenHeader)!] ?? "", session.pageToken)
        else {
          return .problem(.forbidden, "This page is not up to date; load it again.")
        }
        return try await UIActions(settings: settings, starter: starter).answer(request, path)
      }
      let site = UISite(
        settings: settings, pageToken: session.pageToken, lostPageCookie: access.lostPageCookie)
      if let follower = try await site.follower(path, request) {
        return await follow(follower, session: name)
      }
      return try await site.answer(request, path)
    }

    private static let noSession =
      "Open the link that flowrun ui printed. A session ends after a day without use, and with the server."

    /// Returns an answer that sends events as long as the page is open.
    private func follow(_ follower: RunFollower, session: String) async -> Response {
      let (access, busy, limit) = (access, busy, settings.followers)
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"],
        body: ResponseBody { writer in
          let isServed: Void? = try await Busy.counted(busy.followers, limit) {
            try await follower.write(to: &writer) { access.isOpen(session) }
          }
          if isServed == nil { try await writer.write(ByteBuffer(string: "retry: 10000\n\n")) }
          try await writer.finish(nil)
        })
    }
  }

  extension Response {
    /// Returns an answer that consists of plain text.
    static func text(_ status: HTTPResponse.Status, _ text: String, _ headers: HTTPFields = [:]) -> Response {
      var headers = headers
      headers[.contentType] = "text/plain; charset=utf-8"
      return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    /// Returns a page that sets the session cookie and then opens the lost page or the first page. A redirection would
    /// not work: if the link is on a page of another server, the browser would not send the cookie.
    static func opened(_ cookie: String, at page: String?, forgetting lostPage: String) -> Response {
      var headers: HTTPFields = [
        .contentType: "text/html; charset=utf-8", .setCookie: cookie, .init("Refresh")!: "0; url=\(page ?? "/")",
      ]
      if page != nil { headers[values: .setCookie] = [cookie, "\(lostPage)=; Path=/; Max-Age=0"] }
      let address = PageText.value(page ?? "/")
      return Response(
        status: .ok, headers: headers,
        body: ResponseBody(
          byteBuffer: ByteBuffer(
            string:
              "<!doctype html><html lang=\"en\"><title>flowrun</title><p><a href=\"\(address)\">Open flowrun</a></p></html>\n"
          )))
    }
  }
#endif
