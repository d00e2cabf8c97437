import FlowTestKit
import RouterCore
import Testing

/// Random tables and paths over few words, so that patterns meet: the trie against every pattern tried in turn.
@Suite struct RouteMatchingPropertyTests {
  private static let words = ["a", "b", "A", "7", "-7", "7.5", "true", "z-1", "2026-02-28", "x:y", "é", "on", "off"]
  private static let segments =
    words.filter { $0 != "x:y" && $0 != "A" } + [
      ":p", ":p", ":p<int>", ":p<uint>", ":p<double>", ":p<bool>", ":p<slug>", ":p<date>", ":p<url>",
      ":p<enum(a,b,on)>", ":p<enum(on,off)>", "*", "**",
    ]

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
    return parts.joined(separator: "/")
  }

  /// Random patterns of which no two tie.
  private func randomTable(_ generator: inout SeededGenerator) throws -> RouteTable {
    var routes: [Route] = []
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      let text = randomPattern(&generator)
      let route = Route(try RoutePattern(text.isEmpty ? "app://" : text), page: "page")
      if (try? RouteTable(routes + [route], policy: seedPolicy())) != nil { routes.append(route) }
    }
    return try RouteTable(routes, policy: seedPolicy())
  }

  @Test func `finds what trying every pattern finds`() throws {
    var matches = 0
    for seed in UInt64(1)...1_500 {
      var generator = SeededGenerator(seed: seed)
      let table = try randomTable(&generator)
      let oracle = BruteForceMatcher(patterns: table.routes.map(\.pattern))
      for _ in 0..<40 {
        let path = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
          Self.words.randomElement(using: &generator)!
        }
        let url = "app://" + path.map(PercentEncoding.encode).joined(separator: "/")
        let expected = oracle.match(path)
        var found: Int?
        if case .match(let match) = table.lookUp(url) { found = match.routeIndex }
        matches += found == nil ? 0 : 1
        #expect(
          found == expected,
          "seed \(seed): \(url) in \(table.routes.map(\.pattern.text)) gave \(found.map(String.init) ?? "nothing")")
        if found != expected { return }
      }
    }
    #expect(matches > 15_000)
  }

  @Test func `calls a route shadowed exactly when no path over the words reaches it`() throws {
    var shadowed = 0
    for seed in UInt64(1)...400 {
      var generator = SeededGenerator(seed: seed)
      let table = try randomTable(&generator)
      let reported = table.shadowedRoutes()
      shadowed += reported.count
      let oracle = BruteForceMatcher(patterns: table.routes.map(\.pattern))
      // Every example that the report gives is a URL of the route that another route gets.
      for route in reported {
        #expect(table.outcome(route.example) == table.routes[route.byIndex].pattern.text, "seed \(seed)")
        let alone = try RouterCoreTests.table([table.routes[route.index].pattern.text])
        #expect(alone.outcome(route.example) == table.routes[route.index].pattern.text, "seed \(seed)")
      }
      // No random path reaches a route that is reported.
      for _ in 0..<200 {
        let path = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
          Self.words.randomElement(using: &generator)!
        }
        guard let index = oracle.match(path) else { continue }
        #expect(
          !reported.contains { $0.index == index },
          "seed \(seed): \(path) reaches \(table.routes[index].pattern) of \(table.routes.map(\.pattern.text))")
      }
    }
    #expect(shadowed > 5)
  }

  @Test(arguments: [
    (["a/:b", "a/*"], "a/*"), (["a/:b/c", "a/*/c"], "a/*/c"), (["a/:b<bool>", "a/true", "a/false"], "a/:b<bool>"),
    (["a/:b<bool>", "a/:c<enum(true,false)>"], "a/:b<bool>"), (["a/x", "a/y", "a/:b<enum(x,y)>"], "a/:b<enum(x,y)>"),
    (["a/:b<int>", "a/:c"], ""), (["a/**", "a/:b", "a/:b/:c"], ""), (["a/:b?", "a"], ""), (["a/:b", "a/:c<int>"], ""),
    (["user/:id", "user/me/profile"], ""), (["a/**/b", "a/**"], ""), (["**", "a/*"], ""),
    // Beside the very values that a check might try.
    (["a/:day<date>", "a/2024-02-29"], ""), (["a/:id<uuid>", "a/abcdef01-2345-4789-abcd-ef0123456789"], ""),
    (["a/:id<uuid>", "a/ABCDEF01-2345-4789-ABCD-EF0123456789"], ""), (["a/:link<url>", "a/app%3A%2F%2F~"], ""),
    ([":name<slug>", "Z-7"], ""), ([":name", "~"], ""), (["a/:n<int>", "a/-7", "a/-77"], ""),
    (["a/:d<double>", "a/7.5", "a/7.57"], ""), (["a/:u<uint>", "a/7", "a/77", "a/777"], ""),
  ])
  func `finds shadowed routes`(patterns: [String], shadowed: String) throws {
    let table = try table(patterns)
    #expect(table.shadowedRoutes().map { patterns[$0.index] } == (shadowed.isEmpty ? [] : [shadowed]))
  }

  @Test func `is right about hosts that are named beside a wildcard`() throws {
    let policy = try URLPolicy(schemes: ["app"], hosts: ["*.example.com"])
    let table = try table(
      ["https://*.example.com/a", "https://any.example.com/a", "https://*.any.example.com/a"], policy: policy)
    #expect(table.shadowedRoutes().isEmpty)
  }

  @Test func `says that it cannot tell where more combinations than it tries are taken`() throws {
    let words = (0..<20).map { "w\($0)" }
    let list = "<enum(\(words.joined(separator: ",")))>"
    // 8,000 ways through three lists, of which the other route takes all whose first word is not the first.
    let hidden = "a/:p\(list)/:q\(list)/:r\(list)"
    let others = words.dropFirst().map { "a/\($0)/:q/:r" }
    let open = try table([hidden] + others).shadowedRoutes()
    #expect(open.allSatisfy { !$0.isProven } && open.count <= 1)
    let shut = try table([hidden] + words.map { "a/\($0)/:q/:r" }).shadowedRoutes()
    #expect(shut.map(\.isProven) == [false])
  }

  @Test func `calls the one of two equals with the lower priority shadowed`() throws {
    let routes = [Route(try RoutePattern("a/:b"), priority: 1), Route(try RoutePattern("a/:c"))]
    let shadowed = try RouteTable(routes, policy: seedPolicy()).shadowedRoutes()
    #expect(shadowed.map(\.index) == [1])
    #expect(shadowed.map(\.byIndex) == [0])
  }
}
