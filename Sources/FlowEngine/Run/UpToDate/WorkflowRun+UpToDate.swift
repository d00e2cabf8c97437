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
    let own = workflow.steps[Int(step)]
    let needs = own.needs.map { need in
      (id: workflow.steps[Int(need)].id, outputs: state.outputs[need] ?? [:])
    }
    let check = UpToDateCheck(
      UpToDateCheck.Basis(
        step: own, folder: workflow.scope(of: step).map { workflow.scopes[$0].folder } ?? "",
        inputs: inputs?.values ?? [:], variables: stated(by: step, state), needs: needs),
      id: idInAll(of: step), dataFolder: run.dataFolder, folder: workflowFolder(of: step),
      isForced: self.options.forcedSteps.contains(own.id.text) || self.options.forcedSteps.contains("*"), mask: mask)
    return StartInputs(inputs?.values ?? ValueObject(), check: check)
  }

  /// What tells a step from all others that note something in the data folder: `each[1]/convert` in the workflow of an item.
  private func idInAll(of step: StepIndex) -> StepID {
    guard let outer = options.outer else { return stepID(of: step) }
    return StepID(unchecked: "\(outer.run.idInAll(of: outer.instance))/\(stepID(of: step))")
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
