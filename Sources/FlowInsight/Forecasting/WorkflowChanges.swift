import FlowModel

/// Changes that a forecast makes to a workflow.
package struct WorkflowChanges: Sendable {
  /// Steps that are deferred until after the gate.
  package var deferred: Set<StepIndex> = []
  /// Steps that are removed.
  package var dropped: Set<StepIndex> = []
  /// The number of steps that may run at once, or nil to keep the workflow's value.
  package var threads: Int?

  /// Creates a value without changes.
  package init() {}

  /// Returns the workflow with the changes.
  package func applied(to workflow: Workflow) -> Workflow {
    var workflow = workflow
    for step in dropped { workflow.steps[Int(step)].options.enabled = .literal(false) }
    for step in deferred { workflow.steps[Int(step)].options.deferral = .afterGate }
    if let threads { workflow.concurrency = min(workflow.concurrency ?? threads, threads) }
    return workflow
  }

  /// Returns these changes with another one added.
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
