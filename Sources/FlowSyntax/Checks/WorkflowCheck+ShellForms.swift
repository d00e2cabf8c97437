import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reports commands that use `bash` syntax but are run by `sh`.
extension WorkflowCheck {
  mutating func checkShellForms() {
    for step in workflow.steps.indices where !isSettled {
      guard let declaration = actions.declaration(ofStep: step), let input = declaration.shellTextInput,
        runsPlainShell(step),
        let node = node(.run, of: step) ?? node(.with, of: step).flatMap({ tree.member(input, of: $0)?.value }),
        tree.kind(node) == .scalar, isString(node)
      else { continue }
      checkShellForms(node, of: step)
    }
  }

  private mutating func checkShellForms(_ node: NodeID, of step: Int) {
    let text = tree.text(node)
    let bytes = withoutExpressions(text)
    let site = ExpressionSite(kind: .with, step: step, node: node)
    if let program = ShellForms.interpreter(in: bytes), program != "sh", program != "dash" {
      let shell = program == "bash" ? "bash" : program.hasPrefix("python") ? "python" : "'\(program) {0}'"
      report(
        .shellMismatch, "the first line names '\(program)', but sh runs this command",
        at: span(site, offset: 0, length: bytes.prefix { $0 != UInt8(ascii: "\n") }.count, of: text),
        help: "write 'shell: \(shell)' at the step")
    } else if let form = ShellForms.first(in: bytes) {
      report(
        .shellMismatch, "sh, which runs this command, does not understand '\(form.name)'",
        at: span(site, offset: form.offset, length: form.length, of: text),
        help: "write 'shell: bash' at the step, or 'defaults: { shell: bash }' for all steps of the file")
    }
  }

  /// True if `sh`, which is the default, or `dash` runs the command of a step.
  private func runsPlainShell(_ step: Int) -> Bool {
    guard let shell = workflow.steps[step].with[CommandKeys.shellInput] else { return true }
    guard let program = shell.stringValue?.split(separator: " ").first?.split(separator: "/").last else { return false }
    return program == "sh" || program == "dash"
  }

  /// Returns the command's text. Each expression is replaced by letters of the same length.
  private func withoutExpressions(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard Template.containsExpression(text), let template = try? workflow.texts.template(text) else { return bytes }
    var result = bytes
    for (offset, expression) in template.expressions {
      var start = offset
      while start > 0, result[start] != UInt8(ascii: "$") { start -= 1 }
      var end = offset + expression.source.utf8.count
      while end < bytes.count, bytes[end] != UInt8(ascii: "}") { end += 1 }
      for index in start..<min(end + 2, bytes.count) { result[index] = UInt8(ascii: "x") }
    }
    return result
  }
}
