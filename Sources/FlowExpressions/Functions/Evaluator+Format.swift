extension Evaluator {
  /// Evaluates `format('{0} of {1}', a, b)`. A doubled brace is a literal brace.
  mutating func format(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError) -> String {
    let pattern = Array(try evaluate(arguments[0]).text.utf8)
    var result: [UInt8] = []
    var texts = [String?](repeating: nil, count: arguments.count - 1)
    var position = 0
    while position < pattern.count {
      let byte = pattern[position]
      let isDoubled = position + 1 < pattern.count && pattern[position + 1] == byte
      switch byte {
      case UInt8(ascii: "{") where isDoubled, UInt8(ascii: "}") where isDoubled:
        result.append(byte)
        position += 2
      case UInt8(ascii: "{"):
        let argument = try placeholder(in: pattern, at: &position, count: texts.count, node)
        let text: String
        if let known = texts[argument] {
          text = known
        } else {
          text = try evaluate(arguments[argument + 1]).text
          texts[argument] = text
        }
        result.append(contentsOf: text.utf8)
        guard 2 * result.count <= MemoryMeter.limit else { throw tooMuchMemory(node) }
      case UInt8(ascii: "}"): throw invalid(pattern, node, help: "write a literal '}' as '}}'")
      default:
        result.append(byte)
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Reads a placeholder such as `{3}`. Returns its number, and moves `position` to the index after it.
  private func placeholder(
    in pattern: [UInt8], at position: inout Int, count: Int, _ node: ExpressionNode
  ) throws(ExpressionError) -> Int {
    var end = position + 1
    var argument = 0
    while end < pattern.count, pattern[end] &- UInt8(ascii: "0") < 10, argument < 256 {
      argument = argument * 10 + Int(pattern[end] - UInt8(ascii: "0"))
      end += 1
    }
    guard end > position + 1, argument < 256, end < pattern.count else { throw invalid(pattern, node, help: braceHelp) }
    if pattern[end] == UInt8(ascii: ":"), let close = pattern[end...].firstIndex(of: UInt8(ascii: "}")), close > end + 1
    {
      let specifiers = String(decoding: pattern[(end + 1)..<close], as: UTF8.self)
      throw failure(
        "The format specifiers '\(specifiers)' are not valid here", node,
        help: "write {\(argument)}: a value has only one format")
    }
    if pattern[end] == UInt8(ascii: ":") { end += 1 }
    guard end < pattern.count, pattern[end] == UInt8(ascii: "}") else { throw invalid(pattern, node, help: braceHelp) }
    guard argument < count else {
      throw failure(
        "The following format string references more arguments than were supplied: "
          + String(decoding: pattern, as: UTF8.self),
        node, help: "{\(argument)} is argument \(argument + 1) after the format string, which has \(count)")
    }
    position = end + 1
    return argument
  }

  private var braceHelp: String { "a placeholder is written {0}; write a literal '{' as '{{'" }

  private func invalid(_ pattern: [UInt8], _ node: ExpressionNode, help: String) -> ExpressionError {
    failure("The following format string is invalid: \(String(decoding: pattern, as: UTF8.self))", node, help: help)
  }
}
