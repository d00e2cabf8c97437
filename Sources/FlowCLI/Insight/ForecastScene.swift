import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowInsight
import FlowModel
import FlowPluginKit

/// A workflow as a forecast plays it: with the run and the changes that the command line asks for.
struct ForecastScene: Sendable {
  let workflow: Workflow
  let registry: ActionRegistry
  let inputs: ValueObject
  let launch: Launch
  let outputs: [StepIndex: ValueObject]
  /// What steps with `resources` may take at once; nil: what this machine has.
  var capacity: MachineResources?

  /// The stage of the workflow with changes; throws an ``InvalidWorkflow`` where what remains cannot run.
  func stage(_ changes: WorkflowChanges) throws(InvalidWorkflow) -> RunStage {
    do throws(PreparedWorkflow.PreparationProblem) {
      return try make(changes)
    } catch {
      throw InvalidWorkflow(
        description: "flowrun: \(TerminalText.visibleLines(error.description, keepsColors: false))\n")
    }
  }

  private func make(_ changes: WorkflowChanges) throws(PreparedWorkflow.PreparationProblem) -> RunStage {
    // Neither of the changes adds an edge.
    guard let graph = try? WorkflowGraph(changes.applied(to: workflow)) else {
      preconditionFailure("a workflow without a cycle has got one")
    }
    return try RunStage(
      try PreparedWorkflow(graph, registry: registry), inputs: inputs, launch: launch, outputs: outputs,
      capacity: capacity)
  }

  /// The workflow with the change of a suggestion; nil if the rest could not run.
  func tried(_ change: Suggestion.Change, _ step: StepIndex, beside changes: WorkflowChanges) -> RunStage? {
    try? make(changes.adding(change, of: step))
  }

  /// The runs that a forecast of this launch can learn from: they ended in one process, were launched for the same
  /// reason, and were not prewarmed.
  static func fitting(_ runs: [ReportedRun], _ launch: Launch) -> [ReportedRun] {
    runs.filter { run in
      run.hasEnded && !run.isResumed && !run.isPrewarmed
        && (run.launchReason ?? launch.reason.rawValue) == launch.reason.rawValue
    }
  }

  /// What a forecast learns from runs that fit.
  static func recorded(
    _ runs: [ReportedRun], of workflow: Workflow, _ registry: ActionRegistry, _ launch: Launch
  ) -> [RecordedRun] {
    let scene = ForecastScene(
      workflow: workflow, registry: registry, inputs: [:], launch: launch, outputs: [:], capacity: .unlimited)
    let stage = try? scene.stage(WorkflowChanges())
    return runs.map { RecordedRun($0, of: workflow) { stage?.postedEvents(of: $0) ?? [] } }
  }
}
