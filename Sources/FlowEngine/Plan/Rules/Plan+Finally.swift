import FlowModel

// Steps of `finally` start when all other steps have finished. Their dependencies cannot express that: a step that can
// no longer run is skipped at once, even while other dependencies of it are running.
//
// In an included file they depend on every step of the file, so no rule is needed (`Flattening`). The steps of the
// workflow's own `finally` are held here, so that the other steps, possibly a million, need not count them down.
extension Plan {
  /// Holds the steps of `finally` until all others have finished.
  mutating func holdFinalSteps() {
    outstanding.finalSteps = graph.steps(stating: .waitsForAll)
    for step in outstanding.finalSteps { states[step].open += 1 }
  }

  /// True if a step of `finally` still waits for steps other than its dependencies.
  func awaitsOthers(_ step: StepIndex) -> Bool { outstanding.finalSteps.contains(step) }

  /// Releases the steps of `finally` if all others have finished. Returns true if it did.
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
