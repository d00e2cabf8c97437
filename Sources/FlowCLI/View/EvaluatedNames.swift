import FlowExpressions
import FlowModel

/// Evaluates `${{ inputs… }}` in the `name`s of steps.
///
/// Names are shown before anything runs. If the name of a step in an included file depends on the result of an earlier
/// step, the step's id is shown instead.
struct EvaluatedNames {
  private let workflow: Workflow
  /// The known inputs: first those of the main workflow, then those of each scope.
  private var inputs: [ValueObject]

  /// Returns the graph for a run with these inputs. Names that contain expressions are evaluated.
  static func graph(_ graph: WorkflowGraph, inputs: ValueObject) -> WorkflowGraph {
    let workflow = graph.workflow
    let named = workflow.steps.indices.filter { index in
      workflow.steps[index].hasOptions && workflow.steps[index].options.name.map(Template.containsExpression) == true
    }
    guard !named.isEmpty else { return graph }
    let names = EvaluatedNames(workflow, inputs)
    var evaluated = workflow
    for index in named { evaluated.steps[index].options.name = names.name(of: StepIndex(index)) }
    // The steps and dependencies are the same, so this cannot fail.
    return (try? WorkflowGraph(evaluated)) ?? graph
  }

  private init(_ workflow: Workflow, _ own: ValueObject) {
    self.workflow = workflow
    inputs = [own]
    for scope in workflow.scopes {
      let entry = workflow.steps[Int(scope.entry)]
      let outer = inputs[scopeNumber(of: scope.entry)]
      var known = ValueObject()
      for field in workflow.includes[entry.uses]?.inputs ?? [] {
        let given = entry.with[field.name] ?? .null
        guard let value = given.containsExpression ? self.value(given, outer) : given else { continue }
        known[field.name] = value.isNull ? field.defaultValue ?? .null : value
      }
      inputs.append(known)
    }
  }

  /// Returns the index in ``inputs`` for the file that contains a step. The exit of an included file belongs to the
  /// including file.
  private func scopeNumber(of step: StepIndex) -> Int {
    guard let number = workflow.scope(of: step) else { return 0 }
    let scope = workflow.scopes[number]
    return scope.exit == step ? scopeNumber(of: scope.entry) : number + 1
  }

  private func name(of step: StepIndex) -> String? {
    guard let name = workflow.steps[Int(step)].options.name,
      let value = self.value(.string(name), inputs[scopeNumber(of: step)])
    else { return nil }
    return value.isNull ? "" : value.stringValue ?? JSONText.write(value)
  }

  /// Evaluates an expression if it uses only known inputs. Otherwise returns nil.
  private func value(_ value: Value, _ inputs: ValueObject) -> Value? {
    guard let text = value.stringValue, let template = try? workflow.texts.template(text) else { return nil }
    for reference in template.expressions.flatMap(\.expression.references) {
      guard reference.name.lowercased() == "inputs", let input = reference.path.first?.lowercased(),
        inputs.contains(where: { $0.key.lowercased() == input })
      else { return nil }
    }
    return try? template.evaluate(in: FixedContext(["inputs": .object(inputs)]))
  }
}
