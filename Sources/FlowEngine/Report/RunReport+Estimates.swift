import FlowModel

extension RunReport {
  /// A step that took less or more than its file estimates (L7).
  public struct EstimateMiss: Sendable, Hashable {
    /// The step.
    public var step: StepID
    /// How long it ran.
    public var milliseconds: Double
    /// What was thought.
    public var estimate: Estimate
  }

  /// The steps that ran shorter or longer than estimated, in file order; a report that was read knows of no estimates.
  public var estimateMisses: [EstimateMiss] {
    guard case .plan(let plan) = source else { return [] }
    let steps = plan.graph.workflow.steps
    return plan.graph.stepsWithOptions.compactMap { step in
      let index = Int(step)
      guard let estimate = steps[index].options.estimate, plan.outcome(of: step) == .success else { return nil }
      let state = plan.states[index]
      guard state.startedAt != never, state.endedAt != never else { return nil }
      let ran = Duration.nanoseconds(state.endedAt - state.startedAt)
      guard ran < estimate.low || ran > estimate.high else { return nil }
      return EstimateMiss(
        step: steps[index].id, milliseconds: millisecondsOf(state.endedAt - state.startedAt), estimate: estimate)
    }
  }
}
