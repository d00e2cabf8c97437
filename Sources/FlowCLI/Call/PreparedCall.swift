import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// A workflow that calls one action. If the action requires handles, steps that provide them run first, with default
/// inputs.
struct PreparedCall {
  /// The workflow: first the steps that provide handles, then the call.
  let graph: WorkflowGraph
  /// The installed actions, and an additional action that stands for the call.
  let registry: ActionRegistry

  private static let step = StepID(unchecked: "call")
  private static let outputs = "outputs"

  /// Prepares a call with these inputs. If `inputs` is nil, the action is called for each line of standard input.
  /// Throws a usage error if the inputs are invalid or no installed action provides a required handle.
  init(_ target: RegisteredAction, inputs: ValueObject?, registry: ActionRegistry) throws(UsageProblem) {
    let declaration = target.declaration
    var steps: [Step] = []
    var needs: [HandleKey: StepIndex] = [:]
    try Self.addProviders(of: declaration, to: &steps, &needs, registry, path: [declaration.name])
    var stand = declaration
    stand.name = "call.action"
    stand.inputs = []
    stand.outputsFromInput = nil
    stand.outputFieldsFromInput = nil
    var with = ValueObject()
    if let event = declaration.eventFromInput, let name = inputs?[event] {
      // The engine allows a step to post an event only if an input names it.
      stand.inputs = declaration.inputs.filter { $0.name == event }
      with[event] = name
    }
    let body: RegisteredAction.Body
    var bodyInParts: BodyInParts?
    if let inputs {
      let bound = try Self.checked(inputs, declaration, target)
      body = CallBody.once(target.body, bound, declaration.inputs)
      bodyInParts = target.bodyInParts.map { CallBody.once($0, bound, declaration.inputs) }
    } else {
      body = CallBody.forEachLine(target.body, declaration.inputs)
    }
    var copy = registry
    do {
      try copy.register(
        name: "call", origin: "flowrun call",
        actions: [RegisteredAction(declaration: stand, body: body, bodyInParts: bodyInParts)])
    } catch {
      throw UsageProblem("\(error)")
    }
    self.registry = copy
    steps.append(
      Step(id: Self.step, uses: stand.name, with: with, needs: (0..<StepIndex(steps.count)).map { $0 }[...]))
    var workflow = Workflow(name: "call", steps: steps)
    workflow.outputs = [Self.outputs: "${{ steps.call.outputs }}"]
    do throws(WorkflowGraph.Cycle) {
      graph = try WorkflowGraph(workflow)
    } catch {
      preconditionFailure("each step needs only earlier ones")
    }
  }

  // MARK: Providers

  private static func addProviders(
    of declaration: ActionDeclaration, to steps: inout [Step], _ provided: inout [HandleKey: StepIndex],
    _ registry: ActionRegistry, path: [String]
  ) throws(UsageProblem) {
    for key in declaration.requires where provided[key] == nil && !registry.handles.contains(where: { $0.key == key }) {
      let candidates = registry.declarations.filter { $0.provides.contains(key) && !path.contains($0.name) }
      // Among several actions that provide the handle, one of the same plugin is preferred.
      guard
        let provider = candidates.first(where: { $0.pluginName == declaration.pluginName }) ?? candidates.first
      else {
        throw UsageProblem("'\(declaration.name)' requires the handle '\(key)', which no installed action provides")
      }
      if let missing = provider.inputs.first(where: { $0.isRequired && $0.defaultValue == nil }) {
        throw UsageProblem(
          "'\(declaration.name)' requires the handle '\(key)' of '\(provider.name)', which cannot be called with "
            + "defaults alone: its input '\(missing.name)' has none; run both in a workflow")
      }
      try addProviders(of: provider, to: &steps, &provided, registry, path: path + [provider.name])
      let index = StepIndex(steps.count)
      steps.append(
        Step(id: StepID(unchecked: "provider-\(index + 1)"), uses: provider.name, needs: (0..<index).map { $0 }[...]))
      for key in provider.provides { provided[key] = index }
    }
  }

  // MARK: Inputs

  /// Checks the inputs and makes paths in them absolute. Relative paths start at the working folder.
  private static func checked(
    _ inputs: ValueObject, _ declaration: ActionDeclaration, _ target: RegisteredAction
  ) throws(UsageProblem) -> ValueObject {
    let names = declaration.inputs.map(\.name)
    for key in inputs.keys where !names.contains(key) {
      let nearest = NearestName.question(key, among: names)
      let known = names.isEmpty ? "it takes none" : "it takes \(names.joined(separator: ", "))"
      throw UsageProblem("'\(declaration.name)' has no input '\(key)'; \(nearest ?? known)")
    }
    let here = FilePath.absolute(".")
    let absolute = InputBinding.absolutePaths(
      in: inputs, of: declaration.inputs, dataFolder: here, workflowFolder: here)
    for field in declaration.inputs {
      guard let value = absolute[field.name], !value.isNull || field.isRequired else {
        guard field.isRequired, field.defaultValue == nil else { continue }
        throw UsageProblem(
          "'\(declaration.name)' needs the input '\(field.name)' (\(field.type.name)): give it with "
            + "--with '{\"\(field.name)\": …}'")
      }
      if let mismatch = field.type.mismatch(of: value, at: field.name) {
        throw UsageProblem("--with: \(mismatch.description)" + (mismatch.help.map { "; \($0)" } ?? ""))
      }
    }
    if let problem = target.check(LiteralInput(absolute)).first(where: { !$0.isWarning }) {
      throw UsageProblem("--with: '\(problem.keyPath)': \(problem.message)" + (problem.help.map { "; \($0)" } ?? ""))
    }
    return absolute
  }

  // MARK: Answer

  struct Answer {
    /// The answer as JSON: `{"outputs":…}` or `{"error":…}`.
    var value: Value
    var isError: Bool
    /// The reason why a step that should provide a handle failed, so that the action was not called. Nil if it was
    /// called.
    var providerFailure: String?
  }

  func answer(_ report: RunReport) -> Answer {
    guard let failed = report.steps.first(where: { $0.outcome != .success }) else {
      return Answer(value: ["outputs": report.outputs[Self.outputs] ?? [:]], isError: false)
    }
    let code = failed.failure?.code ?? failed.outcome.word
    var message = failed.failure?.message ?? "the call ended \(failed.outcome.word)"
    var providerFailure: String?
    if failed.id != Self.step, let provider = graph.workflow.steps.first(where: { $0.id == failed.id }) {
      message = "'\(provider.uses)', which provides what the action requires, failed: \(message)"
      providerFailure = message
    }
    return Answer(value: CallAnswer.problem(code, message), isError: true, providerFailure: providerFailure)
  }
}
