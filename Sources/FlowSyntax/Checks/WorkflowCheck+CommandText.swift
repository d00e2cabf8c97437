import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowCheck {
  /// Warns about expressions in a command that can result in any text, because the shell would interpret that text as
  /// code.
  mutating func checkCommandText(_ node: NodeID, _ step: Int, _ declaration: ActionDeclaration?) {
    guard declaration?.shellTextInput != nil, tree.kind(node) == .scalar, isString(node), !isSettled,
      let template = try? workflow.texts.template(tree.text(node))
    else { return }
    let site = ExpressionSite(kind: .with, step: step, node: node)
    for (offset, expression) in template.expressions where mayGiveText(expression, site) {
      // Another check reports secrets in commands.
      if expression.references.contains(where: { isSecret($0) }) { continue }
      let variable = expression.variableName
      report(
        .textInCommand, "the shell reads the text of '${{ \(expression.source) }}' as a part of the command",
        at: span(site, offset: offset, length: expression.source.utf8.count, of: expression.source),
        help: "pass it as a variable: env: { \(variable): \"${{ \(expression.source) }}\" }, and \"$\(variable)\" "
          + "in the command", missingName: variable)
    }
  }

  /// True if the expression can result in any text, rather than in one of a few fixed words.
  private func mayGiveText(_ expression: Expression, _ site: ExpressionSite) -> Bool {
    guard expression.references.contains(where: { !Self.givesWord($0) }) else { return false }
    return expression.possibleResults { self.type(of: $0, site) }.contains {
      switch $0 {
      case .type(.string), .type(.any), .type(.path): true
      default: false
      }
    }
  }

  /// True if flowrun sets the referenced value to a fixed word, a Boolean or an id.
  private static func givesWord(_ reference: ContextReference) -> Bool {
    let path = reference.path.map { $0.lowercased() }
    switch reference.name.lowercased() {
    case "gate": return true
    case "run": return path == ["id"] || path == ["conclusion"]
    case "launch": return path == ["reason"] || path == ["first"]
    case "steps": return path.count == 2 && ["outcome", "conclusion"].contains(path[1])
    default: return false
    }
  }
}

extension Expression {
  /// The names of variables that shells and commands use themselves.
  private static let takenNames: Set<String> = [
    "ENV", "HOME", "IFS", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
  ]

  /// A variable name for the value of the expression: `TITLE` for `inputs.title`, `ITEM_PATH` for `item.path`.
  var variableName: String {
    var word = references.first.map { $0.path.last ?? $0.name } ?? "VALUE"
    if Self.takenNames.contains(word.uppercased()), let context = references.first?.name {
      word = "\(context == word ? "value" : context)_\(word)"
    }
    let name = String(word.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return name.first?.isNumber ?? true ? "VALUE_" + name : name
  }
}
