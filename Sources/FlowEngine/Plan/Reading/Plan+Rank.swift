import FlowModel

extension Plan {
  /// The position of a step, from 0, in the order in which steps start that are ready at the same time.
  public func rank(of step: StepIndex) -> Int { Int(traits[step].rank) }
}
