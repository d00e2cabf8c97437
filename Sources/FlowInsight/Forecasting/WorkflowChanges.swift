import FlowModel

/// Changes to a workflow that a forecast tries.
package struct WorkflowChanges: Sendable {
  /// Steps that wait for the gate.
  package var deferred: Set<StepIndex> = []
  /// Steps that are left out.
  package var dropped: Set<StepIndex> = []
  /// The number of steps that may run at once; nil: as the workflow says.
  package var threads: Int?

  /// No change.
  package init() {}

  /// The workflow with the changes.
  package func applied(to workflow: Workflow) -> Workflow {
    var workflow = workflow
    for step in dropped { workflow.steps[Int(step)].options.enabled = .literal(false) }
    for step in deferred { workflow.steps[Int(step)].options.deferral = .afterGate }
    if let threads { workflow.concurrency = min(workflow.concurrency ?? threads, threads) }
    return workflow
  }

  /// The same and one more.
  package func adding(_ change: Suggestion.Change, of step: StepIndex) -> WorkflowChanges {
    var changes = self
    switch change {
    case .faster: break
    case .defer: changes.deferred.insert(step)
    case .drop: changes.dropped.insert(step)
    }
    return changes
  }
}
