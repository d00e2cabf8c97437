import FlowModel

/// Hypothetical changes to a workflow, whose effects a forecast tests.
package struct WorkflowChanges: Sendable {
  /// The steps that start only after the gate has opened.
  package var deferred: Set<StepIndex> = []
  /// The steps that are disabled.
  package var dropped: Set<StepIndex> = []
  /// The maximum number of steps that run at the same time, in addition to the workflow's own limit, or nil for no
  /// other limit.
  package var threads: Int?

  package init() {}

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
