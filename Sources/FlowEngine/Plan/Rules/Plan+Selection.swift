import FlowModel

// A run of selected steps: all others are skipped at its start and count as satisfied for their dependents. The gate
// does not wait for them.
extension Plan {
  /// True if a step may run, because it was selected or no selection was made.
  func isSelected(_ step: StepIndex) -> Bool { unselected.isEmpty || !unselected.contains(step) }

  /// Skips the steps that are not selected, dependents first, so that none of them releases another.
  mutating func leaveOutUnselected(at now: Int) {
    guard !unselected.isEmpty else { return }
    for step in graph.topologicalOrder.reversed() where states[step].status == .waiting && !isSelected(step) {
      collect(step, .skipped, .notSelected)
    }
    finishCollected(at: now)
  }
}
