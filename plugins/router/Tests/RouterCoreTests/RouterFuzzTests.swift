import FlowModel
import FlowTestKit
import RouterCore
import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs the scanner, the matcher, the pattern parser and the redaction with 25,000 random inputs, or a million in
/// release and long tests. None may crash, and accepted inputs must be within the limits. `FLOWRUN_SEED` sets another
/// seed.
struct RouterFuzzTests {
  private static let pieces: [[UInt8]] = [
    "app://", "myapp://", "https://", "example.com", "product", "/", "//", "?", "&", "=", "#", "%", "%2", "%2F", "%2e",
    "%E5%AE%B6", "%ff", "%00", "..", ".", "\\", ":", "@", "[", "]", "+", " ", "\u{0}", "é", "🚀", "xn--bcher-kva", "*",
    "**", ":id", "<int>", "<enum(a,b)>", "12", "-7", "1e9", "true", "2026-02-28", "a", "B", "~",
  ].map { Array($0.utf8) }

  private func randomText(_ generator: inout SeededGenerator) -> String {
    var bytes: [UInt8] = Bool.random(using: &generator) ? Array("app://".utf8) : []
    let choice = generator.next()
    for _ in 0..<Int(choice % 12) {
      let number = generator.next()
      if number % 8 == 0 {
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
      } else {
        bytes.append(contentsOf: Self.pieces[Int(number >> 8) % Self.pieces.count])
      }
    }
    if choice % 4_096 == 1 {
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: Int(choice >> 20) % 3_000))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(.timeLimit(.minutes(10))) func `parses and matches random URLs and patterns without a crash`() throws {
    let policy = try URLPolicy(schemes: ["app", "myapp"], hosts: ["example.com", "*.bücher.example"])
    let table = try table(
      ["product/:id<int>", "product/:name", "files/**", "**/:last", "a/*/:flag<bool>", "*", ":x/:y<date>/:z?"],
      policy: policy)
    let seed = ProcessInfo.processInfo.environment["FLOWRUN_SEED"].flatMap(UInt64.init) ?? 20_260_228
    var generator = SeededGenerator(seed: seed)
    var counts = (matched: 0, notFound: 0, rejected: 0, patterns: 0)
    let count = TestExtent.count(usual: 25_000, release: 1_000_000, long: 1_000_000)
    for input in 0..<count {
      let text = randomText(&generator)
      switch table.lookUp(text) {
      case .match(let match):
        counts.matched += 1
        if match.url.segmentCount > 64 || match.url.queryItemCount > 64 || text.utf8.count > 2_048 {
          Issue.record("seed \(seed), input \(input): \(text) passed a limit")
        }
        if input % 16 == 0, (try? match.parameters()) != nil, match.url.segments.contains("..") {
          Issue.record("seed \(seed), input \(input): \(text) has a dot segment")
        }
      case .notFound: counts.notFound += 1
      case .rejected: counts.rejected += 1
      }
      if input % 8 == 0, (try? RoutePattern(text)) != nil { counts.patterns += 1 }
      if input % 64 == 0 { _ = Redaction.forLog(text) }
    }
    #expect(counts.matched > count / 20 && counts.rejected > count / 10)
    #expect(counts.notFound > count / 1_000 && counts.patterns > count / 1_000)
  }
}
