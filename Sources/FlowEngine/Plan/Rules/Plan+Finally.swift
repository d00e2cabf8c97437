import FlowModel

// Steps of `finally` start when all other steps have finished. Ordinary dependencies cannot express that: a step is
// skipped as soon as one dependency fails, even if others are still running.
//
// In an included file, such steps depend on every step of the file (`Flattening`). The steps of the workflow's own
// `finally` are held here, so that a million other steps need not count them down.
//
// A step that is cancelled or times out finishes at once, but its body may take a while to return. Cleanup steps wait
// for it, so that a command and the cleanup of its files never run at the same time.
extension Plan {
  /// Adds one prerequisite to each step of `finally`. ``releaseFinalSteps(at:)`` removes it.
  mutating func holdFinalSteps() {
    outstanding.finalSteps = graph.steps(stating: .waitsForAll)
    for step in outstanding.finalSteps { states[step].open += 1 }
  }

  /// True if a step of `finally` has not been released.
  func awaitsOthers(_ step: StepIndex) -> Bool { outstanding.finalSteps.contains(step) }

  /// Releases the steps of `finally` if all other steps have finished and `keep: services` does not keep the run from
  /// ending. Returns true if it has released them.
  @discardableResult
  mutating func releaseFinalSteps(at now: Int) -> Bool {
    let steps = outstanding.finalSteps
    guard !steps.isEmpty, counts.unsettled <= steps.count,
      counts.unsettled == steps.count(where: { states[$0].status != .done })
    else { return false }
    if waitsWithServices { return false }
    outstanding.finalSteps = []
    for step in steps where states[step].status == .waiting { countDown(step, at: now) }
    if !outstanding.collected.isEmpty { finishCollected(at: now) }
    return true
  }

  // MARK: Bodies that were asked to end

  /// True if a step without unfinished dependencies must wait for bodies that were asked to end. In a cancelled run,
  /// cleanup begins when all of them have returned. `finally` and the services of an included file also wait for steps
  /// that timed out.
  func awaitsBodies(_ step: StepIndex) -> Bool {
    let flags = traits[step].flags
    if cancelledAt != never, !hasCleanupBegun, !flags.contains(.exit) { return true }
    guard !outstanding.cancelling.isEmpty, !flags.isDisjoint(with: [.final, .exit]) else { return false }
    if flags.contains(.exit), serving(inFileEndingIn: step).isEmpty { return false }
    guard let scope = graph.workflow.scope(of: step) else { return true }
    let prefix = graph.workflow.scopes[scope].prefix.utf8
    return outstanding.cancelling.keys.contains { attempt in
      guard let other = graph.workflow.scope(of: owner(of: attempt.step)) else { return false }
      // The other body belongs to this file, or to one that it includes.
      return graph.workflow.scopes[other].prefix.utf8.starts(with: prefix)
    }
  }

  /// Holds a step until the bodies that it waits for have returned.
  mutating func holdForBodies(_ step: StepIndex) {
    states[step].open = 1
    outstanding.awaitingBodies.insert(step)
  }

  /// Releases the steps whose wait for bodies is over.
  mutating func releaseAfterBodies(at now: Int) {
    for step in outstanding.awaitingBodies.sorted() where !awaitsBodies(step) {
      outstanding.awaitingBodies.remove(step)
      if states[step].status == .waiting { countDown(step, at: now) }
    }
    if !outstanding.collected.isEmpty { finishCollected(at: now) }
  }
}
