import FlowModel

/// A parsed expression in GitHub Actions' dialect.
///
/// ```swift
/// let expression = try Expression(parsing: "startsWith(inputs.branch, 'release/') && 'slow' || 'fast'")
/// let value = try expression.evaluate(in: FixedContext(["inputs": ["branch": "release/2"]]))  // "slow"
/// ```
///
/// The result of an empty expression is null. The limits are those of GitHub Actions: 21,000 characters, a nesting
/// depth of 50, and 1 MiB for results.
package struct Expression: Sendable {
  /// The text of the expression, without `${{ }}`.
  package let source: String
  /// The status functions that the expression calls.
  package let statusFunctions: Set<StatusFunction>
  let nodes: [ExpressionNode]
  let root: ExpressionNode.Index?

  /// Parses an expression. Throws an ``ExpressionError`` of kind `lexing` or `parsing`.
  package init(parsing source: String, dialect: ExpressionDialect = .workflow) throws(ExpressionError) {
    let tokens = try Lexer.tokens(of: source)
    var parser = Parser(source: source, tokens: tokens, dialect: dialect)
    root = try parser.parse()
    nodes = parser.nodes
    self.source = source
    statusFunctions = parser.statusFunctions
  }

  /// True if the expression calls a status function. If false, an `if` implies `success() &&`.
  package var usesStatusFunction: Bool { !statusFunctions.isEmpty }

  /// Evaluates the expression. Throws an ``ExpressionError`` of kind `evaluation` or `cutOutput`.
  ///
  /// Numbers are doubles, but an integer that is not used in a computation stays an integer.
  package func evaluate(in context: some ExpressionContext) throws(ExpressionError) -> Value {
    guard let root else { return .null }
    var evaluator = Evaluator(nodes: nodes, context: context)
    return try evaluator.evaluate(root).value
  }

  /// Evaluates the expression as a condition. `null`, `false`, `0`, `-0`, `NaN` and `''` are false, all other values
  /// are true.
  package func isTrue(in context: some ExpressionContext) throws(ExpressionError) -> Bool {
    guard let root else { return false }
    var evaluator = Evaluator(nodes: nodes, context: context)
    return try evaluator.evaluate(root).isTrue
  }

  /// Evaluates the expression as an `if`. If it calls no status function, `success() &&` is implied.
  package func isSatisfied(in context: some ExpressionContext) throws(ExpressionError) -> Bool {
    guard usesStatusFunction || context.status(.success) else { return false }
    return try isTrue(in: context)
  }

  /// Parses the value of `if`, `enabled` or `defer`, with or without `${{ }}`.
  ///
  /// Offsets of errors and references are relative to the start of `text`.
  package static func condition(
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
