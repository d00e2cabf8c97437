import FlowTestKit
import RouterCore
import TestSupport
import Testing

/// Compares the trie with a matcher that tries every pattern. The tables, hosts and paths are random. Their vocabulary
/// is small, so that several patterns match.
struct RouteMatchingPropertyTests {
  private static let words = ["a", "b", "A", "7", "-7", "7.5", "true", "z-1", "2026-02-28", "x:y", "é", "on", "off"]
  private static let segments =
    words.filter { $0 != "x:y" } + [
      ":p", ":p", ":p<int>", ":p<uint>", ":p<double>", ":p<bool>", ":p<slug>", ":p<date>", ":p<url>",
      ":p<enum(a,b,on)>", ":p<enum(on,off)>", "*", "**",
    ]

  private static let hosts = ["example.com", "a.example.com", "b.a.example.com"]
  private static let hostPatterns = ["*.example.com", "*.a.example.com", "example.com", "a.example.com"]

  private func randomPattern(_ generator: inout SeededGenerator) -> String {
    var hasRest = false
    var parts: [String] = []
    for index in 0..<Int.random(in: 0...4, using: &generator) {
      var part = Self.segments.randomElement(using: &generator)!
      if part == "**" {
        if hasRest { part = "*" }
        hasRest = true
      }
      parts.append(part.replacing(":p", with: ":p\(index)"))
    }
    if let last = parts.last, last.hasPrefix(":"), !hasRest, Bool.random(using: &generator) {
      parts.append(parts.removeLast() + "?")
    }
    let path = parts.joined(separator: "/")
    guard Int.random(in: 0..<4, using: &generator) == 0 else { return path.isEmpty ? "app://" : path }
    return "https://\(Self.hostPatterns.randomElement(using: &generator)!)/\(path)"
  }

  private static func policy() throws -> URLPolicy { try seedPolicy(hosts: ["example.com", "*.example.com"]) }

  /// Returns a random path and host, and their URL. Without a host, the URL has a custom scheme.
  private func randomLink(_ generator: inout SeededGenerator) -> (host: String?, path: [String], url: String) {
    let path = (0..<Int.random(in: 0...5, using: &generator)).map { _ in Self.words.randomElement(using: &generator)! }
    let host = Bool.random(using: &generator) ? Self.hosts.randomElement(using: &generator)! : nil
    let text = path.map(PercentEncoding.encode).joined(separator: "/")
    return (host, path, host.map { "https://\($0)/" + text } ?? "app://" + text)
  }

