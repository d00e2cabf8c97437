/// The rules for links: the allowed schemes and hosts, and the interpretation of a URL's parts.
///
/// Schemes and hosts that are not declared are refused (CWE-939).
public struct URLPolicy: Sendable, Hashable {
  /// The schemes that open the application, in lower case. All are equivalent (ruling C6); routes are displayed with
  /// the first one.
  public let schemes: [String]
  /// The hosts whose `https` links open the application.
  public let hosts: [HostPattern]
  /// True if `+` in a query means a space.
  public var plusAsSpace: Bool
  /// True if a URL with an empty segment, as in `a//b` or after a final `/`, matches no route. If false, empty segments
  /// are dropped.
  public var strictSlashes: Bool
  /// True if the first segment of a custom scheme's URL is case-sensitive. If false, it is compared like a host (RFC
  /// 3986), ignoring case.
  public var caseSensitiveHost: Bool
  /// The interpretation of the part of a URL after `#`.
  public var fragmentUse: FragmentUse
  /// The maximum sizes of a URL and its parts.
  public var limits: URLLimits

  /// The possible interpretations of the part of a URL after `#`.
  public enum FragmentUse: String, Sendable, Hashable {
    /// Text that does not affect matching.
    case text
    /// Parameters such as `access_token=…&state=…`, which are never logged.
    case parameters
    /// A continuation of the URL's path, if the fragment begins with `/` or `!/`, and otherwise text.
    case path
  }

  /// The reason why a declared scheme or host is refused.
  public enum PolicyProblem: Error, Sendable, Hashable {
    /// There is no scheme.
    case noScheme
    /// The scheme at this index is invalid. A scheme is a letter followed by letters, digits, `+`, `-` or `.`.
    case malformedScheme(index: Int)
    /// The scheme at this index is reserved by the web or the system.
    case reservedScheme(index: Int)
    /// The host at this index is invalid. A host is a name or `*.name`, optionally with a port.
    case malformedHost(index: Int)
  }

  /// Schemes with a fixed meaning, which an application must not use.
  public static let reservedSchemes: Set<String> = [
    "about", "blob", "data", "file", "ftp", "http", "https", "intent", "javascript", "mailto", "sms", "tel", "vbscript",
    "ws", "wss",
  ]

  /// Creates a policy. Throws the first problem with the schemes and hosts.
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

  /// Returns the URL that is matched with routes. If fragments are paths, `app://page/#/inner?x=1` becomes
  /// `app://page/inner?x=1`.
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

  /// Returns the URL for a log: with a hidden fragment if fragments are parameters, and otherwise as it is matched with
  /// routes.
  func shown(_ url: String) -> String {
    guard fragmentUse == .parameters, let hash = url.firstIndex(of: "#"), url.index(after: hash) < url.endIndex else {
      return matched(url)
    }
    return url[...hash] + Redaction.mark
  }

  /// True if the bytes form a scheme (RFC 3986, 3.1).
  static func isScheme(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, ASCII.isLetter(first) else { return false }
    return bytes.allSatisfy(ASCII.isSchemeByte)
  }
}
