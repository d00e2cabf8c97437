import FlowModel
import FlowPluginKit

extension PluginConformance {
  typealias Problems = [(place: String, message: String)]

  private var declarations: [ActionDeclaration] { actions.map(\.declaration) }

  private func everyInput(_ problem: (FieldDeclaration) -> String?) -> Problems {
    declarations.flatMap { declaration in
      declaration.inputs.compactMap { field in
        problem(field).map { ("\(declaration.name), input '\(field.name)'", $0) }
      }
    }
  }

  func nameProblems() -> Problems {
    var problems: Problems = []
    if !Self.isWord(name) { problems.append((name, "'\(name)' is not a valid plugin name")) }
    if actions.isEmpty { problems.append((name, "it has no action")) }
    for declaration in declarations {
      let parts = declaration.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      if parts.count != 2 || parts[0] != name || !Self.isWord(parts[1]) {
        problems.append(
          (declaration.name, "it must be '\(name).' and a word of lower case letters, digits and hyphens"))
      }
      for fields in [declaration.inputs, declaration.outputs] {
        let repeated = Dictionary(grouping: fields, by: \.name).filter { $1.count > 1 }.keys.sorted()
        problems += repeated.map { (declaration.name, "'\($0)' is declared twice") }
      }
    }
    return problems
  }

  static func isWord(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return text.first?.isLetter ?? false
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
      }
  }

  /// True if `text` is a valid error code: a word like other names, but with capitals allowed, as in
  /// `invalidCoordinate`.
  static func isCode(_ text: String) -> Bool { isWord(text.lowercased()) }

  func summaryProblems() -> Problems {
    declarations.filter { $0.summary.isEmpty }.map { ($0.name, "it has no summary") }
      + everyInput { $0.summary.isEmpty ? "it has no description" : nil }
  }

  func defaultProblems() -> Problems {
    everyInput { field in
      field.defaultValue.flatMap { field.type.mismatch(of: $0)?.description }.map { "the default: \($0)" }
    }
  }

  func errorProblems() -> Problems {
    declarations.flatMap { declaration in
      declaration.errors.compactMap { error in
        let place = "\(declaration.name), error '\(error.code)'"
        if !Self.isCode(error.code) { return (place, "its code is not a word of letters, digits and hyphens") }
        if error.summary.isEmpty { return (place, "it has no summary") }
        return declaration.errors.filter { $0.code == error.code }.count > 1 ? (place, "it is declared twice") : nil
      }
    }
  }

  func exampleProblems() -> Problems {
    declarations.compactMap { declaration in
      if declaration.example.isEmpty { return nil }
      guard declaration.example.hasPrefix("uses: \(declaration.name)") else {
        return (declaration.name, "the example does not begin with 'uses: \(declaration.name)'")
      }
      let missing = declaration.inputs.first { $0.isRequired && !declaration.example.contains($0.name) }
      return missing.map { (declaration.name, "the example lacks the input '\($0.name)', which is required") }
    }
  }

  func literalProblems() -> Problems {
    var problems: Problems = []
    for action in actions {
      let declaration = action.declaration
      for literals in Self.literals(for: declaration) {
        for problem in action.check(LiteralInput(literals))
        where !declaration.inputs.contains(where: { problem.keyPath.hasPrefix($0.name) }) {
          problems.append((declaration.name, "its check names '\(problem.keyPath)', which is not an input of it"))
        }
      }
    }
    return problems
  }

  /// Returns literals for a test of the action's own check of inputs: none at all, and then each kind of value for all
  /// inputs at once.
  private static func literals(for declaration: ActionDeclaration) -> [ValueObject] {
    let values: [Value] = [
      nil, true, -1, 0.5, "", "\u{0}\u{FFFF}", "${", .string(String(repeating: "x", count: 10_000)), [], [[], nil, 1],
      [:], ["": ["": nil]],
    ]
    return [[:]] + values.map { value in ValueObject(declaration.inputs.map { ($0.name, value) }) }
  }
}