  /// Returns a table of random routes without conflicts.
  private func randomTable(_ generator: inout SeededGenerator) throws -> RouteTable {
    var routes: [Route] = []
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      var text = randomPattern(&generator)
      // Occasionally repeats an earlier route with its first letter in the other case.
      if let other = routes.randomElement(using: &generator)?.pattern.text, ["a", "A", "b"].contains(other.prefix(1)),
        Int.random(in: 0..<4, using: &generator) == 0
      {
        text =
          (other.first!.isLowercase ? other.prefix(1).uppercased() : other.prefix(1).lowercased()) + other.dropFirst()
      }
      let pattern = try RoutePattern(text)
      // If the route conflicts with another one, adds it with a higher priority or leaves it out.
      for priority in 0...Int.random(in: 0...1, using: &generator) {
        let route = Route(pattern, page: "page", priority: priority)
        guard (try? RouteTable(routes + [route], policy: Self.policy())) != nil else { continue }
        routes.append(route)
        break
      }
    }
    return try RouteTable(routes, policy: Self.policy())
  }

  @Test func `finds the same route as a matcher that tries every pattern`() throws {
    var matches = 0
    let seeds = TestExtent.seeds(100, of: 1_500, release: 1_500)
    for seed in seeds {
      var generator = SeededGenerator(seed: seed)
      let table = try randomTable(&generator)
      let oracle = BruteForceMatcher(routes: table.routes)
      for _ in 0..<40 {
        let (host, path, url) = randomLink(&generator)
        let expected = oracle.match(path, host: host)
        var found: Int?
        if case .match(let match) = table.lookUp(url) { found = match.routeIndex }
        matches += found == nil ? 0 : 1
        #expect(
          found == expected,
          "seed \(seed): \(url) in \(table.routes.map(\.pattern.text)) gave \(found.map(String.init) ?? "nothing")")
        if found != expected { return }
      }
    }
    #expect(matches > seeds.count * (TestExtent.isFull ? 8 : 4))
  }

  @Test func `reports a route as shadowed if and only if no URL with its scheme or host reaches it`() throws {
    var shadowed = 0
    var linked = 0
    for seed in TestExtent.seeds(80, of: 400, release: 400) {
      var generator = SeededGenerator(seed: seed)
      let table = try randomTable(&generator)
      let reported = table.shadowedRoutes()
      shadowed += reported.count
      linked += reported.count { $0.link != nil }
      let oracle = BruteForceMatcher(routes: table.routes)
      // Each reported example must match the route if it is alone, and another route of the table.
      for route in reported {
        #expect(table.outcome(route.example) == table.routes[route.byIndex].pattern.text, "seed \(seed)")
        let own = table.routes[route.index].pattern.text
        let alone = try RouterCoreTests.table([own], policy: Self.policy())
        #expect(alone.outcome(route.example) == own, "seed \(seed)")
        if let link = route.link { #expect(link.hasPrefix("https:") && table.outcome(link) == own, "seed \(seed)") }
      }
      // No random URL may reach a reported route, except universal links if the report mentions them.
      for _ in 0..<200 {
        let (host, path, url) = randomLink(&generator)
        guard let index = oracle.match(path, host: host) else { continue }
        #expect(
          !reported.contains { $0.index == index && (host == nil || $0.link == nil) },
          "seed \(seed): \(url) reaches \(table.routes[index].pattern) of \(table.routes.map(\.pattern.text))")
      }
    }
    #expect(!TestExtent.isFull || shadowed > 5 && linked > 0)
  }

  @Test(arguments: [
    (["a/:b", "a/*"], "a/*"), (["a/:b/c", "a/*/c"], "a/*/c"), (["a/:b<bool>", "a/true", "a/false"], "a/:b<bool>"),
    (["a/:b<bool>", "a/:c<enum(true,false)>"], "a/:b<bool>"), (["a/x", "a/y", "a/:b<enum(x,y)>"], "a/:b<enum(x,y)>"),
    (["a/:b<int>", "a/:c"], ""), (["a/**", "a/:b", "a/:b/:c"], ""), (["a/:b?", "a"], ""), (["a/:b", "a/:c<int>"], ""),
    (["user/:id", "user/me/profile"], ""), (["a/**/b", "a/**"], ""), (["**", "a/*"], ""),
    // Tables with a route for a value that a check might use as an example.
    (["a/:day<date>", "a/2024-02-29"], ""), (["a/:id<uuid>", "a/abcdef01-2345-4789-abcd-ef0123456789"], ""),
    (["a/:id<uuid>", "a/ABCDEF01-2345-4789-ABCD-EF0123456789"], ""), (["a/:link<url>", "a/app%3A%2F%2F~"], ""),
    ([":name<slug>", "Z-7"], ""), ([":name", "~"], ""), (["a/:n<int>", "a/-7", "a/-77"], ""),
    (["a/:d<double>", "a/7.5", "a/7.57"], ""), (["a/:u<uint>", "a/7", "a/77", "a/777"], ""),
  ])
  func `reports the shadowed route of a table, if there is one`(patterns: [String], shadowed: String) throws {
    let table = try table(patterns)
    #expect(table.shadowedRoutes().map { patterns[$0.index] } == (shadowed.isEmpty ? [] : [shadowed]))
  }

  @Test func `a wildcard host does not shadow the routes of the hosts that it includes`() throws {
    let policy = try URLPolicy(schemes: ["app"], hosts: ["*.example.com"])
    let table = try table(
      ["https://*.example.com/a", "https://any.example.com/a", "https://*.any.example.com/a"], policy: policy)
    #expect(table.shadowedRoutes().isEmpty)
  }

  @Test func `reports a route as shadowed for the custom scheme if only universal links reach it`() throws {
    let routes = [Route(try RoutePattern("app://Shop/:id"), priority: 1), try Route("app://shop/:id")]
    let table = try RouteTable(routes, policy: seedPolicy(hosts: ["example.com"]))
    #expect(table.outcome("https://example.com/shop/7") == "app://shop/:id")
    let found = table.shadowedRoutes()
    #expect(found.map(\.index) == [1])
    #expect(
      found.first?.finding(among: routes).message
        == "no app:// URL reaches 'app://shop/:id', only links such as https://example.com/shop/~")
  }

  @Test func `reports a shadowed route as unproven if there are too many parameter values to test`() throws {
    let words = (0..<20).map { "w\($0)" }
    let list = "<enum(\(words.joined(separator: ",")))>"
    // Three lists of 20 words have 8,000 combinations. All except those that begin with the first word also match
    // another route.
    let hidden = "a/:p\(list)/:q\(list)/:r\(list)"
    let others = words.dropFirst().map { "a/\($0)/:q/:r" }
    let open = try table([hidden] + others).shadowedRoutes()
    #expect(open.allSatisfy { !$0.isProven } && open.count <= 1)
    let shut = try table([hidden] + words.map { "a/\($0)/:q/:r" }).shadowedRoutes()
    #expect(shut.map(\.isProven) == [false])
  }

  @Test func `reports the equivalent route with the lower priority as shadowed`() throws {
    let routes = [Route(try RoutePattern("a/:b"), priority: 1), Route(try RoutePattern("a/:c"))]
    let shadowed = try RouteTable(routes, policy: seedPolicy()).shadowedRoutes()
    #expect(shadowed.map(\.index) == [1])
    #expect(shadowed.map(\.byIndex) == [0])
  }
}
