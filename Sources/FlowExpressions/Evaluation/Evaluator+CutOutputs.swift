import FlowModel

// Of a long output, flowrun keeps only the beginning and the end, so a value computed from it would be wrong.
extension Evaluator {
  /// The contexts that contain outputs: those of steps, and inputs made from them.
  private static var names: [String] { ["steps", "inputs"] }

  /// Throws if a value is, or contains, an output that was cut.
  func checkWhole(_ operand: Operand, at index: ExpressionNode.Index) throws(ExpressionError) {
    switch operand {
    case .null, .boolean, .integer, .number: return
    case .string(let text): if text.utf8.count <= Limits.leastCommandOutputBytes { return }
    case .array, .object: break
    }
    guard let path = path(of: index), Self.names.contains(path[0]),
      let (text, end) = Self.cutText(in: operand.value)
    else { return }
    throw cutOutput(text, path + end, nodes[Int(index)])
  }

  /// Returns the error for an expression that reads a cut output.
  ///
  /// - Parameter reason: The part that cannot be read, or nil for all of it.
  func cutOutput(
    _ text: LeftOut.CutText, _ path: [String], _ node: ExpressionNode, reason: String? = nil
  ) -> ExpressionError {
    let source = path.joined(separator: ".")
    let writer = path.count > 1 && path[0] == "steps" ? "step '\(path[1])'" : "its step"
    return ExpressionError(
      .cutOutput,
      "\(reason.map { "\($0) of " } ?? "")\(source) is cut: \(writer) wrote \(text.wholeBytes) bytes, and flowrun kept "
        + "\(text.keptBytes)",
      offset: Int(node.range.lowerBound), length: node.range.count,
      help: "set a larger 'output-limit' at the step (at most \(MemoryText.format(Limits.commandOutputBytes))), write "
        + "the value to FLOWRUN_OUTPUT or to a file, or read a part with first(text, lines) or last(text, lines)")
  }

  /// Returns the name and keys of a location, with `*` for computed keys, or nil for the result of a function.
  func path(of index: ExpressionNode.Index) -> [String]? {
    switch nodes[Int(index)].kind {
    case .name(let name): return [name]
    case .filter(let target): return path(of: target).map { $0 + ["*"] }
    case .index(let target, let key):
      return path(of: target).map { path in
        switch nodes[Int(key)].kind {
        case .string(let text): path + [text]
        case .number(let number): path + [Value.number(number).shortText]
        default: path + ["*"]
        }
      }
    default: return nil
    }
  }

  /// Returns the first cut text in a value and the keys that lead to it.
  private static func cutText(in value: Value) -> (text: LeftOut.CutText, path: [String])? {
    switch value {
    case .null, .boolean, .integer, .number: return nil
    case .string(let text): return LeftOut.cut(in: text).map { ($0, []) }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        if let found = cutText(in: element) { return (found.text, [String(index)] + found.path) }
      }
    case .object(let members):
      for (key, member) in members {
        if let found = cutText(in: member) { return (found.text, [key] + found.path) }
      }
    }
    return nil
  }
}
