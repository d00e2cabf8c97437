import FlowModel

/// A string that may contain expressions in `${{ }}`.
///
/// If the string consists of a single expression, the result has the type of its value. Otherwise, each value is
/// converted to text, and arrays and objects are errors.
///
/// ```swift
/// let template = try Template(parsing: "Hello ${{ inputs.name }}!")
/// let text = try template.evaluate(in: FixedContext(["inputs": ["name": "Ada"]]))  // "Hello Ada!"
/// ```
package struct Template: Sendable {
  private enum Part: Sendable {
    case text(String)
    /// An expression, given by its index in ``Template/expressions``.
    case expression(Int)
  }

  /// The expressions, each with the offset of its text in the string.
  package let expressions: [(offset: Int, expression: Expression)]
  private let parts: [Part]

  /// Parses a string. Throws the ``ExpressionError`` of the first invalid expression. Its offset is relative to the
  /// start of the string.
  package init(parsing text: String, dialect: ExpressionDialect = .workflow) throws(ExpressionError) {
    let bytes = Array(text.utf8)
    var parts: [Part] = []
    var expressions: [(offset: Int, expression: Expression)] = []
    var position = 0
    while let open = Self.opening(in: bytes, from: position) {
      if open > position { parts.append(.text(String(decoding: bytes[position..<open], as: UTF8.self))) }
      guard let close = Self.closing(in: bytes, from: open + 3) else {
        throw ExpressionError(
          .lexing, "The expression is never closed", offset: open, length: 3, help: "close it with }}")
      }
      let (offset, source) = Self.trimmed(bytes[(open + 3)..<close])
      guard !source.isEmpty else {
        throw ExpressionError(.parsing, "An expression was expected", offset: open, length: close + 2 - open)
      }
      do throws(ExpressionError) {
        expressions.append((offset, try Expression(parsing: source, dialect: dialect)))
      } catch {
        throw error.shifted(by: offset)
      }
      parts.append(.expression(expressions.count - 1))
      position = close + 2
    }
    if position < bytes.count { parts.append(.text(String(decoding: bytes[position...], as: UTF8.self))) }
    self.parts = parts
    self.expressions = expressions
  }

  /// True if the string consists of a single expression, whose value keeps its type.
  package var isSingleExpression: Bool {
    guard parts.count == 1, case .expression = parts[0] else { return false }
    return true
  }

  /// True if the text contains `${{`.
  package static func containsExpression(_ text: some StringProtocol) -> Bool {
    let found = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.count >= 3 && opening(in: bytes, from: 0) != nil
    }
    return found ?? (opening(in: Array(text.utf8), from: 0) != nil)
  }

  /// Evaluates the expressions and inserts their values. Throws an ``ExpressionError`` of kind `evaluation` or
  /// `cutOutput`. Its offset is relative to the start of the string.
  package func evaluate(in context: some ExpressionContext) throws(ExpressionError) -> Value {
    try evaluate(in: context, quoting: { $0 })
  }

  /// Evaluates the expressions and inserts their values. `quote` is applied to the text of each value, and to each
  /// string in a list.
  package func evaluate(
    in context: some ExpressionContext, quoting quote: (String) -> String
  ) throws(ExpressionError) -> Value {
    if isSingleExpression {
      switch try value(of: 0, in: context) {
      case .string(let text): return .string(quote(text))
      case .array(let values): return .array(values.map { $0.stringValue.map { .string(quote($0)) } ?? $0 })
      case let value: return value
      }
    }
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .expression(let index):
        let operand = Operand(try value(of: index, in: context))
        guard !operand.isCollection else { throw notAText(operand.value, index) }
        result += quote(operand.text)
      }
    }
    return .string(result)
  }

  /// Returns the string with each expression replaced by the result of `replacing`, which receives the expression's
  /// index in ``expressions``.
  package func text(_ replacing: (Int) -> String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .expression(let index): replacing(index)
      }
    }.joined()
  }

  private func value(of index: Int, in context: some ExpressionContext) throws(ExpressionError) -> Value {
    do throws(ExpressionError) {
      return try expressions[index].expression.evaluate(in: context)
    } catch {
      throw error.shifted(by: expressions[index].offset)
    }
  }

  private func notAText(_ value: Value, _ index: Int) -> ExpressionError {
    let (offset, expression) = expressions[index]
    return ExpressionError(
      .evaluation, "An \(value.kindName) cannot be part of a longer string", offset: offset,
      length: expression.source.utf8.count, help: "write toJSON(\(expression.source)), or nothing around the ${{ }}")
  }

  // MARK: Scanning

  private static func opening(in bytes: some RandomAccessCollection<UInt8>, from start: Int) -> Int? {
    var position = bytes.index(bytes.startIndex, offsetBy: start)
    let end = bytes.endIndex
    while let dollar = bytes[position...].firstIndex(of: UInt8(ascii: "$")) {
      position = bytes.index(after: dollar)
      if bytes.distance(from: position, to: end) >= 2, bytes[position] == UInt8(ascii: "{"),
        bytes[bytes.index(after: position)] == UInt8(ascii: "{")
      {
        return bytes.distance(from: bytes.startIndex, to: dollar)
      }
    }
    return nil
  }

  /// Returns the position of the first `}}` that is not inside a string literal, or nil if there is none.
  private static func closing(in bytes: [UInt8], from start: Int) -> Int? {
    var isInString = false
    var position = start
    while position + 1 < bytes.count {
      if bytes[position] == UInt8(ascii: "'") {
        isInString.toggle()
      } else if !isInString, bytes[position] == UInt8(ascii: "}"), bytes[position + 1] == UInt8(ascii: "}") {
        return position
      }
      position += 1
    }
    return nil
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> (offset: Int, source: String) {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return (bytes.startIndex, "") }
    return (first, String(decoding: bytes[first...last], as: UTF8.self))
  }
}

extension Value {
  /// True if any string in the value, at any depth, contains `${{`.
  package var containsExpression: Bool {
    switch self {
    case .string(let text): Template.containsExpression(text)
    case .array(let values): values.contains(where: \.containsExpression)
    case .object(let members): members.contains { $0.value.containsExpression }
    default: false
    }
  }
}
