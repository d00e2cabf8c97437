/// What a parameter of a pattern accepts: `:id<int>`. A text that does not parse is not a match, so that
/// `product/:id<int>` and `product/:name` may be side by side.
public enum ParameterType: Sendable, Hashable {
  /// One of the listed words, with case: `enum(new,used)`.
  case enumeration([String])
  /// `true` or `false`.
  case boolean
  /// A UUID in its 36-character form, either case.
  case uuid
  /// A calendar date, `2026-02-28`.
  case date
  /// A whole number from 0 that fits 64 bits.
  case unsignedInteger
  /// A whole number, perhaps with `-`, that fits 64 bits.
  case integer
  /// A decimal number, perhaps with `-`, fraction and exponent; finite.
  case double
  /// Lower-case letters, digits and single hyphens between them.
  case slug
  /// A URL of the policy's own schemes or hosts; one that leads elsewhere is refused (an open redirect).
  case url
  /// Anything; what `:name` without a type is.
  case string

  /// The types without operands, by the word that is in patterns, in order of precedence.
  static let words: [(word: String, type: ParameterType)] = [
    ("bool", .boolean), ("uuid", .uuid), ("date", .date), ("uint", .unsignedInteger), ("int", .integer),
    ("double", .double), ("slug", .slug), ("url", .url), ("string", .string),
  ]

  /// The text between `<` and `>` of a pattern.
  public var text: String {
    if case .enumeration(let words) = self { return "enum(\(words.joined(separator: ",")))" }
    return Self.words.first { $0.type == self }!.word
  }

  /// How specific it is; the lowest goes first where several types stand at one place.
  var rank: UInt8 {
    switch self {
    case .enumeration: 0
    case .boolean: 1
    case .uuid: 2
    case .date: 3
    case .unsignedInteger: 4
    case .integer: 5
    case .double: 6
    case .slug: 7
    case .url: 8
    case .string: 9
    }
  }

  /// Whether `self` is tried before `other`: by rank, and of two lists of words the shorter one, then the one that
  /// comes first in the alphabet.
  func precedes(_ other: ParameterType) -> Bool {
    guard case .enumeration(let own) = self, case .enumeration(let others) = other else { return rank < other.rank }
    let (left, right) = (own.sorted(), others.sorted())
    return left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
  }
}
