import FlowModel

extension Plan {
  /// Where a step stands, from 0, in the order in which steps start that are ready at once.
  public func rank(of step: StepIndex) -> Int { Int(traits[step].rank) }
}
