import FlowModel

// Functions that GitHub's dialect does not have. They compare text exactly. Arrays and objects as arguments are errors.
extension Evaluator {
  /// Evaluates `trim(text)`, which removes white space from both ends.
  mutating func trim(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError) -> String {
    let scalars = try text(arguments[0], of: .trim, node).unicodeScalars
    let end = scalars.lastIndex { !$0.properties.isWhitespace }.map { scalars.index(after: $0) } ?? scalars.startIndex
    return String(scalars[..<end].drop { $0.properties.isWhitespace })
  }

  /// Evaluates `replace(text, part, with)`, which replaces all occurrences of `part`.
  mutating func replace(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError) -> String {
    let pieces = try pieces(arguments, of: .replace, node)
    let replacement = try text(arguments[2], of: .replace, node)
    guard pieces.count > 1 else { return pieces.first ?? "" }
    let bytes = pieces.reduce(replacement.utf8.count * (pieces.count - 1)) { $0 + $1.utf8.count }
    guard 2 * bytes <= MemoryMeter.limit else { throw tooMuchMemory(node) }
    return pieces.joined(separator: replacement)
  }

  /// Evaluates `split(text, separator)`. Empty parts are included.
  mutating func split(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError) -> Operand {
    try list(try pieces(arguments, of: .split, node), node)
  }

  /// Evaluates `lines(text)`. The lines do not include their line breaks. A line break at the end of the text does not
  /// begin another line.
  mutating func lines(_ arguments: [ExpressionNode.Index], _ node: ExpressionNode) throws(ExpressionError) -> Operand {
    let feed = UInt8(ascii: "\n")
    var rest = Array(try text(arguments[0], of: .lines, node).utf8)[...]
    var lines: [String] = []
    while !rest.isEmpty {
      guard lines.count < MemoryMeter.elementLimit else { throw tooMuchMemory(node) }
      let end = rest.firstIndex(of: feed) ?? rest.endIndex
      let hasReturn = end < rest.endIndex && end > rest.startIndex && rest[end - 1] == UInt8(ascii: "\r")
      lines.append(String(decoding: rest[..<(hasReturn ? end - 1 : end)], as: UTF8.self))
      rest = rest[min(end + 1, rest.endIndex)...]
    }
    return try list(lines, node)
  }

  /// Returns the parts of the first argument that are separated by the second.
  private mutating func pieces(
    _ arguments: [ExpressionNode.Index], of function: Function, _ node: ExpressionNode
  ) throws(ExpressionError) -> [String] {
    let text = Array(try text(arguments[0], of: function, node).utf8)
    let part = Array(try self.text(arguments[1], of: function, node).utf8)
    guard !part.isEmpty else {
      throw failure(
        "\(function.rawValue)() cannot search for an empty string", node, help: "name at least one character")
    }
    let search = SequenceSearch(part)
    var pieces: [String] = []
    var start = 0
    while let found = search.firstIndex(in: text, from: start) {
      guard pieces.count < MemoryMeter.elementLimit else { throw tooMuchMemory(node) }
      pieces.append(String(decoding: text[start..<found], as: UTF8.self))
      start = found + part.count
    }
    return pieces + [String(decoding: text[start...], as: UTF8.self)]
  }

  /// Creates a list of strings. Only memory for the list itself is counted, because the text has already been counted.
  private mutating func list(_ texts: [String], _ node: ExpressionNode) throws(ExpressionError) -> Operand {
    guard memory.add(elements: texts.count) else { throw tooMuchMemory(node) }
    return Operand(.array(texts.map { .string($0) }))
  }

  private mutating func text(
    _ argument: ExpressionNode.Index, of function: Function, _ node: ExpressionNode
  ) throws(ExpressionError) -> String {
    let operand = try evaluate(argument)
    guard operand.isCollection else { return operand.text }
    throw failure(
      "\(function.rawValue)() expects a string, found an \(operand.value.kindName)", nodes[Int(argument)],
      help: "join(list, separator) makes a text of a list, toJSON(value) of anything")
  }
}
