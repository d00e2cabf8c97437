/// All routes of an application and the policy for its URLs. A table is immutable.
///
/// ```swift
/// let policy = try URLPolicy(schemes: ["app", "myapp"])
/// let table = try RouteTable([Route("app://product/:productId")], policy: policy)
/// if case .match(let match) = table.lookUp("myapp://product/123") {
///   match.pathParameter("productId")   // "123"
/// }
/// ```
public final class RouteTable: Sendable {
  /// The maximum number of routes in a table.
  public static let routeLimit = 100_000

  /// The result of looking up a URL, before interceptors decide.
  public enum Lookup: Sendable {
    /// A route matches the URL.
    case match(RouteMatch)
    /// The URL passes all checks but matches no route.
    case notFound(ScannedURL)
    /// The URL fails a security check.
    case rejected(URLRejection)
  }

  /// A parameter of a pattern. Its segment index is stored in `captureSegments`, so that matching touches fewer cache
  /// lines.
  struct Capture: Sendable {
    let name: String
    let type: ParameterType
    /// The number of segments after `**` if the parameter is captured by `**`; otherwise nil.
    var segmentsBehindRest: Int?
  }

  /// The rules for all URLs that are looked up.
  public let policy: URLPolicy
  /// The routes, in the order in which they were declared.
  public let routes: [Route]
  private let trie: RouteTrie
  /// True if any path parameter of a route has a name that looks like a secret's.
  let hidesParameters: Bool
  /// The roots of the patterns for all hosts: the first for URLs with custom schemes, the second for universal links.
  private let root: Int32
  private let linkRoot: Int32
  /// The root of each host that patterns name, the more specific hosts first.
  private let hostRoots: [(host: HostPattern, root: Int32)]
  private let captures: [Capture]
  /// The segment index of each capture, counted from the start; after `**`, from the end: −1, −2, ….
  private let captureSegments: [Int16]
  /// `captureStarts[i]..<captureStarts[i + 1]` are the captures of route `i`.
  private let captureStarts: [Int32]

  /// Creates a table of these routes. Throws all of their problems at once (N12, N13).
  public init(_ routes: [Route], policy: URLPolicy) throws(RouteProblems) {
    var assembly = RouteTableAssembly(routes, policy: policy)
    let problems = assembly.assemble()
    guard problems.isEmpty else { throw RouteProblems(problems: problems) }
    self.policy = policy
    self.routes = routes
    captures = assembly.captures
    captureSegments = assembly.captureSegments
    captureStarts = assembly.captureStarts
    hidesParameters = captures.contains { Redaction.hides($0.name) }
    let hosts = assembly.hosts
    let (trie, roots) = assembly.finishedTrie()
    self.trie = trie
    root = roots[0]
    linkRoot = roots[roots.count - 1]
    hostRoots = zip(hosts, roots.dropFirst()).map { ($0, $1) }.sorted { $0.0.precedes($1.0) }
  }

  /// Looks up `url`. Allocates once, or twice if parts of the URL must be decoded.
  public func lookUp(_ url: String) -> Lookup {
    do throws(URLRejection) {
      let scanned = try URLScanner.scan(policy.matched(url), policy: policy)
      let route = scanned.hasEmptySegment && policy.strictSlashes ? -1 : route(of: scanned)
      guard route >= 0 else { return .notFound(scanned) }
      return .match(RouteMatch(given: url, url: scanned, routeIndex: Int(route), table: self))
    } catch {
      return .rejected(error)
    }
  }

  @inline(__always)
  private func route(of url: borrowing ScannedURL) -> Int32 {
    guard url.kind == .universalLink else { return trie.match(url, from: root) }
    if !hostRoots.isEmpty, let host = url.host {
      for candidate in hostRoots where candidate.host.names(host) {
        let route = trie.match(url, from: candidate.root)
        if route >= 0 { return route }
      }
    }
    return trie.match(url, from: linkRoot)
  }

  /// Returns the range of a route's parameters in `captures`.
  @inline(__always)
  func captureRange(of route: Int) -> Range<Int> { Int(captureStarts[route])..<Int(captureStarts[route + 1]) }

  func capture(_ index: Int) -> Capture { captures[index] }

  /// Returns the index of the path segment that a parameter captures, or nil if the URL omits it.
  @inline(__always)
  func segment(ofCapture index: Int, in count: Int) -> Int? {
    let segment = Int(captureSegments[index])
    if segment < 0 { return count + segment }
    return segment < count ? segment : nil
  }
}
