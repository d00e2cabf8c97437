struct Token: Sendable {
  enum Kind: Sendable, Equatable {
    case leftParenthesis, rightParenthesis, leftBracket, rightBracket, comma, dot, star
    case not
    case comparison(Comparison)
    case and, or
    case null
    case boolean(Bool)
    case number(Double)
    case string
    case identifier
  }

  var kind: Kind
  /// The range in the source, in bytes.
  var range: Range<Int>
}
