import FlowExpressions
import FlowModel
import FlowTestKit
import Testing

struct FuzzTests {
  private static let words = [
    "1", "-0", "1e9", "0xf", "NaN", "'a'", "''", "'", "null", "true", "a", "a.b", "b", "inputs", "(", ")", "[", "]",
    ".", "*", ",", "!", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "contains(", "format('{0}{1}',", "join(",
    "toJSON(", "fromJSON(", "case(", "always()", " ", "\n", "é", "@", "'{0}'", "a.*", "a[0]", "a['b']", "(a)",
  ]

  @Test(.timeLimit(.minutes(20))) func `any text is evaluated or causes an error with a location inside the text`() {
    let contexts: ValueObject = ["a": ["b": [1, "x", ["c": nil]], "list": []], "b": "[1, {\"k\": 2}]"]
    for seed in seeds(10_000) {
      var random = SeededGenerator(seed: seed)
      let source = (0..<Int.random(in: 0..<14, using: &random)).map { _ in
        Self.words[Int.random(in: 0..<Self.words.count, using: &random)]
      }.joined()
      do throws(ExpressionError) {
        let expression = try Expression(parsing: source, dialect: .init(names: ["a", "b"]))
        for reference in expression.references {
          #expect(reference.offset + reference.length <= source.utf8.count, "seed \(seed): \(source)")
        }
        let possible = expression.possibleResults { _ in nil }
        let value = try expression.evaluate(in: FixedContext(contexts))
        #expect(
          possible.contains { $0.admits(value) }, "seed \(seed): \(source) gives \(value), not one of \(possible)")
      } catch {
        #expect(error.offset >= 0 && error.offset + error.length <= source.utf8.count, "seed \(seed): \(source)")
        #expect(!error.message.isEmpty)
      }
    }
  }

  /// Compares expressions with all parentheses to the same expressions with only the necessary ones.
  @Test(.timeLimit(.minutes(20))) func `operators are parsed according to their precedence`() throws {
    for seed in seeds(2_000) {
      var random = SeededGenerator(seed: seed)
      let tree = Tree(depth: 4, using: &random)
      let (full, bare) = (tree.full, tree.bare(0))
      #expect(try evaluate(full) == evaluate(bare), "seed \(seed): \(full) against \(bare)")
    }
  }

  private indirect enum Tree {
    case literal(String)
    case not(Tree)
    case binary(Tree, String, Tree)

    private static let precedences = [
      "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4,
    ]

    init(depth: Int, using random: inout SeededGenerator) {
      switch depth > 0 ? Int.random(in: 0..<6, using: &random) : 5 {
      case 0: self = .not(Tree(depth: depth - 1, using: &random))
      case 1...4:
        let names = Self.precedences.keys.sorted()
        self = .binary(
          Tree(depth: depth - 1, using: &random), names[Int.random(in: 0..<names.count, using: &random)],
          Tree(depth: depth - 1, using: &random))
      default:
        self = .literal(
          ["0", "1", "2.5", "''", "'a'", "'1'", "null", "true", "false"][Int.random(in: 0..<9, using: &random)])
      }
    }

    var full: String {
      switch self {
      case .literal(let text): text
      case .not(let tree): "!(\(tree.full))"
      case .binary(let left, let name, let right): "((\(left.full)) \(name) (\(right.full)))"
      }
    }

    func bare(_ outer: Int) -> String {
      switch self {
      case .literal(let text): return text
      case .not(let tree): return "!\(tree.bare(5))"
      case .binary(let left, let name, let right):
        let own = Self.precedences[name]!
        let text = "\(left.bare(own))\(name)\(right.bare(own + 1))"
        return own < outer ? "(\(text))" : text
      }
    }
  }
}

extension PossibleResult {
  /// True if this result allows the value.
  fileprivate func admits(_ value: Value) -> Bool {
    switch self {
    case .value(.number(let number)) where number.isNaN: value.numberValue?.isNaN == true
    case .value(let own): own == value
    case .type(let type): value.isNull || type.mismatch(of: value) == nil
    }
  }
}
