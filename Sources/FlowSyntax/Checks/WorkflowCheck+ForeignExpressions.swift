import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowCheck {
  /// Reports `{{ inputs.x }}`. Other tools treat this as an expression, but flowrun treats it as text.
  ///
  /// Text that is meant for other programs is not reported, such as `docker ps --format '{{.ID}}'`.
  mutating func checkForeignExpressions() {
    let candidates = foreignBraces()
    guard !candidates.isEmpty else { return }
    var texts = tree.nodes.indices.filter { tree.nodes[$0].kind == .scalar }[...]
    for candidate in candidates {
      while let first = texts.first, tree.span(first).end <= candidate.span.start { texts = texts.dropFirst() }
      guard let text = texts.first, tree.span(text).start <= candidate.span.start else { continue }
      report(
        .expressionSyntax, "'\(tree.source.text(of: candidate.span))' is plain text here, not an expression",
        at: candidate.span, help: "write '${{ \(candidate.expression) }}'")
    }
  }

  /// Returns each `{{ … }}` without `$` that names something in the workflow, with the expression that was probably
  /// meant.
  private func foreignBraces() -> [(span: TextSpan, expression: String)] {
    let bytes = tree.source.bytes
    var found: [(span: TextSpan, expression: String)] = []
    let brace = UInt8(ascii: "{")
    var starts: [Int] = []
    bytes.withUnsafeBufferPointer { bytes in
      guard bytes.count > 4 else { return }
      for index in 1..<bytes.count - 1
      where bytes[index] == brace && bytes[index + 1] == brace && bytes[index - 1] != UInt8(ascii: "$")
        && bytes[index - 1] != brace
      {
        starts.append(index)
      }
    }
    for start in starts {
      let rest = bytes[(start + 2)...].prefix(200)
      let close = rest.indices.first { rest[$0] == 0x7D && $0 + 1 < rest.endIndex && rest[$0 + 1] == 0x7D }
      guard let close else { continue }
      let inside = String(decoding: rest[..<close], as: UTF8.self).trimmingSpaces
      if let expression = expression(meantBy: inside) { found.append((TextSpan(start, close + 2), expression)) }
    }
    return found
  }

  /// Returns the expression that was probably meant by the text in `{{ }}`, or nil if the text names neither a member
  /// of a context nor an input or variable of the workflow.
  private func expression(meantBy inside: String) -> String? {
    if inside.hasPrefix(".") {
      let name = String(inside.dropFirst())
      if let input = inputs.field(like: name) { return "inputs.\(input.name)" }
      return workflow.environment[name] == nil ? nil : "env.\(name)"
    }
    for (foreign, own) in [("inputs.parameters.", "inputs."), ("workflow.parameters.", "inputs.")]
    where inside.hasPrefix(foreign) {
      return own + inside.dropFirst(foreign.count)
    }
    let name = inside.prefix { $0 != "." && $0 != "[" }
    return name.count < inside.count && ExpressionDialect.workflow.names.contains(String(name)) ? inside : nil
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
