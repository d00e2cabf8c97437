import FlowModel

// Handles outputs that were shortened. flowrun keeps only the beginning and the end of a long output, so values that
// are computed from it would be wrong.
extension Evaluator {
  /// The contexts whose values may contain outputs of steps.
  private static var names: [String] { ["steps", "inputs"] }

  /// Throws if the node refers to `steps` or `inputs`, and its value is or contains an output that was shortened.
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

  /// Returns the error for an expression that reads an output that was shortened.
  ///
  /// - Parameter reason: Names the part that cannot be read, or nil if the whole output cannot be read.
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

  /// Returns the name and the keys of a reference, with `*` for computed keys. Returns nil if the node is not a
  /// reference.
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

  /// Returns the first shortened text in a value together with the keys that lead to it, or nil if all texts are
  /// complete.
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
