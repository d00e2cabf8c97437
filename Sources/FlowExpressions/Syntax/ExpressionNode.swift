/// A node of a parsed expression. All nodes are in one array and refer to each other by index.
struct ExpressionNode: Sendable {
  typealias Index = Int32

  enum Kind: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    /// A context, in the dialect's spelling.
    case name(String)
    /// `target.key`, `target['key']` or `target[expression]`.
    case index(target: Index, key: Index)
    /// `target.*` or `target[*]`.
    case filter(target: Index)
    case not(Index)
    case comparison(Comparison, Index, Index)
    /// `left * right`, in a dialect with arithmetic.
    case product(Index, Index)
    case and([Index])
    case or([Index])
    case call(Function, [Index])
    case status(StatusFunction)
  }

  var kind: Kind
  /// The range of the node's text in the expression, in bytes.
  var range: Range<Int32>
  /// The depth of the tree whose root is the node. It is 1 for a node without children.
  var depth: Int32
}

enum Comparison: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}
