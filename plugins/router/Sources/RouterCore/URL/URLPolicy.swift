/// What links may look like: the schemes and hosts that are allowed, and how their text is read.
///
/// Deny by default: a scheme or host that is not named is refused (CWE-939).
public struct URLPolicy: Sendable, Hashable {
  /// The schemes that open the application, in lower case; the first is the one that routes are shown with. All are
  /// aliases of each other (ruling C6).
  public let schemes: [String]
  /// The hosts whose `https` links open the application.
  public let hosts: [HostPattern]
  /// Whether `+` in a query means a space.
  public var plusAsSpace: Bool
  /// Whether an empty segment (`a//b`, a final `/`) counts; otherwise it is dropped.
  public var strictSlashes: Bool
  /// Whether the first segment is compared with case; otherwise it is read as the host that RFC 3986 says it is.
  public var caseSensitiveHost: Bool
  /// The meaning of a fragment.
  public var fragmentUse: FragmentUse
  /// The sizes past which a URL is refused.
  public var limits: URLLimits

  /// The meaning of a fragment, the part behind `#`.
  public enum FragmentUse: String, Sendable, Hashable {
    /// Text that takes no part in matching.
    case text
    /// Parameters such as `access_token=…&state=…`, which no log shows.
    case parameters
    /// The rest of the path if it begins with `/` or `!/`.
    case path
  }

  /// What is wrong with a declared scheme or host.
  public enum PolicyProblem: Error, Sendable, Hashable {
    /// No scheme was given.
    case noScheme
    /// The scheme at this place is not of the form letter, then letters, digits, `+`, `-`, `.`.
    case malformedScheme(index: Int)
    /// The scheme at this place belongs to the web or the system.
    case reservedScheme(index: Int)
    /// The host at this place is neither a name, `*.name` nor either with a port.
    case malformedHost(index: Int)
  }

  /// Schemes that mean something else everywhere and must never open an application's pages.
  public static let reservedSchemes: Set<String> = [
    "about", "blob", "data", "file", "ftp", "http", "https", "intent", "javascript", "mailto", "sms", "tel", "vbscript",
    "ws", "wss",
  ]

  /// A policy of these schemes and hosts; throws the first ``PolicyProblem``.
  public init(
    schemes: [String], hosts: [String] = [], plusAsSpace: Bool = false, strictSlashes: Bool = false,
    caseSensitiveHost: Bool = false, fragmentUse: FragmentUse = .text, limits: URLLimits = URLLimits()
  ) throws(PolicyProblem) {
    guard !schemes.isEmpty else { throw .noScheme }
    var names: [String] = []
    for (index, scheme) in schemes.enumerated() {
      let name = scheme.lowercased()
      guard name.utf8.count <= 64, Self.isScheme(name.utf8) else { throw .malformedScheme(index: index) }
      guard !Self.reservedSchemes.contains(name) else { throw .reservedScheme(index: index) }
      names.append(name)
    }
    var patterns: [HostPattern] = []
    for (index, host) in hosts.enumerated() {
      guard let pattern = HostPattern(host) else { throw .malformedHost(index: index) }
      patterns.append(pattern)
    }
    self.schemes = names
    self.hosts = patterns
    self.plusAsSpace = plusAsSpace
    self.strictSlashes = strictSlashes
    self.caseSensitiveHost = caseSensitiveHost
    self.fragmentUse = fragmentUse
    self.limits = limits
  }

  /// The URL to match: `app://page/#/inner?x=1` is `app://page/inner?x=1` where fragments are paths.
  func matched(_ url: String) -> String {
    guard fragmentUse == .path, let hash = url.firstIndex(of: "#") else { return url }
    var fragment = url[url.index(after: hash)...]
    if fragment.hasPrefix("!/") { fragment.removeFirst() }
    guard fragment.hasPrefix("/") else { return url }
    let outer = Self.split(url[..<hash])
    let inner = Self.split(fragment)
    let query = [outer.query, inner.query].filter { !$0.isEmpty }.joined(separator: "&")
    let path = outer.path.hasSuffix("/") ? outer.path.dropLast() : outer.path
    return path + inner.path + (query.isEmpty ? "" : "?" + query)
  }

  private static func split(_ text: Substring) -> (path: Substring, query: Substring) {
    guard let mark = text.firstIndex(of: "?") else { return (text, "") }
    return (text[..<mark], text[text.index(after: mark)...])
  }

  /// The URL as a log may show it: where the fragment is parameters, without them.
  func shown(_ url: String) -> String {
    guard fragmentUse == .parameters, let hash = url.firstIndex(of: "#"), url.index(after: hash) < url.endIndex else {
      return matched(url)
    }
    return url[...hash] + Redaction.mark
  }

  /// Whether the bytes are a scheme (RFC 3986, 3.1).
  static func isScheme(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, ASCII.isLetter(first) else { return false }
    return bytes.allSatisfy(ASCII.isSchemeByte)
  }
}
