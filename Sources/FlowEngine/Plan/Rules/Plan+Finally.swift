import FlowModel

// Steps of `finally` start when all other steps have finished. Their needs alone would not say that: a step that can no
// longer run is skipped at once, while other steps that it needs are still running.
//
// In an included file they need every step of it, and nothing else is to be known (`Flattening`). Those of the whole
// workflow are held here, so that the other steps, which may be a million, need not count them down.
extension Plan {
  /// Holds the steps of `finally` until all others have finished.
  mutating func holdFinalSteps() {
    outstanding.finalSteps = graph.steps(stating: .waitsForAll)
    for step in outstanding.finalSteps { states[step].open += 1 }
  }

  /// Whether a step of `finally` still waits for others than those that it needs.
  func awaitsOthers(_ step: StepIndex) -> Bool { outstanding.finalSteps.contains(step) }

  /// Releases the steps of `finally` if all others have finished; returns whether it did.
  @discardableResult
  mutating func releaseFinalSteps(at now: Int) -> Bool {
    let steps = outstanding.finalSteps
    guard !steps.isEmpty, counts.unsettled <= steps.count,
      counts.unsettled == steps.count(where: { states[$0].status != .done })
    else { return false }
    if isKeepingServices { return false }
    outstanding.finalSteps = []
    for step in steps where states[step].status == .waiting { countDown(step, at: now) }
    if !outstanding.collected.isEmpty { finishCollected(at: now) }
    return true
  }
}
