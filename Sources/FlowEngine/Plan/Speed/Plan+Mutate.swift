import FlowModel

// What the rules know of the plan's speed: they change the plan inside `mutate`, and say what they note by name. Where
// fast paths end, and when the tables are copied, is decided here alone.
extension Plan {
  /// Changes the plan. The tables are the plan's own while `change` runs.
  ///
  /// - Parameter endsFastPaths: whether threads in the middle of a fast path must look at the change. Which step starts
  ///   next and what observers have heard of is none of their business.
  @inline(__always)
  mutating func mutate<Result>(endsFastPaths: Bool = true, _ change: (inout Plan) -> Result) -> Result {
    if tables.makeUnique() || endsFastPaths { endFastPath() }
    return change(&self)
  }

  /// Says that something outside the plan has changed that threads in the middle of a fast path must look at.
  mutating func interruptFastPaths() { endFastPath() }

  /// Notes that a step is the next one that is finished; it still counts as unsettled.
  @inline(__always)
  mutating func noteInOrder(_ step: StepIndex) { tables.orderEnd[-counts.unsettled] = step }

  /// Replaces the queues; no step of the new ones is ready.
  mutating func setQueues(_ new: [PlanQueue]) { tables.setQueues(new) }
}
