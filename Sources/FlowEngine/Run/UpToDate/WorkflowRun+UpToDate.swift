import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowSystem

// Steps that are skipped where what they read and make is as they left it.
extension WorkflowRun {
  /// Adds to what a step runs on how to tell whether it need not run.
  func withCheck(_ inputs: StartInputs?, of step: StepIndex, _ state: RunState) -> StartInputs? {
    let workflow = prepared.graph.workflow
    let options = workflow.steps[Int(step)].options
    guard !options.inputsFrom.isEmpty || !options.produces.isEmpty, inputs?.problem == nil else { return inputs }
    let id = workflow.steps[Int(step)].id
    var values = SHA256()
    values.combine(JSONText.bytes(of: .object(inputs?.values ?? [:])))
    values.combine(JSONText.bytes(of: .object(stated(by: step, state))))
    for need in workflow.steps[Int(step)].needs {
      values.combine(Array(workflow.steps[Int(need)].id.text.utf8) + [0])
      values.combine(JSONText.bytes(of: .object(state.outputs[need] ?? [:])))
    }
    let check = UpToDateCheck(
      id, definition: Self.definition(of: workflow.steps[Int(step)]), values: values.finish(), options: options,
      dataFolder: run.dataFolder, folder: workflowFolder(of: step),
      isForced: self.options.forcedSteps.contains(id.text) || self.options.forcedSteps.contains("*"), mask: mask)
    return StartInputs(inputs?.values ?? ValueObject(), check: check)
  }

  /// A digest of what decides what a step does, and of what it declares to read and to make.
  private static func definition(of step: Step) -> String {
    var digest = SHA256()
    let options = step.options
    let parts: Value = [
      .string(step.uses), .object(step.with), .object(options.environment), .string(options.condition ?? ""),
      .array(options.inputsFrom.map { .string($0) }), .array(options.produces.map { .string($0) }),
    ]
    digest.combine(JSONText.bytes(of: parts))
    return digest.finish()
  }

  /// The variables that workflow and step state for a step, evaluated.
  private func stated(by step: StepIndex, _ state: RunState) -> ValueObject {
    var values = scope(step, state).environment
    if let own = prepared.detail(of: step)?.environment, let stated = try? own.evaluate(in: scope(step, state)) {
      for (name, value) in stated { values[name] = value }
    }
    return values
  }

  /// Notes the success of a step whose try is awaited still, and which does not fail for what it gave.
  func noteSuccess(_ start: Start, _ outputs: ValueObject) {
    guard let check = start.inputs?.check, !cancellations.isCancelled(start.step, attempt: Int(start.attempt)),
      refusal(of: outputs, start) == nil
    else { return }
    if let problem = check.noteSuccess(outputs) { warn(problem) }
  }
}

/// What the next run of a workflow would do with a step.
public struct StepExplanation: Sendable {
  /// The step.
  public var step: StepID
  /// Whether it would be skipped as up to date.
  public var isUpToDate: Bool
  /// Why it would run, or might.
  public var reason: String
}

extension Engine {
  /// What a run would do with each step, and why; nothing runs.
  public func explain(
    _ prepared: PreparedWorkflow, options: RunOptions
  ) throws(PreparedWorkflow.Problem) -> [StepExplanation] {
    var options = options
    options.history = nil
    options.observer = nil
    let run = WorkflowRun(prepared, options: options, runID: RunInformation.newID())
    try run.resolveEnvironment()
    return run.explanations()
  }
}

extension WorkflowRun {
  /// What is known of each step before anything has run, in file order.
  func explanations() -> [StepExplanation] {
    let steps = prepared.graph.workflow.steps
    var fates: [StepIndex: StepExplanation] = [:]
    state.withLock { state in
      for step in prepared.graph.topologicalOrder {
        let id = steps[Int(step)].id
        let options = steps[Int(step)].options
        func runs(_ reason: String) {
          fates[step] = StepExplanation(step: id, isUpToDate: false, reason: reason)
        }
        guard !options.inputsFrom.isEmpty || !options.produces.isEmpty else {
          runs("it does not say what it reads and makes")
          continue
        }
        if let need = steps[Int(step)].needs.first(where: { fates[$0]?.isUpToDate == false }) {
          runs("it needs '\(steps[Int(need)].id)', which runs and may give something else")
          continue
        }
        guard let check = inputs(of: step, &state)?.check else {
          runs("its inputs cannot be worked out")
          continue
        }
        switch check.result() {
        case .success(let outputs):
          state.outputs[step] = outputs
          fates[step] = StepExplanation(step: id, isUpToDate: true, reason: "nothing has changed since it succeeded")
        case .failure(let mismatch): runs(mismatch.reason.text)
        }
      }
    }
    return steps.indices.compactMap { fates[StepIndex($0)] }
  }
}
