import CAllocationCount
import Foundation
@_spi(Internal) import Hummingbird
import RouterCore

/// Measures the time from a string to its parameters for this router and for Hummingbird's trie. This router also
/// checks the scheme, escapes, UTF-8 and limits, while the trie receives only the path.
///
/// Prints one line of JSON per figure: `work`, `value`, `unit` and, if there is a limit, `bar`. Times are processor
/// time of one thread, in the fastest of several rounds. The routers alternate, so that other load on the machine
/// affects both.
@main
enum RouterBenchmark {
  private static let rounds = 20

  static func main() throws {
    let policy = try URLPolicy(schemes: ["app", "myapp"])
    var own: [Int: Double] = [:]
    for (count, set) in [(6, RouteSet.six), (200, .resources(200)), (10_000, .resources(10_000))] {
      let table = try RouteTable(try set.patterns.map { try Route($0) }, policy: policy)
      let paths = set.repeated(10_000)
      let urls = paths.map { (url: "app://" + $0.path, names: $0.names) }
      let bare = paths.map { (url: "/" + $0.path, names: $0.names) }
      let trie = count <= 200 ? hummingbird(set) : nil
      var nanoseconds = Double.infinity
      var other = Double.infinity
      for _ in 0..<9 {
        nanoseconds = min(nanoseconds, measure(urls.count * rounds) { for _ in 0..<rounds { match(urls, table) } })
        guard let trie else { continue }
        other = min(other, measure(bare.count * rounds) { for _ in 0..<rounds { resolve(bare, trie) } })
      }
      own[count] = nanoseconds
      let title = "string to parameters, \(count) routes"
      show(title, nanoseconds, "ns")
      show("\(title): allocations", countAllocations(urls.count) { match(urls, table) }, "a match", bar: "≤ 2")
      guard trie != nil else { continue }
      show("\(title): Hummingbird", other, "ns")
      show("\(title), against Hummingbird", nanoseconds / other, "×", bar: count == 200 ? "≤ 0.5" : nil)
    }
    show("string to parameters, 10000 routes against 200", own[10_000]! / own[200]!, "×", bar: "≤ 1.25")
    let patterns = RouteSet.resources(10_000).patterns
    let building = try (0..<9).map { _ in
      try measure(1) { keep(try RouteTable(patterns.map { try Route($0) }, policy: policy).routes.count) }
    }.min()!
    show("10000 routes read and built", building / 1e6, "ms", bar: "< 20")
  }

  private static func show(_ work: String, _ value: Double, _ unit: String, bar: String? = nil) {
    let rounded = (value * 100).rounded() / 100
    print(#"{"work":"\#(work)","value":\#(rounded),"unit":"\#(unit)"\#(bar.map { #","bar":"\#($0)""# } ?? "")}"#)
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

  /// Returns the processor time per operation, in nanoseconds. `body` performs `count` operations.
  private static func measure(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = threadNanoseconds()
    try body()
    return (threadNanoseconds() - start) / Double(count)
  }

  private static func threadNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  private static func countAllocations(_ count: Int, _ body: () -> Void) -> Double {
    body()
    let before = allocation_count()
    body()
    return Double(allocation_count() - before) / Double(count)
  }

  /// Uses a result, so that the compiler cannot remove the work.
  @inline(never)
  private static func keep(_ value: Int) { if value < 0 { print(value) } }
}
