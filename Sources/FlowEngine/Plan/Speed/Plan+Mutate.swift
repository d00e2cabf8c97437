import FlowModel

// The interface between the rules and the fast paths: rules change the plan inside `mutate`. Only this file decides
// when fast paths end and when the tables are copied.
extension Plan {
  /// Changes the plan. The tables are the plan's own while `change` runs.
  /// Changes the plan. Its tables are unshared while `change` runs.
  ///
  /// - Parameter endsFastPaths: True if the change must end fast paths. The choice of the next step and reports to
  ///   observers need not.
  @inline(__always)
  mutating func mutate<Result>(endsFastPaths: Bool = true, _ change: (inout Plan) -> Result) -> Result {
    if tables.makeUnique() || endsFastPaths { endFastPath() }
    return change(&self)
  }

  /// Ends fast paths because of a change outside the plan.
  mutating func interruptFastPaths() { endFastPath() }

  /// Records the step in the order of finished steps, before it is counted as finished.
  @inline(__always)
  mutating func noteInOrder(_ step: StepIndex) { tables.orderEnd[-counts.unsettled] = step }

  /// Replaces the queues. No step of the new queues is ready.
  mutating func setQueues(_ new: [PlanQueue]) { tables.setQueues(new) }
}
