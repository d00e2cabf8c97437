#if Network
  import FlowDiagnostics
  import FlowInsight
  import FlowModel
  import Hummingbird
  import Synchronization

  /// Controls access to the server. A browser must have opened the link, must use an address of this server, and must
  /// send actions from its pages.
  final class UIAccess: Sendable {
    /// The session of a browser that has opened the link.
    struct Session {
      /// The time of the browser's last request, in seconds of the server's clock.
      var usedAt: Int
      /// The token that the browser's pages must send with every action.
      let pageToken: String
    }

    private struct State {
      var sessions: [String: Session] = [:]
      /// Tokens that can be used only once.
      var onceTokens: Set<String> = []
      var port = 0
    }

    private let state = Mutex(State())
    private let settings: UISettings

    /// The time after which an unused session ends: one day, in seconds.
    static let idleSeconds = 86_400
    /// The maximum number of sessions. If there are more, the one that was unused for the longest time is removed.
    private static let most = 32

    init(_ settings: UISettings) { self.settings = settings }

    /// Sets the port at which the server listens. Host names in requests are compared with it.
    func listens(at port: Int) { state.withLock { $0.port = port } }

    /// True if the header `Host` names this server. Otherwise the request may come from another site whose name was
    /// made to resolve to this machine (DNS rebinding).
    func isOwn(host: String?) -> Bool { host.map { hosts.contains($0.lowercased()) } ?? false }

    /// True if the header `Origin` names this server.
    func isOwn(origin: String) -> Bool {
      if let address = settings.publicURL, origin == "\(address.scheme)://\(address.authority)" { return true }
      return origin.hasPrefix("http://") && localHosts.contains(String(origin.dropFirst("http://".count)))
    }

    private var hosts: Set<String> {
      var hosts = localHosts
      if let address = settings.publicURL { hosts.insert(address.authority) }
      return hosts
    }

    private var localHosts: Set<String> {
      let port = state.withLock { $0.port }
      let names = settings.isLoopback ? UISettings.loopbackNames + [settings.host] : [settings.host]
      let written = names.map { ($0.contains(":") ? "[\($0)]" : $0).lowercased() }
      // Browsers leave out the port if it is the default port.
      return Set(written.map { "\($0):\(port)" } + (port == 80 ? written : []))
    }

    /// The name of the session cookie. It contains the port, because cookies are shared by all servers on the same
    /// host.
    private var cookieName: String { "flowrun-ui-\(state.withLock { $0.port })" }

    /// The name of the cookie that contains the page a browser showed when its session ended.
    var lostPageCookie: String { "\(cookieName)-at" }

    /// Returns a cookie that lets a browser return to a page after opening the link, or nil if the address is not that
    /// of a page.
    func noting(lostPage address: String) -> String? {
      guard Self.isPage(address) else { return nil }
      return "\(lostPageCookie)=\(PageText.inAddress(address)); Path=/; SameSite=Strict; Max-Age=\(Self.idleSeconds)"
    }

    /// Returns the page that a browser showed when its session ended, or nil if it is unknown.
    func lostPage(of request: Request) -> String? {
      let prefix = lostPageCookie + "="
      for cookie in request.headers[values: .cookie].flatMap({ $0.split(separator: ";") }) {
        let cookie = cookie.drop { $0 == " " }
        guard cookie.hasPrefix(prefix) else { continue }
        let address = PercentEncoding.decoded(cookie.dropFirst(prefix.count))
        return Self.isPage(address) ? address : nil
      }
      return nil
    }

    /// True if the address, as encoded by a browser, is that of a page of this server.
    private static func isPage(_ address: String) -> Bool {
      ["/runs/", "/workflows/", "/compare?"].contains { address.hasPrefix($0) } && address.utf8.count < 2_000
        && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !";\"'<>\\".utf8.contains($0) }
    }

    /// Creates a token that can be used only once, for a link that other programs might see.
    func onceToken() -> String {
      let token = UISettings.randomToken()
      state.withLock { _ = $0.onceTokens.insert(token) }
      return token
    }

    /// Creates a session and returns its cookie. Returns nil if the token is wrong.
    func open(with token: String) -> String? {
      let isOnce = state.withLock { $0.onceTokens.remove(token) != nil }
      guard isOnce || Self.areEqual(token, settings.token) else { return nil }
      let name = UISettings.randomToken()
      let now = settings.now()
      state.withLock { state in
        state.sessions = state.sessions.filter { now - $0.value.usedAt < Self.idleSeconds }
        if state.sessions.count >= Self.most, let oldest = state.sessions.min(by: { $0.value.usedAt < $1.value.usedAt })
        {
          state.sessions[oldest.key] = nil
        }
        state.sessions[name] = Session(usedAt: now, pageToken: UISettings.randomToken())
      }
      let secure = settings.publicURL?.scheme == "https" ? "; Secure" : ""
      return "\(cookieName)=\(name); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(Self.idleSeconds)\(secure)"
    }

    /// Returns the session of a request and its name. Returns nil if the request has no session or its session has
    /// ended. `isUse` is false for automatic requests of a page, which do not extend the session.
    func session(of request: Request, isUse: Bool) -> (name: String, session: Session)? {
      let prefix = cookieName + "="
      let cookies = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }
      for cookie in cookies {
        let cookie = cookie.drop { $0 == " " }
        guard cookie.hasPrefix(prefix) else { continue }
        let name = String(cookie.dropFirst(prefix.count))
        guard isOpen(name) else { continue }
        let now = settings.now()
        return state.withLock { state in
          if isUse { state.sessions[name]?.usedAt = now }
          return state.sessions[name].map { (name, $0) }
        }
      }
      return nil
    }

    /// True if the session has not ended.
    func isOpen(_ name: String) -> Bool {
      let now = settings.now()
      return state.withLock { state in
        guard let session = state.sessions[name] else { return false }
        if now - session.usedAt < Self.idleSeconds { return true }
        state.sessions[name] = nil
        return false
      }
    }

    /// Compares two strings. The time does not reveal where they differ.
    static func areEqual(_ one: String, _ other: String) -> Bool {
      let (one, other) = (Array(one.utf8), Array(other.utf8))
      guard one.count == other.count else { return false }
      return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
#endif
