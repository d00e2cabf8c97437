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
  /// The range of the token in the expression, in bytes.
  var range: Range<Int>
}
