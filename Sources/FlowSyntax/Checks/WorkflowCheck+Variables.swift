import FlowDiagnostics
import FlowExpressions
import FlowModel

/// A variable that an expression reads as `env.NAME`, although the workflow does not set it.
package struct VariableRead: Sendable, Hashable {
  package let name: String
  package let span: TextSpan
  /// True if the expression has a fallback value, as in `env.NAME || 'x'`.
  package let hasFallback: Bool
}

extension WorkflowCheck {
  /// Records the read of a variable if the workflow does not set it, so that it must come from the environment. Reports
  /// a variable from which a secret comes, because expressions cannot read it.
  mutating func checkVariable(_ reference: ContextReference, _ site: ExpressionSite, at location: TextSpan) {
    guard let name = reference.path.first else { return }
    // In `env`, an expression reads the variable from the enclosing level.
    let isNamed = { (key: String) in key == name || key.lowercased() == name.lowercased() }
    if let step = site.step, site.kind != .environment {
      if let member = workflow.steps[step].options.environment.first(where: { isNamed($0.key) }) {
        return checkSecretVariable(member.value, name, site, at: location)
      }
    }
    if site.kind != .workflowEnvironment, workflow.environment.contains(where: { isNamed($0.key) }) { return }
    if workflow.secretVariables.contains(name) {
      let secret = workflow.secrets.first { $0.source == .environment(name) }
      if reference.hasFallback { return }
      return report(
        .unknownVariable, "'env.\(name)' is null, because a secret comes from this variable", at: location,
        help: secret.map { "read secrets.\($0.name)" })
    }
    variableReads.append(VariableRead(name: name, span: location, hasFallback: reference.hasFallback))
  }

  /// Reports a variable that contains a secret if it is read where secrets may not be read.
  private mutating func checkSecretVariable(
    _ value: Value, _ name: String, _ site: ExpressionSite, at location: TextSpan
  ) {
    guard !site.takesSecrets, let text = value.stringValue, let template = try? workflow.texts.template(text),
      template.expressions.contains(where: { $0.expression.references.contains(where: isSecret) })
    else { return }
    report(
      .secretExposed, "'env.\(name)' holds a secret and would be exposed in '\(site.name)'", at: location,
      help: "read the variable in the command: \"$\(name)\"")
  }
}
