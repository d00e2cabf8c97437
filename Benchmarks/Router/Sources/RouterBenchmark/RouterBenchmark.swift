import CAllocationCount
import RouterCore
@_spi(Internal) import Hummingbird

/// From a string to its parameters: this router, which also checks scheme, escapes, UTF-8 and limits, beside
/// Hummingbird's trie, which is given the bare path. Prints one JSON object.
@main
enum RouterBenchmark {
  static func main() throws {
    let policy = try URLPolicy(schemes: ["app", "myapp"])
    var rows: [String] = []
    var own: [Int: Double] = [:]
    for (count, set) in [(6, RouteSet.six), (200, .resources(200)), (10_000, .resources(10_000))] {
      let table = try RouteTable(try set.patterns.map { try Route($0) }, policy: policy)
      let paths = set.repeated(10_000)
      let urls = paths.map { (url: "app://" + $0.path, names: $0.names) }
      let rounds = 20
      let nanoseconds = best { measure(urls.count * rounds) { for _ in 0..<rounds { match(urls, table) } } }
      let allocations = countAllocations(urls.count) { match(urls, table) }
      own[count] = nanoseconds
      var row =
        "\"routes\": \(count), \"nanoseconds\": \(rounded(nanoseconds)), \"allocations\": \(rounded(allocations))"
      if count <= 200 {
        let trie = hummingbird(set)
        let bare = paths.map { (url: "/" + $0.path, names: $0.names) }
        let other = best { measure(bare.count * rounds) { for _ in 0..<rounds { resolve(bare, trie) } } }
        row += ", \"hummingbirdNanoseconds\": \(rounded(other)), \"ratio\": \(rounded(nanoseconds / other))"
      }
      rows.append("{\(row)}")
    }
    let patterns = RouteSet.resources(10_000).patterns
    let building = try best {
      try measure(1) { keep(try RouteTable(patterns.map { try Route($0) }, policy: policy).routes.count) }
    }
    print(
      """
      {"rows": [\(rows.joined(separator: ", "))], "ratio10000To200": \(rounded(own[10_000]! / own[200]!)), \
      "build10000Milliseconds": \(rounded(building / 1e6))}
      """)
  }

  private static func match(_ urls: [(url: String, names: [String])], _ table: RouteTable) {
    for (url, names) in urls {
      guard case .match(let match) = table.lookUp(url) else { fatalError("\(url) must match") }
      for place in names.indices { keep(match.pathParameter(at: place)!.utf8.count) }
    }
  }

  private static func hummingbird(_ set: RouteSet) -> RouterTrie<Int> {
    let builder = RouterPathTrieBuilder<Int>()
    for (index, pattern) in set.patterns.enumerated() { builder.addEntry(RouterPath("/" + pattern), value: index) }
    return RouterTrie(base: builder)
  }

  private static func resolve(_ paths: [(url: String, names: [String])], _ trie: RouterTrie<Int>) {
    for (path, names) in paths {
      guard let (_, parameters) = trie.resolve(path) else { fatalError("\(path) must match") }
      for name in names { keep(parameters.get(name)!.utf8.count) }
    }
  }

  // MARK: Measuring

  /// Nanoseconds for each of `count` operations that `body` does.
  private static func measure(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let elapsed = try ContinuousClock().measure(body)
    let (seconds, attoseconds) = elapsed.components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
  }

  /// The least of seven measurements: what the work costs when nothing disturbs it.
  private static func best(_ measurement: () throws -> Double) rethrows -> Double {
    try (0..<7).map { _ in try measurement() }.min()!
  }

  private static func countAllocations(_ count: Int, _ body: () -> Void) -> Double {
    body()
    let before = allocation_count()
    body()
    return Double(allocation_count() - before) / Double(count)
  }

  private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

  /// Keeps a result from being optimised away.
  @inline(never)
  private static func keep(_ value: Int) { if value < 0 { print(value) } }
}
