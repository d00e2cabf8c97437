import FlowExpressions
import FlowModel
import FlowPluginKit

/// What the next run of a workflow would do with a step.
public struct StepExplanation: Sendable {
  /// What becomes of it.
  public enum Fate: String, Sendable {
    case upToDate = "up to date"
    case skipped
    case runs
  }

  /// The step.
  public var step: StepID
  /// What would become of it.
  public var fate: Fate
  /// Why, or why it might.
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
    return try run.explanations()
  }
}

extension WorkflowRun {
  /// What is known of each step before anything has run, in file order.
  func explanations() throws(PreparedWorkflow.Problem) -> [StepExplanation] {
    let steps = prepared.graph.workflow.steps
    var fates: [StepIndex: StepExplanation] = [:]
    let scope = state.withLock { state in self.scope(nil, state, launch: options.launch) }
    let disabled = try prepared.resolution(in: scope).disabled
    for step in prepared.graph.topologicalOrder {
      let id = steps[Int(step)].id
      let (fate, reason) =
        disabled.contains(step)
        ? (.skipped, "'enabled' is false") : self.fate(of: step, steps[Int(step)], fates)
      fates[step] = StepExplanation(step: id, fate: fate, reason: reason)
    }
    return steps.indices.compactMap { fates[StepIndex($0)] }
  }

  private func fate(
    of step: StepIndex, _ own: Step, _ fates: [StepIndex: StepExplanation]
  ) -> (fate: StepExplanation.Fate, reason: String) {
    var doubt = ""
    if own.hasOptions, own.options.condition != nil {
      switch prepared.condition(of: step).flatMap({ knownDecision($0, of: step) }) {
      case .skip: return (.skipped, "its 'if' does not hold")
      case .fail(let failure): return (.runs, "it fails: \(failure.message)")
      case .run: break
      case nil: doubt = ", where its 'if' holds"
      }
    }
    guard own.hasOptions, !own.options.inputsFrom.isEmpty || !own.options.produces.isEmpty else {
      return (.runs, "it does not say what it reads and makes" + doubt)
    }
    if let need = own.needs.first(where: { fates[$0]?.fate == .runs }) {
      let id = prepared.graph.workflow.steps[Int(need)].id
      return (.runs, "it needs '\(id)', which runs and may give something else" + doubt)
    }
    guard let check = state.withLock({ state in inputs(of: step, &state)?.check }) else {
      return (.runs, "its inputs cannot be worked out")
    }
    switch check.result() {
    case .upToDate(let outputs):
      state.withLock { $0.outputs[step] = outputs }
      return (.upToDate, "nothing has changed since it succeeded")
    case .runs(let reason): return (.runs, reason.text + doubt)
    case .fails(let failure): return (.runs, "it fails: \(failure.message)")
    }
  }

  /// What an `if` says that asks neither how steps ended nor what they gave; nil: that only a run can tell.
  private func knownDecision(_ condition: Expression, of step: StepIndex) -> Decision? {
    let asked = Set(condition.references.map { $0.name.lowercased() })
    guard condition.statusFunctionSet.isEmpty, asked.isDisjoint(with: ["steps", "gate", "launch", "run"]) else {
      return nil
    }
    let scope = state.withLock { state in self.scope(step, state) }
    do throws(ExpressionError) {
      return try condition.isTrue(in: scope) ? .run : .skip
    } catch {
      return .fail(StepFailure(code: "expression", message: "if: \(error.description)"))
    }
  }
}
