/// A part of a parsed expression. The nodes of an expression are in one array and refer to each other by location.
struct ExpressionNode: Sendable {
  typealias Index = Int32

  /// What kind of part it is.
  enum Kind: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    /// A context, by the dialect's spelling.
    case name(String)
    /// `target.key`, `target['key']`, `target[expression]`.
    case index(target: Index, key: Index)
    /// `target.*`, `target[*]`.
    case filter(target: Index)
    case not(Index)
    case comparison(Comparison, Index, Index)
    /// `left * right`, where the dialect has arithmetic.
    case product(Index, Index)
    case and([Index])
    case or([Index])
    case call(Function, [Index])
    case status(StatusFunction)
  }

  var kind: Kind
  /// The bytes of the source that it was made from.
  var range: Range<Int32>
  /// How deep the tree below it is; a literal has depth 1.
  var depth: Int32
}

/// The operators that compare.
enum Comparison: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}
