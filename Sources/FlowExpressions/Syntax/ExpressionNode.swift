/// A node of a parsed expression. All nodes are in one array, and refer to each other by index.
struct ExpressionNode: Sendable {
  typealias Index = Int32

  enum Kind: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    /// A context, in the spelling of the dialect.
    case name(String)
    /// `target.key`, `target['key']`, `target[expression]`.
    case index(target: Index, key: Index)
    /// `target.*`, `target[*]`.
    case filter(target: Index)
    case not(Index)
    case comparison(Comparison, Index, Index)
    /// `left * right`, if the dialect allows arithmetic.
    case product(Index, Index)
    case and([Index])
    case or([Index])
    case call(Function, [Index])
    case status(StatusFunction)
  }

  var kind: Kind
  /// The range of the node in the source, in bytes.
  var range: Range<Int32>
  /// The depth of the tree below the node, including the node.
  var depth: Int32
}

enum Comparison: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}
