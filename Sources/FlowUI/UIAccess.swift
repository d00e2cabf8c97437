#if Network
  import FlowDiagnostics
  import FlowInsight
  import FlowModel
  import Hummingbird
  import Synchronization

  /// Who may ask: a browser that has opened the link, at an address of this server, from a page of it.
  final class UIAccess: Sendable {
    /// What a browser holds that has opened the link.
    struct Session {
      /// When it last asked for something, in seconds.
      var usedAt: Int
      /// What its pages send with every action.
      let pageToken: String
    }

    private struct State {
      var sessions: [String: Session] = [:]
      /// Tokens that open the page once.
      var onceTokens: Set<String> = []
      var port = 0
    }

    private let state = Mutex(State())
    private let settings: UISettings

    /// How long a session lasts without use: a day, in seconds.
    static let idleSeconds = 86_400
    /// The most sessions; the one that was used longest ago goes first.
    private static let most = 32

    init(_ settings: UISettings) { self.settings = settings }

    // MARK: Addresses

    /// The server listens at this port.
    func listens(at port: Int) { state.withLock { $0.port = port } }

    /// Whether a `Host` names this server: a page of another name may be one that leads here to read what is shown.
    func isOwn(host: String?) -> Bool { host.map { hosts.contains($0.lowercased()) } ?? false }

    /// Whether an `Origin` is a page of this server.
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
      // A browser leaves out the port that is usual.
      return Set(written.map { "\($0):\(port)" } + (port == 80 ? written : []))
    }

    // MARK: Sessions

    /// The name of the cookie; cookies of one machine's servers share a place.
    private var cookieName: String { "flowrun-ui-\(state.withLock { $0.port })" }

    /// The name of the cookie with the page that a browser showed when it lost its session.
    var lostPageCookie: String { "\(cookieName)-at" }

    /// The cookie that notes a page; nil: it is not one to return to.
    func noting(lostPage address: String) -> String? {
      guard Self.isPage(address) else { return nil }
      return "\(lostPageCookie)=\(PageText.inAddress(address)); Path=/; SameSite=Strict; Max-Age=\(Self.idleSeconds)"
    }

    /// The page that a browser showed when it lost its session; nil: none.
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

    /// Whether an address is one of a page of this server, as a browser writes it.
    private static func isPage(_ address: String) -> Bool {
      ["/runs/", "/workflows/", "/compare?"].contains { address.hasPrefix($0) } && address.utf8.count < 2_000
        && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !";\"'<>\\".utf8.contains($0) }
    }

    /// A token that opens the page once, for a link that other programs see.
    func onceToken() -> String {
      let token = UISettings.randomToken()
      state.withLock { _ = $0.onceTokens.insert(token) }
      return token
    }

    /// A new session for who knows the token, as a cookie; nil: it is not the token.
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

    /// The session of a request and its name; nil: it has none, or it has ended. A page that asks by itself does not use it.
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

    /// Whether a session has not ended.
    func isOpen(_ name: String) -> Bool {
      let now = settings.now()
      return state.withLock { state in
        guard let session = state.sessions[name] else { return false }
        if now - session.usedAt < Self.idleSeconds { return true }
        state.sessions[name] = nil
        return false
      }
    }

    /// Compares in a time that does not tell where two texts differ.
    static func areEqual(_ one: String, _ other: String) -> Bool {
      let (one, other) = (Array(one.utf8), Array(other.utf8))
      guard one.count == other.count else { return false }
      return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
#endif
