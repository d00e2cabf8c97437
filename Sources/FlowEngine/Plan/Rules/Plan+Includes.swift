import FlowModel

// Steps of included workflows are ordinary steps with two additional rules: if the entry is skipped, all others are
// skipped, too, and the exit has the outcome that a run of the file would have.
extension Plan {
  /// Skips the steps and the exit of an included workflow for the same reason as its entry.
  mutating func skipInclude(of entry: StepIndex, _ reason: SkipReason) {
    guard let scope = graph.workflow.scopes.first(where: { $0.entry == entry }) else { return }
    for step in scope.members { collect(step, .skipped, reason) }
    collect(scope.exit, .skipped, reason)
  }

  /// Returns the entry that must finish before a disabled step is skipped, or nil if no entry is pending.
  ///
  /// The dependents of a disabled step must wait until it is known whether the included workflow runs. Otherwise they
  /// would start before the dependencies of the include have finished.
  func entryAhead(of step: StepIndex) -> StepIndex? {
    guard let scope = graph.workflow.scope(of: step) else { return nil }
    let entry = graph.workflow.scopes[scope].entry
    return states[entry].status == .done ? nil : entry
  }

  /// Skips the disabled steps of an included workflow after its entry has succeeded.
  mutating func skipDisabled(behind entry: StepIndex) {
    guard traits[entry].flags.contains(.timed),
      let scope = graph.workflow.scopes.first(where: { $0.entry == entry })
    else { return }
    for step in scope.members where traits[step].flags.contains(.disabled) { skipDisabled(step) }
  }

  /// Skips a disabled step that has not started.
  mutating func skipDisabled(_ step: StepIndex) {
    guard states[step].status == .waiting || states[step].status == .held, !fanOuts.isExpanded(step) else { return }
    collect(step, .skipped, .disabled)
  }

  /// True if another step of the included file depends on a step whose event was never posted, so that the exit is not
  /// skipped. Steps of `finally` do not count as handling it.
  func isHandled(_ step: StepIndex, before successor: StepIndex) -> Bool {
    guard traits[successor].flags.contains(.exit) else { return false }
    return successorEdges(of: step).contains { edge in
      let other = graph.successors[edge]
      return other != successor && !traits[other].flags.contains(.final)
    }
  }

  /// The conclusion that the included workflow would have if it ended now.
  func conclusionSoFar(inScope number: Int) -> RunConclusion {
    if cancelledAt != never { return hasTimedOut ? .failure : .cancelled }
    let scope = graph.workflow.scopes[number]
    var isPartial = false
    for step in [scope.entry] + scope.members {
      let outcome = outcome(of: step)
      guard outcome == .failure || outcome == .timedOut else { continue }
      guard traits[step].flags.contains(.optional) else { return .failure }
      isPartial = true
    }
    return isPartial ? .partial : .success
  }

  /// Returns the outcome of an exit that has no prerequisites left and must not run, or nil if it runs. The outcome is
  /// the one that a run of the file would have.
  mutating func exitOutcome(_ step: StepIndex) -> (outcome: Outcome, reason: SkipReason?)? {
    if cancelledAt != never { return (.skipped, .runCancelled) }
    if let scope = graph.workflow.scope(of: step), conclusionSoFar(inScope: scope) == .failure {
      particulars.failures[step] = StepFailure(code: "include-failed", message: failure(ofScope: scope))
      return (.failure, nil)
    }
    if outstanding.withdrawnFiles.contains(step) { return (.cancelled, nil) }
    return states[step].marks.contains(.dependencyNeverPosted) ? (.skipped, .eventNeverPosted) : nil
  }

  /// Returns a message with the ids of the first three failed steps, as written in the included file.
  private func failure(ofScope number: Int) -> String {
    let scope = graph.workflow.scopes[number]
    let failed = scope.members.filter { step in
      let outcome = outcome(of: step)
      return (outcome == .failure || outcome == .timedOut) && !traits[step].flags.contains(.optional)
    }
    let names = failed.prefix(3).map { "'\(graph.workflow.steps[Int($0)].id.text.dropFirst(scope.prefix.utf8.count))'" }
    guard let first = names.first else { return "the inputs of the included workflow could not be evaluated" }
    if failed.count == 1 { return "step \(first) of the included workflow failed" }
    let rest = failed.count > names.count ? " and \(failed.count - names.count) more" : ""
    return "steps \(names.joined(separator: ", "))\(rest) of the included workflow failed"
  }
}
