import FlowModel

// A run of selected steps: the others are skipped at its start and count as satisfied for the steps that need them. The gate
// does not wait for them.
extension Plan {
  /// Whether a step may run, because it was selected or no steps were.
  func isSelected(_ step: StepIndex) -> Bool { unselected.isEmpty || !unselected.contains(step) }

  /// Skips the steps that are not selected, dependents first, so that none of them is released by another.
  mutating func leaveOutUnselected(at now: Int) {
    guard !unselected.isEmpty else { return }
    for step in graph.topologicalOrder.reversed() where states[step].status == .waiting && !isSelected(step) {
      collect(step, .skipped, .notSelected)
    }
    finishCollected(at: now)
  }
}
