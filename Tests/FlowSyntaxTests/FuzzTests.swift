import FlowBytes
import FlowDiagnostics
import FlowModel
import TestSupport
import Testing

@testable import FlowSyntax

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Random files: pieces of workflows that are combined, cut, repeated and changed in single bytes.
///
/// `make test-release` tests 20,000 inputs and `make test-long` a million. `FLOWRUN_SEED` selects another seed.
struct FuzzTests {
  private static let count = TestExtent.count(usual: 4_000, release: 20_000, long: 1_000_000)
  private static var seed: UInt64 {
    ProcessInfo.processInfo.environment["FLOWRUN_SEED"].flatMap(UInt64.init) ?? 20_261_121
  }

  private static let pieces: [[UInt8]] = [
    "name: a\n", "steps:\n", "  a:\n", "  b: { uses: flow.noop, needs: [a, b] }\n", "    uses: flow.noop\n", "- x\n",
    "    needs: a\n", "    needs:\n", "      - a\n", "      - 'b'\n",
    "    with: { values: { x: \"${{ inputs.x }}\" } }\n",
    "    if: steps.a.outcome == 'success'\n", "deadline: { min: 2s, max: 5s }\n", "&x ", "*x", "<<: *x\n", "!!str ",
    "# c\n",
    "\t", "\r\n", "\n", " ", "  ", "    ", ": ", ":", "- ", "? ", "|\n", ">-\n", "\"", "'", "\\n", "[", "]", "{", "}",
    ",",
    "---\n", "...\n", "%YAML 1.2\n", "\u{FEFF}", "é", "名", "🎉", "\u{2028}", "\u{85}", "0x1F", ".inf", "true", "null",
    "~",
    "${{", "}}", "retry: { attempts: 3 }\n", "estimate: 1s..2s\n", "a: 1\n", "key: value # comment\n",
    "x: [a, [b, {c: d}]]\n",
    "queue: main\n", "    uses: flow.set\n", "    after: ui.ready\n", "events: [go]\n", "outputs:\n",
    "  x: ${{ steps.a.outputs.y }}\n",
  ].map { Array($0.utf8) }

  private static func document(_ generator: inout SplitMix64) -> [UInt8] {
    var bytes: [UInt8] = []
    if Bool.random(using: &generator) { bytes += Array("name: fuzz\nsteps:\n  a:\n    uses: flow.noop\n".utf8) }
    for _ in 0..<Int.random(in: 0...14, using: &generator) { bytes += pieces.randomElement(using: &generator)! }
    for _ in 0..<Int.random(in: 0...2, using: &generator) where !bytes.isEmpty {
      let location = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0...3, using: &generator) {
      case 0: bytes[location] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: location)
      case 2: bytes.insert(bytes[location], at: location)
      default: bytes.removeSubrange(location...)
      }
    }
    return bytes
  }

  @Test(.timeLimit(.minutes(20)))
  func `any bytes result in a graph or an error, and all locations are in the file`() {
    var generator = SplitMix64(seed: Self.seed)
    let loader = WorkflowLoader(catalog: TestCatalog.standard)
    for number in 0..<Self.count {
      let bytes = Self.document(&generator)
      let result = loader.load(bytes: bytes, file: "fuzz.yaml")
      let isSound =
        (result.graph == nil) == result.diagnostics.containsError
        && result.diagnostics.allSatisfy { diagnostic in
          ([diagnostic.span] + diagnostic.related.filter { $0.source == nil }.map(\.span)).allSatisfy {
            $0.start >= 0 && $0.end <= bytes.count
          }
        }
      if !isSound { Issue.record("seed \(Self.seed), document \(number): \(String(decoding: bytes, as: UTF8.self))") }
      if number % 16 == 0 { _ = result.rendered() }
    }
  }

  @Test(.timeLimit(.minutes(20)))
  func `libyaml reads the same nodes from any text that the plain scanner accepts`() throws {
    var generator = SplitMix64(seed: Self.seed &+ 1)
    var accepted = 0
    for number in 0..<Self.count {
      let bytes = Self.document(&generator)
      accepted += try expectSameNodes(bytes, "seed \(Self.seed &+ 1), document \(number)") ? 1 : 0
    }
    #expect(accepted > Self.count / 50, "only \(accepted) documents were plain")
    for workflow in BrokenWorkflow.all { _ = try expectSameNodes(try workflow.bytes, workflow.name) }
    #expect(try expectSameNodes(Array(Self.plain.utf8), "plain"))
  }

  private static let plain = """
    # a comment, 名
    name: plain   # behind a value
    on.x: 12

    steps:
        a-b_c.d:
          uses: flow.noop
          if: launch.reason == 'user' && x#y
          needs:
            - one
            - [two, three four , "five, six"]
            -   'seven'
          with: { a: b , c: {}, d: [], e: [[x], {f: -1}] }
        url: http://example.org/a:b
    last: -x
    """

  /// Returns true if the scanner accepts the bytes. In that case, its nodes must equal those of libyaml.
  private func expectSameNodes(_ bytes: [UInt8], _ name: String) throws -> Bool {
    try bytes.withUnsafeBufferPointer { buffer in
      guard UTF8Check.firstInvalidOffset(in: buffer) == nil, let nodes = PlainScanner.nodes(of: buffer) else {
        return false
      }
      let tree = try YAMLParser.parseWithLibYAML(SourceText(bytes, file: name), buffer).get()
      if Self.words(nodes) != Self.words(tree.nodes) {
        Issue.record("\(name): the nodes differ for:\n\(String(decoding: bytes, as: UTF8.self))")
      }
      return true
    }
  }

  private static func words(_ nodes: [YAMLNode]) -> [String] {
    nodes.map { "\($0.kind) \($0.style) \($0.tag) \($0.hasMerge) \($0.start)..<\($0.end) \($0.link)" }
  }
}
