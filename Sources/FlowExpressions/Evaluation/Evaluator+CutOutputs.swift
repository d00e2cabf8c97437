import FlowModel

// Of a long output flowrun keeps the beginning and the end. What an expression would compute from it is wrong.
extension Evaluator {
  /// The contexts in which outputs of steps are: those of the steps, and inputs that were made from them.
  private static var names: [String] { ["steps", "inputs"] }

  /// Throws an error if a value that was read is an output that was cut, or holds one.
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

  /// The error of an expression that reads an output that was cut.
  ///
  /// - Parameter reason: what cannot be read of it; nil: all of it.
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

  /// The name and the keys of a location that is read, `*` where there is no fixed key; nil if a function gives the value.
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

  /// The first text in a value that was cut, and the keys that lead to it.
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
