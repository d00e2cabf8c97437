import FlowModel

extension Plan {
  /// The position of a step in the order in which ready steps start, counted from 0.
  package func rank(of step: StepIndex) -> Int { Int(traits[step].rank) }
}
