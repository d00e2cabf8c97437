import FlowExpressions
import FlowModel

// A fan-out has an array for each of its outputs, even if no item returned that output: the arrays of an empty list are
// empty, and skipped items have null. Most actions declare their outputs. For commands and `flow.set`, the step names
// them.
extension PreparedWorkflow {
  /// Returns the names of the outputs that a step always has, even if no item returns them.
  func outputNames(of step: StepIndex) -> [String] {
    let declaration = action(of: step).declaration
    let with = graph.workflow.steps[Int(step)].with
    let names = declaration.outputs(declaredBy: with).map(\.name)
    guard let input = declaration.outputsFromInput else { return names }
    guard case .object(let members)? = with[input] else {
      return names + outputsRead(of: step)
    }
    return names + members.map(\.key)
  }

  /// Returns the outputs of a step that expressions read. If an expression computes the names of the outputs, only the
  /// outputs returned here are known.
  private func outputsRead(of step: StepIndex) -> [String] {
    let id = graph.workflow.steps[Int(step)].id.text.split(separator: "/").last.map { $0.lowercased() }
    var names: [String] = []
    for reference in graph.workflow.references
    where reference.name.lowercased() == "steps" && reference.path.count > 2
      && reference.path[0].lowercased() == id && reference.path[1].lowercased() == "outputs"
    {
      names.append(reference.path[2])
    }
    return names
  }
}

extension Workflow {
  /// The references in the expressions of all steps and of the workflow's outputs.
  fileprivate var references: [ContextReference] {
    let texts = texts
    var references = Self.references(in: .object(outputs), texts)
    for step in steps {
      references += Self.references(in: .object(step.with), texts)
      guard step.hasOptions else { continue }
      references += Self.references(in: .object(step.options.environment), texts)
      if let condition = step.options.condition.flatMap({ try? texts.condition($0) }) {
        references += condition.expression.references
      }
      references += step.options.fanOut?.references(texts) ?? []
    }
    return references
  }

  fileprivate static func references(in value: Value, _ texts: WorkflowTexts) -> [ContextReference] {
    switch value {
    case .string(let text):
      guard Template.containsExpression(text), let template = try? texts.template(text) else { return [] }
      return template.expressions.flatMap(\.expression.references)
    case .array(let values): return values.flatMap { references(in: $0, texts) }
    case .object(let members): return members.flatMap { references(in: $0.value, texts) }
    default: return []
    }
  }
}

extension FanOut {
  /// Returns the references in the expressions that determine the items.
  func references(_ texts: WorkflowTexts) -> [ContextReference] {
    switch source {
    case .items(let items): Workflow.references(in: items, texts)
    case .axes(let axes, let exclude, let include):
      Workflow.references(in: .array([.object(axes)] + exclude + include), texts)
    case .files(let patterns): Workflow.references(in: .array(patterns.map { .string($0) }), texts)
    case .posts: []
    }
  }
}
