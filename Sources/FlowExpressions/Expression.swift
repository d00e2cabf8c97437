import FlowModel

/// An expression of GitHub Actions' dialect, ready to be evaluated.
///
/// ```swift
/// let expression = try Expression(parsing: "startsWith(inputs.branch, 'release/') && 'slow' || 'fast'")
/// let value = try expression.evaluate(in: FixedContext(["inputs": ["branch": "release/2"]]))  // "slow"
/// ```
///
/// The empty expression is null. An expression has at most 21,000 characters, nests at most 50 deep and makes at most
/// 1 MiB, the limits of GitHub Actions.
public struct Expression: Sendable {
  /// The text that was parsed, without `${{ }}`.
  public let source: String
  /// The status functions that are called anywhere.
  public let statusFunctions: Set<StatusFunction>
  let nodes: [ExpressionNode]
  let root: ExpressionNode.Index?

  /// Reads an expression; throws an ``ExpressionError`` of kind `lexing` or `parsing`.
  public init(parsing source: String, dialect: ExpressionDialect = .workflow) throws(ExpressionError) {
    let tokens = try Lexer.tokens(of: source)
    var parser = Parser(source: source, tokens: tokens, dialect: dialect)
    root = try parser.parse()
    nodes = parser.nodes
    self.source = source
    statusFunctions = parser.statusFunctions
  }

  /// Whether a status function is called anywhere; an `if` without one has `success() &&` before it.
  public var usesStatusFunction: Bool { !statusFunctions.isEmpty }

  /// Computes the value; throws an ``ExpressionError`` of kind `evaluation`.
  ///
  /// Numbers are doubles, but an integer that is only passed on stays an integer.
  public func evaluate(in context: some ExpressionContext) throws(ExpressionError) -> Value {
    guard let root else { return .null }
    var evaluator = Evaluator(nodes: nodes, context: context)
    return try evaluator.evaluate(root).value
  }

  /// Whether the value counts as true: anything but `null`, `false`, `0`, `-0`, `NaN` and `''`.
  public func isTrue(in context: some ExpressionContext) throws(ExpressionError) -> Bool {
    guard let root else { return false }
    var evaluator = Evaluator(nodes: nodes, context: context)
    return try evaluator.evaluate(root).isTrue
  }

  /// Whether the condition of an `if` holds: without a status function `success() &&` is before it.
  public func isSatisfied(in context: some ExpressionContext) throws(ExpressionError) -> Bool {
    guard usesStatusFunction || context.status(.success) else { return false }
    return try isTrue(in: context)
  }

  /// Reads the value of an `if`, `enabled` or `defer`: an expression that may be in `${{ }}` or be bare.
  ///
  /// Offsets of errors and references count from the start of `text`.
  public static func condition(
    _ text: String, dialect: ExpressionDialect = .workflow
  ) throws(ExpressionError) -> (offset: Int, expression: Expression) {
    let template = try Template(parsing: text, dialect: dialect)
    guard let first = template.expressions.first else {
      return (0, try Expression(parsing: text, dialect: dialect))
    }
    guard template.isSingleExpression else {
      throw ExpressionError(
        .parsing, "A condition is one expression, with or without ${{ }} around all of it", offset: 0,
        length: text.utf8.count, help: "a text with ${{ }} inside would always be true")
    }
    return first
  }
}
