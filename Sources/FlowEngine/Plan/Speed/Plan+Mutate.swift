import FlowModel

// The interface between the rules and the fast paths: rules change the plan inside `mutate`, and this file alone
// decides when fast paths end and tables are copied.
extension Plan {
  /// Changes the plan. While `change` runs, no other plan shares its tables.
  ///
  /// - Parameter endsFastPaths: False only for changes that cannot affect a fast path, such as starting the next step.
  @inline(__always)
  mutating func mutate<Result>(endsFastPaths: Bool = true, _ change: (inout Plan) -> Result) -> Result {
    if makeUnique() || endsFastPaths { endFastPath() }
    return change(&self)
  }

  /// Copies the tables if another plan shares them. Returns true if it has copied them, so that earlier pointers are
  /// invalid.
  @inline(__always)
  mutating func makeUnique() -> Bool {
    guard tables.makeUnique() else { return false }
    updatePointers()
    return true
  }

  private mutating func updatePointers() {
    (states, traits, queues) = (tables.states, tables.traits, tables.queues)
  }

  mutating func interruptFastPaths() { endFastPath() }

  /// Appends a step to the list of finished steps. It must be called before the step is counted as finished.
  @inline(__always)
  mutating func noteInOrder(_ step: StepIndex) { tables.orderEnd[-counts.unsettled] = step }

  /// Replaces the queues. The new queues have no ready steps.
  mutating func setQueues(_ new: [PlanQueue]) {
    tables.setQueues(new)
    updatePointers()
  }
}
