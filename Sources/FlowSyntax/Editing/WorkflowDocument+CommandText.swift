import FlowDiagnostics
import FlowModel

extension WorkflowDocument {
  /// Returns a fix that passes a value to a command as a variable instead of inserting it into the command's text.
  /// Returns nil if the shell does not read the text, or if the expression's quotes or its position in the text do not
  /// allow this.
  func textInCommand(_ diagnostic: Diagnostic) -> Fix? {
    guard let check, let tree, let step = step(at: diagnostic.span.start),
      let (_, isKey, node) = location(at: diagnostic.span.start), !isKey, tree.kind(node) == .scalar,
      isReadByShell(step), let whole = braces(around: diagnostic.span, in: tree.span(node))
    else { return nil }
    let expression = source.text(of: diagnostic.span)
    guard !expression.contains("\""), !expression.contains("\\") else { return nil }
    let stated = workflow.steps[step].options.environment
    let value = "${{ \(expression) }}"
    let variable = name(for: diagnostic, value, among: stated)
    let first = source.bytes[tree.span(node).start]
    let isPlain = tree.nodes[node].style == .plain
    // The replacement would begin with a quote, but a plain scalar cannot.
    guard !(isPlain && whole.start == tree.span(node).start) else { return nil }
    let isFollowed = whole.end < source.bytes.count && source.bytes[whole.end].isNamePart
    let bare = isFollowed ? "${\(variable)}" : "$\(variable)"
    var text: String
    switch quotes(from: tree.span(node).start + (first == 0x22 || first == 0x27 ? 1 : 0), to: whole.start, first) {
    case .double: text = bare
    case .single: text = "'\"\(bare)\"'"
    case .none: text = "\"\(bare)\""
    }
    if first == 0x22 { text = text.replacing("\"", with: "\\\"") }
    if first == 0x27 { text = text.replacing("'", with: "''") }
    var edits = [(span: whole, text: text)]
    if stated[variable] == nil {
      let environment = check.node(.env, of: step)
      let entry = "\(variable): \"\(value)\""
      let edit =
        environment.map { insertion(of: entry, into: $0) }
        ?? insertion(of: "env: { \(entry) }", into: check.locations.steps[step].value)
      guard let edit else { return nil }
      edits.append(edit)
    }
    return Fix(title: "Pass '\(expression)' as the variable \(variable)", diagnostic: diagnostic, edits: edits)
  }

  private enum Quotes { case none, single, double }

  private func isReadByShell(_ step: Int) -> Bool {
    guard case .string(let shell)? = workflow.steps[step].with[CommandKeys.shellInput] else { return true }
    return shell.split(separator: " ").first?.hasSuffix("sh") ?? false
  }

  /// Returns the range of the `${{ }}` around an expression, or nil if it is not inside one.
  private func braces(around span: TextSpan, in text: TextSpan) -> TextSpan? {
    var start = span.start
    while start > text.start, source.bytes[start - 1] == 0x20 { start -= 1 }
    var end = span.end
    while end < text.end, source.bytes[end] == 0x20 { end += 1 }
    guard start - 3 >= text.start, Array("${{".utf8) == Array(source.bytes[(start - 3)..<start]), end + 2 <= text.end,
      Array("}}".utf8) == Array(source.bytes[end..<(end + 2)])
    else { return nil }
    return TextSpan(start - 3, end + 2)
  }

  /// Returns a name for the new variable that the step does not already use for another value.
  private func name(for diagnostic: Diagnostic, _ value: String, among stated: ValueObject) -> String {
    let base = diagnostic.missingName ?? "VALUE"
    var name = base
    var number = 2
    while let other = stated[name], other != .string(value) {
      name = "\(base)_\(number)"
      number += 1
    }
    return name
  }

  /// Returns the shell quotes that are open at `end`, if none are open at `start`. `style` is the first byte of the
  /// scalar.
  private func quotes(from start: Int, to end: Int, _ style: UInt8) -> Quotes {
    var quotes = Quotes.none
    var position = start
    while position < end {
      var byte = source.bytes[position]
      position += 1
      if byte == UInt8(ascii: "\\"), position < end {
        byte = source.bytes[position]
        position += 1
        // In a double-quoted scalar, a backslash begins a YAML escape.
        if style != 0x22 { continue }
      }
      switch (quotes, byte) {
      case (.none, 0x22): quotes = .double
      case (.none, 0x27): quotes = .single
      case (.double, 0x22), (.single, 0x27): quotes = .none
      default: break
      }
    }
    return quotes
  }
}
