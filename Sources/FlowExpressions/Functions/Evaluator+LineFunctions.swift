import FlowModel

// Functions that read lines at the beginning or end of a string. They work even if its middle was left out.
extension Evaluator {
  /// Evaluates `first(text, count)` or `last(text, count)`. The line break of the last line is not part of the result.
  mutating func lines(
    _ function: Function, _ arguments: [ExpressionNode.Index], _ node: ExpressionNode
  ) throws(ExpressionError) -> String {
    let operand = try access(arguments[0])
    guard !operand.isCollection else {
      throw failure(
        "\(function.rawValue)() expects a string, found an \(operand.value.kindName)", nodes[Int(arguments[0])],
        help: "join(list, separator) makes a text of a list, toJSON(value) of anything")
    }
    let count = try count(arguments[1], of: function)
    var text = operand.text
    let cut = path(of: arguments[0]).flatMap { path in LeftOut.cut(in: text).map { (text: $0, path: path) } }
    let found = text.withUTF8 { bytes -> String? in
      let range =
        function == .first
        ? Self.firstLines(count, of: bytes, before: cut?.text.gap)
        : Self.lastLines(count, of: bytes, after: cut?.text.gap)
      return range.map { String(decoding: bytes[$0], as: UTF8.self) }
    }
    if let found { return found }
    guard let cut else { return "" }
    throw cutOutput(
      cut.text, cut.path, nodes[Int(arguments[0])],
      reason: "one of the \(function.rawValue) \(count) lines")
  }

  private mutating func count(
    _ argument: ExpressionNode.Index, of function: Function
  ) throws(ExpressionError) -> Int {
    let operand = try evaluate(argument)
    switch operand {
    case .integer, .number, .string: if let count = Int(exactly: operand.number), count >= 0 { return count }
    case .null, .boolean, .array, .object: break
    }
    throw failure(
      "\(function.rawValue)() expects a number of lines, found \(operand.value.shortText)", nodes[Int(argument)],
      help: "write a whole number that is not negative")
  }

  private static var lineFeed: UInt8 { UInt8(ascii: "\n") }

  /// Returns the range of the first `count` lines, or nil if a part of them is in the gap.
  private static func firstLines(
    _ count: Int, of bytes: UnsafeBufferPointer<UInt8>, before gap: Range<Int>?
  ) -> Range<Int>? {
    // The line break before the gap may have been added by flowrun.
    let end = gap.map { max(0, $0.lowerBound - 1) } ?? bytes.count
    var (position, last) = (0, 0)
    for _ in 0..<count {
      guard position < end else { return gap == nil ? 0..<withoutReturn(last, in: bytes) : nil }
      guard let feed = bytes[position..<end].firstIndex(of: lineFeed) else {
        return gap == nil ? 0..<end : nil
      }
      (position, last) = (feed + 1, feed)
    }
    return 0..<withoutReturn(last, in: bytes)
  }

  /// Returns the range of the last `count` lines, or nil if a part of them is in the gap.
  private static func lastLines(
    _ count: Int, of bytes: UnsafeBufferPointer<UInt8>, after gap: Range<Int>?
  ) -> Range<Int>? {
    let beginning = gap?.upperBound ?? 0
    var end = bytes.count
    if end > beginning, bytes[end - 1] == lineFeed { end = withoutReturn(end - 1, in: bytes) }
    var start = end
    guard count > 0, end > beginning else { return count > 0 && gap != nil ? nil : end..<end }
    for taken in 0..<count {
      let before = taken == 0 ? end : start - 1
      guard let feed = bytes[beginning..<before].lastIndex(of: lineFeed) else {
        return gap == nil ? beginning..<end : nil
      }
      start = feed + 1
    }
    return start..<end
  }

  /// Returns the end of a line, excluding a carriage return before its line break.
  private static func withoutReturn(_ end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    end > 0 && end < bytes.count && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
  }
}
