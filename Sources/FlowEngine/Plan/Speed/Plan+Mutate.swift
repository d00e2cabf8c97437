import FlowModel

// The interface between the rules and the fast paths: rules change the plan inside `mutate`, and this file alone
// decides when fast paths end and tables are copied.
extension Plan {
  /// Changes the plan. While `change` runs, no other plan shares its tables.
  ///
  /// - Parameter endsFastPaths: False only for changes that cannot affect a fast path, such as starting the next step.
  @inline(__always)
  mutating func mutate<Result>(endsFastPaths: Bool = true, _ change: (inout Plan) -> Result) -> Result {
    if tables.makeUnique() || endsFastPaths { endFastPath() }
    return change(&self)
  }

  mutating func interruptFastPaths() { endFastPath() }

  /// Appends a step to the list of finished steps. It must be called before the step is counted as finished.
  @inline(__always)
  mutating func noteInOrder(_ step: StepIndex) { tables.orderEnd[-counts.unsettled] = step }

  /// Replaces the queues. The new queues have no ready steps.
  mutating func setQueues(_ new: [PlanQueue]) { tables.setQueues(new) }
}
