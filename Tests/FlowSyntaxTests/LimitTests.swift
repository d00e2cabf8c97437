import FlowDiagnostics
import FlowModel
import TestSupport
import Testing

@testable import FlowSyntax

/// Tests each limit of workflow files with values at the limit and beyond it.
@Suite(.timeLimit(.minutes(10))) struct LimitTests {
  private func codes(_ text: String) -> [DiagnosticCode] { load(text).diagnostics.map(\.code) }

  private static let step = "steps: { a: { uses: flow.noop } }\n"

  /// Returns a workflow with `depth` nested lists under `with`, which is itself four levels deep.
  private func nested(_ depth: Int) -> String {
    "name: deep\nsteps: { a: { uses: flow.set, with: { values: { x: "
      + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + " } } } }\n"
  }

  @Test func `mappings and lists can nest 64 levels deep, but no deeper`() {
    #expect(codes(nested(Limits.nestingDepth - 5)) == [])
    #expect(codes(nested(Limits.nestingDepth - 4)) == [.nestingTooDeep])
  }

  @Test func `the depth of an alias includes the depth of its target`() {
    func text(_ depth: Int) -> String {
      let list = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return "name: deep\nsteps:\n  a: { uses: flow.set, with: { values: { x: &deep \(list), y: [*deep] } } }\n"
    }
    #expect(codes(text(Limits.nestingDepth - 6)) == [])
    #expect(codes(text(Limits.nestingDepth - 5)) == [.nestingTooDeep])
  }

  @Test func `aliases can expand to 100,000 nodes, but no more`() {
    func text(_ aliases: Int) -> String {
      // Each alias expands to a list with 99 elements, which is 100 nodes.
      let list = Array(repeating: "x", count: 99).joined(separator: ",")
      let names = Array(repeating: "*l", count: aliases).joined(separator: ",")
      return "name: wide\nsteps: { a: { uses: flow.set, with: { values: { x: &l [\(list)], y: [\(names)] } } } }\n"
    }
    #expect(codes(text(Limits.aliasNodes / 100)) == [])
    #expect(codes(text(Limits.aliasNodes / 100 + 1)) == [.aliasExpansion])
  }

  @Test func `aliases of aliases are counted without being expanded`() {
    var text = "name: bomb\n" + Self.step + "env:\n  l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1..<30 {
      let names = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
      text += "  l\(level): &l\(level) [\(names)]\n"
    }
    #expect(codes(text) == [.aliasExpansion])
  }

  @Test func `a file can have 100 directives, but no more`() {
    func text(_ count: Int) -> String {
      (0..<count).map { "%TAG !e\($0)! tag:example.org,2000:\n" }.joined() + "---\nname: directives\n" + Self.step
    }
    #expect(codes(text(Limits.directives)) == [])
    #expect(codes(text(Limits.directives + 1)) == [.yamlSyntax])
    #expect(codes("name: a\n" + Self.step + "...\n" + text(100_000)) == [.yamlSyntax])
  }

  @Test(
    arguments: [
      "a", "Nightly build 2", "\u{5915}\u{3079}", "a_b-c.d", "a:b",
      String(repeating: "x", count: Limits.workflowNameBytes),
    ])
  func `a workflow can have any name that is valid for a folder`(name: String) {
    #expect(codes("name: \"\(name)\"\nsteps: { a: { uses: flow.noop } }\n") == [], "\(name)")
  }

  @Test(
    arguments: [
      "../evil", "..", ".", ".hidden", "a/b", "/", " a", "a ", "a\\u0001b", "a\\nb", "a\\0b", "a\\u009Fb",
      String(repeating: "\u{E9}", count: Limits.workflowNameBytes / 2 + 1),
    ])
  func `a workflow's name cannot contain a path or invisible characters`(name: String) {
    #expect(codes("name: \"\(name)\"\nsteps: { a: { uses: flow.noop } }\n") == [.invalidName], "\(name)")
  }

  @Test func `a step id can have 64 characters, but no more`() {
    func text(_ length: Int) -> String {
      "name: long\nsteps: { \(String(repeating: "a", count: length)): { uses: flow.noop } }\n"
    }
    #expect(codes(text(Limits.stepIDCharacters)) == [])
    #expect(codes(text(Limits.stepIDCharacters + 1)) == [.invalidStepID])
  }

  @Test func `a step can have 100 attempts, but no more`() {
    func text(_ attempts: Int) -> String {
      "name: tries\nsteps: { a: { uses: storage.open, with: { path: a }, retry: { attempts: \(attempts) } } }\n"
    }
    #expect(!codes(text(Limits.attempts)).contains(.outOfRange))
    #expect(codes(text(Limits.attempts + 1)).contains(.outOfRange))
  }

  @Test func `a list of names in a message ends after twenty names`() throws {
    let queues = (0..<30).map { "q\($0): { qos: utility }" }.joined(separator: ", ")
    let result = load("name: many\nqueues: { \(queues) }\nsteps: { a: { uses: flow.noop, queue: nowhere } }\n")
    let help = try #require(result.diagnostics.first?.help)
    #expect(help.hasSuffix("'q14' and 15 more"), "\(help)")
  }

  /// The files are generated, and loading them once took minutes. The suite's time limit must hold even on a slow
  /// machine.
  @Test(arguments: Hostile.allCases.enumerated().filter { TestExtent.tries($0.offset, ofParts: 8) }.map(\.element))
  func `a hostile file is loaded or rejected within ten minutes, with the expected diagnostic`(file: Hostile) {
    let result = load(file.text)
    #expect(result.diagnostics.first?.code == file.code, "\(result.diagnostics.first.map { "\($0)" } ?? "loads")")
  }

  enum Hostile: String, CaseIterable, Sendable {
    case openBrackets, nestedBrackets, openMaps, dashes, questionMarks, longLine, longKey, manyErrors, sameKey
    case unknownInputs, unknownEvents, unknownQueues, undeclaredInputs, unknownOutputs, deepExpression, farReference

    /// The code of the first diagnostic, or nil if the file loads.
    var code: DiagnosticCode? {
      switch self {
      case .openBrackets, .nestedBrackets, .openMaps, .dashes, .questionMarks: .nestingTooDeep
      case .longLine, .farReference: nil
      case .longKey: .yamlSyntax
      case .manyErrors: .invalidStepID
      case .sameKey: .duplicateKey
      case .unknownInputs: .unknownInput
      case .unknownEvents: .unknownEvent
      case .unknownQueues: .unknownQueue
      case .undeclaredInputs: .undeclaredInput
      case .unknownOutputs: .unknownOutput
      case .deepExpression: .expressionSyntax
      }
    }

    var text: String {
      func many(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
      let head = "name: hostile\n"
      switch self {
      case .openBrackets: return "name: " + many(100_000) { _ in "[" }
      case .nestedBrackets: return "name: " + many(100_000) { _ in "[" } + many(100_000) { _ in "]" }
      case .openMaps: return "name: " + many(100_000) { _ in "{a: " }
      case .dashes: return many(100_000) { _ in "- " }
      case .questionMarks: return many(100_000) { _ in "? " }
      case .longLine: return "name: " + String(repeating: "x", count: 10_000_000) + "\n" + LimitTests.step
      case .longKey: return String(repeating: "x", count: 10_000_000) + ": 1\n" + LimitTests.step
      case .manyErrors:
        return head + "steps:\n" + many(10_000) { "  S\($0): { uses: flow.nop, needs: [b\($0)], with: 5, foo: bar }\n" }
      case .sameKey:
        return head + "env:\n" + many(10_000) { "  s\($0): v\n" } + many(2_000) { _ in "  s9999: v\n" }
          + LimitTests.step
      case .unknownInputs:
        return head + "steps: { a: { uses: flow.noop, with: {" + many(10_000) { "s\($0): 1, " } + "} } }\n"
      case .unknownEvents:
        return head + "events: [" + many(10_000) { "e\($0), " } + "]\nsteps:\n"
          + many(2_000) { "  s\($0): { uses: flow.noop, after: f\($0) }\n" }
      case .unknownQueues:
        return head + "queues: {" + many(10_000) { "q\($0): { qos: utility }, " } + "}\nsteps:\n"
          + many(10_000) { "  s\($0): { uses: flow.noop, queue: r\($0) }\n" }
      case .undeclaredInputs:
        return head + "inputs: {" + many(10_000) { "i\($0): { type: any }, " } + "}\nsteps:\n"
          + many(2_000) { "  s\($0): { uses: flow.noop, if: inputs.q\($0) }\n" }
      case .unknownOutputs:
        return head + "steps: { a: { uses: flow.set, with: { values: {" + many(10_000) { "s\($0): 1, " }
          + "} } } }\noutputs: {" + many(5_000) { "o\($0): '${{ steps.a.outputs.t\($0) }}', " } + "}\n"
      case .deepExpression:
        return head + "steps: { a: { uses: flow.noop, if: '" + many(20_000) { _ in "(" } + "1"
          + many(20_000) { _ in ")" } + "' } }\n"
      case .farReference:
        return head + "steps:\n  s0: { uses: flow.set, with: { values: { x: 1 } } }\n"
          + many(5_000) {
            "  s\($0 + 1): { uses: flow.set, needs: s\($0), with: { values: { x: '${{ steps.s0.outputs.x }}' } } }\n"
          }
      }
    }
  }
}
