import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Checks that secrets are read only in the `env` of steps and in secret inputs, because they would be shown elsewhere.
extension WorkflowCheck {
  /// True if the reference reads a secret, a secret input, a secret output, or all inputs if one of them is secret.
  func isSecret(_ reference: ContextReference) -> Bool {
    switch reference.name.lowercased() {
    case "secrets": return true
    case "inputs":
      guard let name = reference.path.first else { return inputs.fields.contains(where: \.isSecret) }
      return inputs.field(like: name)?.isSecret == true
    case "steps": return isSecretOutput(reference.path)
    default: return false
    }
  }

  /// True if the path, which is below `steps`, reads an output that is declared as secret. If it reads all outputs of a
  /// step, true if one of them is declared as secret and the step's input `secret` is set to anything except false.
  private func isSecretOutput(_ path: [String]) -> Bool {
    guard path.count > 1, path[1].lowercased() == "outputs", let step = stepIndex(like: path[0]),
      let outputs = actions.declaration(ofStep: step)?.outputs, outputs.contains(where: \.isSecret)
    else { return false }
    guard path.count > 2 else { return workflow.steps[step].with["secret"].map { $0 != false } ?? false }
    return outputs.contains { $0.isSecret && $0.name == path[2].lowercased() }
  }

  /// Checks a reference to a secret. Returns false if it reported a problem.
  mutating func checkSecret(_ reference: ContextReference, _ site: ExpressionSite, at location: TextSpan) -> Bool {
    let isInput = reference.name.lowercased() == "inputs"
    let isOutput = reference.name.lowercased() == "steps"
    if isOutput, reference.path.count < 3 {
      report(
        .secretExposed, "'steps.\(reference.path[0]).outputs' has a secret among its members", at: location,
        help: "name one: steps.\(reference.path[0]).outputs.NAME")
      return false
    }
    guard let name = reference.path.first else {
      report(
        .secretExposed,
        isInput ? "'inputs' has secrets among its members" : "'secrets' means all secrets; name one", at: location,
        help: isInput ? "name one: inputs.NAME" : "name one: secrets.NAME")
      return false
    }
    if !isInput, !isOutput, !checkDeclared(name, at: location) { return false }
    let words =
      isOutput
      ? "steps.\(reference.path.prefix(3).joined(separator: "."))" : "\(isInput ? "inputs" : "secrets").\(name)"
    guard site.takesSecrets else {
      report(
        .secretExposed, "'\(words)' is a secret and would be exposed in '\(site.name)'", at: location,
        help: secretHelp(site, words, name))
      return false
    }
    guard site.kind == .environment, let step = site.step, let declaration = actions.declaration(ofStep: step),
      !declaration.handsOnEnvironment
    else { return true }
    report(
      .secretExposed, "'\(declaration.name)' does not start a program that could receive the variable with '\(words)'",
      at: location,
      related: [.init(span(.uses, of: step), "it is used here")],
      help: "give it to a step that runs a command, or to an input that is declared secret")
    return false
  }

  private mutating func checkDeclared(_ name: String, at location: TextSpan) -> Bool {
    let names = workflow.secrets.map(\.name)
    if names.contains(where: { $0.lowercased() == name.lowercased() }) { return true }
    let isIncluded = (catalog as? IncludeCatalog).map { $0.stack.count > 1 } ?? false
    report(
      .undeclaredSecret, "the workflow declares no secret '\(name)'", at: location,
      correction: correction(name, among: names),
      otherwise: isIncluded
        ? "an included file gets its secrets as inputs: inputs: { \(name): { type: string, secret: true } }"
        : "declare it: secrets: { \(name): { env: \(name.uppercased()) } }")
    return false
  }

  private func secretHelp(_ site: ExpressionSite, _ words: String, _ name: String) -> String {
    let variable = String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    if let step = site.step, site.kind == .with, actions.declaration(ofStep: step)?.shellTextInput != nil {
      return "pass it as a variable: env: { \(variable): \"${{ \(words) }}\" }, and \"$\(variable)\" in the "
        + "command; the arguments of a program are visible to other users"
    }
    return "a secret is allowed in 'env' of a step that runs a program, and in inputs declared secret"
  }
}
