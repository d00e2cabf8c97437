import FlowCLI
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowInsight
import FlowModel
import FlowPluginKit

/// A workflow prepared for a forecast, with the launch and the assumptions given on the command line.
package struct ForecastScene: Sendable {
  let workflow: Workflow
  let registry: ActionRegistry
  let inputs: ValueObject
  let launch: Launch
  let outputs: [StepIndex: ValueObject]
  /// The cpus, memory and gpus for all steps together, or nil for those of this machine.
  var capacity: MachineResources?

  package init(
    workflow: Workflow, registry: ActionRegistry, inputs: ValueObject, launch: Launch,
    outputs: [StepIndex: ValueObject], capacity: MachineResources? = nil
  ) {
    self.workflow = workflow
    self.registry = registry
    self.inputs = inputs
    self.launch = launch
    self.outputs = outputs
    self.capacity = capacity
  }

  /// Returns the changed workflow, ready for simulation. Throws an ``InvalidWorkflow`` if it cannot run.
  package func stage(_ changes: WorkflowChanges) throws(InvalidWorkflow) -> RunStage {
    do throws(PreparedWorkflow.PreparationProblem) {
      return try make(changes)
    } catch {
      throw InvalidWorkflow(
        description: "flowrun: \(TerminalText.visibleLines(error.description, keepsColors: false))\n")
    }
  }

  private func make(_ changes: WorkflowChanges) throws(PreparedWorkflow.PreparationProblem) -> RunStage {
    // The changes add no dependencies, so they cannot add a cycle.
    guard let graph = try? WorkflowGraph(changes.applied(to: workflow)) else {
      preconditionFailure("a workflow without a cycle has got one")
    }
    return try RunStage(
      try PreparedWorkflow(graph, registry: registry), inputs: inputs, launch: launch, outputs: outputs,
      capacity: capacity)
  }

  /// Returns the workflow with the given changes and a suggested one, ready for simulation. Returns nil if it cannot
  /// run.
  func tried(_ change: Suggestion.Change, _ step: StepIndex, beside changes: WorkflowChanges) -> RunStage? {
    try? make(changes.adding(change, of: step))
  }

  /// Returns the runs that are comparable with this launch: those that ended, were not resumed or prewarmed, and have
  /// the same launch reason or none.
  package static func fitting(_ runs: [ReportedRun], _ launch: Launch) -> [ReportedRun] {
    runs.filter { run in
      run.hasEnded && !run.isResumed && !run.isPrewarmed
        && (run.launchReason ?? launch.reason.rawValue) == launch.reason.rawValue
    }
  }

  /// Extracts the data that a forecast uses from the runs comparable with this launch.
  package static func recorded(
    _ runs: [ReportedRun], of workflow: Workflow, _ registry: ActionRegistry, _ launch: Launch
  ) -> [RecordedRun] {
    let scene = ForecastScene(
      workflow: workflow, registry: registry, inputs: [:], launch: launch, outputs: [:], capacity: .unlimited)
    let stage = try? scene.stage(WorkflowChanges())
    return runs.map { RecordedRun($0, of: workflow) { stage?.postedEvents(of: $0) ?? [] } }
  }
}
