import FlowModel

// A run of selected steps skips all other steps at the start. These count as satisfied for their dependents and do not
// hold the gate.
extension Plan {
  /// True if the step was selected, or if there is no selection.
  func isSelected(_ step: StepIndex) -> Bool { unselected.isEmpty || !unselected.contains(step) }

  /// Skips the steps that are not selected. Dependents come first, so that no skipped step releases another.
  mutating func leaveOutUnselected(at now: Int) {
    guard !unselected.isEmpty else { return }
    for step in graph.topologicalOrder.reversed() where states[step].status == .waiting && !isSelected(step) {
      collect(step, .skipped, .notSelected)
    }
    finishCollected(at: now)
  }
}
