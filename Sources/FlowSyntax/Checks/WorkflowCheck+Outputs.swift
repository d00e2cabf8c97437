import FlowExpressions
import FlowModel

/// Determines the types of a workflow's outputs.
extension WorkflowCheck {
  /// Returns the outputs of the workflow. The type of an output is `any` if it is not known.
  func outputFields() -> [FieldDeclaration] {
    guard let node = locations.value(.outputs) else { return [] }
    let site = ExpressionSite(kind: .outputs, step: nil, node: node)
    return workflow.outputs.map { FieldDeclaration($0.key, outputType($0.value, site) ?? .any, isRequired: false) }
  }

  private func outputType(_ value: Value, _ site: ExpressionSite) -> ValueType? {
    guard case .string(let text) = value, Template.containsExpression(text) else { return Self.type(of: value) }
    guard let template = try? workflow.texts.template(text) else { return nil }
    guard template.isSingleExpression else { return .string }
    let types = template.expressions[0].expression.possibleResults { self.type(of: $0, site) }
      .map { result -> ValueType? in
        switch result {
        case .type(let type): type
        case .value(let value): Self.type(of: value)
        }
      }
    guard let first = types.first, types.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}
