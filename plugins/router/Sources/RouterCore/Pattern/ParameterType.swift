/// The type of a parameter in a pattern, such as `:id<int>`. Text that is not of this type does not match, so
/// `product/:id<int>` and `product/:name` can coexist.
public enum ParameterType: Sendable, Hashable {
  /// One of the listed words, compared case-sensitively: `enum(new,used)`.
  case enumeration([String])
  /// The text `true` or `false`.
  case boolean
  /// A UUID in its 36-character form, in upper or lower case.
  case uuid
  /// A calendar date such as `2026-02-28`.
  case date
  /// A non-negative integer that fits 64 bits.
  case unsignedInteger
  /// An integer that fits 64 bits.
  case integer
  /// A finite decimal number with optional minus sign, fraction and exponent.
  case double
  /// Lower-case letters and digits, with single hyphens between them.
  case slug
  /// A URL with an allowed scheme or host. Other URLs are refused, because they could be open redirects.
  case url
  /// Any text; the type of `:name`.
  case string

  /// The types without arguments and their names in patterns, in order of precedence.
  static let words: [(word: String, type: ParameterType)] = [
    ("bool", .boolean), ("uuid", .uuid), ("date", .date), ("uint", .unsignedInteger), ("int", .integer),
    ("double", .double), ("slug", .slug), ("url", .url), ("string", .string),
  ]

  /// The type's name in patterns, between `<` and `>`.
  public var text: String {
    if case .enumeration(let words) = self { return "enum(\(words.joined(separator: ",")))" }
    return Self.words.first { $0.type == self }!.word
  }

  /// The precedence of the type. If several types accept a segment, the one with the lowest rank is tried first.
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

  /// True if `self` is tried before `other`. Types are ordered by rank, and lists of words by length, then
  /// alphabetically.
  func precedes(_ other: ParameterType) -> Bool {
    guard case .enumeration(let own) = self, case .enumeration(let others) = other else { return rank < other.rank }
    let (left, right) = (own.sorted(), others.sorted())
    return left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
  }
}
