import FlowModel

extension Plan {
  /// The position of a step, from 0, in the start order of steps that are ready at the same time.
  public func rank(of step: StepIndex) -> Int { Int(traits[step].rank) }
}
