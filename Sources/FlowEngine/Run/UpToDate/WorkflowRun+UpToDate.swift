import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowPlatform

// Steps that are skipped where what they read and make is as they left it.
extension WorkflowRun {
  /// Adds to what a step, or an item of one, runs on how to tell whether it need not run.
  func withCheck(_ inputs: StartInputs?, of instance: StepIndex, _ state: RunState) -> StartInputs? {
    if inputs?.problem != nil { return inputs }
    let values = inputs?.values ?? ValueObject()
    if let (owner, item) = instances.item(of: instance) {
      return state.fanOuts[owner]?.checks?.check(item).map { StartInputs(values, check: $0) } ?? inputs
    }
    let workflow = prepared.graph.workflow
    let own = workflow.steps[Int(instance)]
    guard let files = prepared.detail(of: instance)?.files else { return inputs }
    let (reads, makes): ([String], [String])
    do throws(StepFailure) {
      (reads, makes) = try files.evaluate(in: scope(instance, state))
    } catch {
      return StartInputs(values, problem: hidden(error))
    }
    let needs = own.needs.map { need in
      (id: workflow.steps[Int(need)].id, outputs: state.outputs[need] ?? [:])
    }
    let basis = UpToDateCheck.Basis(
      step: own, folder: workflow.scope(of: instance).map { workflow.scopes[$0].folder } ?? "", inputs: values,
      variables: stated(by: instance, state), needs: needs, patterns: files.hasExpressions ? reads + [""] + makes : [])
    let check = UpToDateCheck(
      own.id.text, .basis(basis),
      StepFiles(reads: reads, makes: makes, folder: workflowFolder(of: instance)),
      at: .step(idInAll(of: instance), dataFolder: run.dataFolder), isForced: isForced(own), mask: mask)
    return StartInputs(values, check: check)
  }

  /// Whether a step runs though it is up to date.
  func isForced(_ step: Step) -> Bool { !options.forcedSteps.isDisjoint(with: [step.id.text, "*"]) }

  /// What distinguishes a step from all others that note something in the data folder: `each[1]/convert` in the workflow of an
  /// item.
  func idInAll(of step: StepIndex) -> StepID {
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
