import FlowModel

extension RunReport {
  /// A step whose duration was outside its estimate (L7).
  package struct EstimateMiss: Sendable, Hashable {
    package var step: StepID
    /// The duration of the step, from its first start to its end.
    package var milliseconds: Double
    /// The estimate in the workflow file.
    package var estimate: Estimate
  }

  /// The successful steps that were faster or slower than estimated, in file order. Empty for a report that was read
  /// from a file, because files do not contain estimates.
  package var estimateMisses: [EstimateMiss] {
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
