import FlowModel

/// The part of the expression language that scenarios use: status functions, `inputs.x`, `launch.x`, `gate.outcome`,
/// literals, `! && || == !=` and parentheses. It is independent of FlowExpressions and evaluates the text directly.
///
/// A name may be unknown, because the oracle evaluates conditions before everything has finished, to see whether they
/// can still become true.
struct OracleExpression {
  private let text: String
  private let tokens: [String]

  /// The value of an expression: `false`, `true`, a string, null, or unknown.
  enum Value: Equatable {
    case unknown
    case null
    case boolean(Bool)
    case text(String)

    /// The truth value by GitHub Actions' rules: false, null and the empty string are falsy. Nil if the value is
    /// unknown.
    var truth: Bool? {
      switch self {
      case .unknown: nil
      case .null: false
      case .boolean(let value): value
      case .text(let text): !text.isEmpty
      }
    }
  }

  static let statusFunctions = ["success()", "failure()", "always()", "cancelled()"]

  /// True if the text calls the status function `name`.
  func names(_ name: String) -> Bool { text.contains(name + "()") }

  /// Creates an expression from an `if`. Without a status function, `success() &&` is added before it. No `if` at all
  /// means `success()`.
  init(condition: String?) {
    let condition = condition ?? "success()"
    let hasStatus = Self.statusFunctions.contains { condition.contains($0) }
    self.init(plain: hasStatus ? condition : "success() && (\(condition))")
  }

  /// Creates an expression from `enabled`, `defer` or a duration, with or without its `${{ }}`.
  init(plain: String) {
    let inner = plain.hasPrefix("${{") && plain.hasSuffix("}}") ? String(plain.dropFirst(3).dropLast(2)) : plain
    text = inner
    tokens = Self.tokens(of: inner)
  }

  /// Evaluates the expression. `lookup` returns the value of a name such as `failure()` or `inputs.fast`.
  func value(_ lookup: (String) -> Value) -> Value {
    var rest = tokens[...]
    let value = Self.either(&rest, lookup)
    precondition(rest.isEmpty, "the oracle does not read '\(text)'")
    return value
  }

  private static func either(_ rest: inout ArraySlice<String>, _ lookup: (String) -> Value) -> Value {
    var left = both(&rest, lookup)
    while rest.first == "||" {
      rest.removeFirst()
      let right = both(&rest, lookup)
      left = left.truth.map { $0 ? left : right } ?? (right.truth == true ? .boolean(true) : .unknown)
    }
    return left
  }

  private static func both(_ rest: inout ArraySlice<String>, _ lookup: (String) -> Value) -> Value {
    var left = equality(&rest, lookup)
    while rest.first == "&&" {
      rest.removeFirst()
      let right = equality(&rest, lookup)
      left = left.truth.map { $0 ? right : left } ?? (right.truth == false ? .boolean(false) : .unknown)
    }
    return left
  }

  private static func equality(_ rest: inout ArraySlice<String>, _ lookup: (String) -> Value) -> Value {
    let left = unary(&rest, lookup)
    guard let sign = rest.first, sign == "==" || sign == "!=" else { return left }
    rest.removeFirst()
    let right = unary(&rest, lookup)
    if left == .unknown || right == .unknown { return .unknown }
    var isEqual = left == right
    if case .text(let one) = left, case .text(let other) = right { isEqual = one.lowercased() == other.lowercased() }
    return .boolean(isEqual == (sign == "=="))
  }

  private static func unary(_ rest: inout ArraySlice<String>, _ lookup: (String) -> Value) -> Value {
    let token = rest.removeFirst()
    if token == "!" {
      let value = unary(&rest, lookup)
      return value.truth.map { .boolean(!$0) } ?? .unknown
    }
    if token == "(" {
      let value = either(&rest, lookup)
      precondition(rest.first == ")", "a parenthesis is not closed")
      rest.removeFirst()
      return value
    }
    if token.hasPrefix("'") { return .text(String(token.dropFirst().dropLast())) }
    return lookup(token)
  }

  private static func tokens(of text: String) -> [String] {
    var tokens: [String] = []
    var rest = Substring(text)
    while let first = rest.first {
      if first == " " {
        rest.removeFirst()
      } else if let sign = ["&&", "||", "==", "!=", "!", "(", ")"].first(where: { rest.hasPrefix($0) }) {
        tokens.append(sign)
        rest.removeFirst(sign.count)
      } else if first == "'" {
        let end = rest.dropFirst().firstIndex(of: "'")!
        tokens.append(String(rest[...end]))
        rest = rest[rest.index(after: end)...]
      } else {
        var name = String(rest.prefix { $0.isLetter || $0.isNumber || "._-".contains($0) })
        precondition(!name.isEmpty, "the oracle does not read '\(rest)'")
        rest.removeFirst(name.count)
        if rest.hasPrefix("()") {
          name += "()"
          rest.removeFirst(2)
        }
        tokens.append(name)
      }
    }
    return tokens
  }
}
