import FlowModel
import FlowTestKit

/// The rules for services: the order in which they stop, and the effects of one that ends on its own.
extension Oracle {
  /// True if a command service has ended on its own and is not optional.
  func hasEndedForGood(_ step: Int) -> Bool {
    step < steps.count && states[step].hasFailedAfterReady && scenario.scripts[step].isCommandService
      && !options[step].isOptional
  }

  /// True if `step` needs `other`, directly or indirectly.
  func needsSomehow(_ step: Int, _ other: Int) -> Bool {
    needs[step].contains { $0 == other || needsSomehow($0, other) }
  }

  /// At the end of the run, asks the services to stop, each after the services that need it have stopped.
  mutating func tellServicesToStop() {
    let open = bodies.indices.filter { bodies[$0].returnedAt == nil && !bodies[$0].isAbandoned && bodies[$0].isReady }
    for index in open where !open.contains(where: { needsSomehow(bodies[$0].step, bodies[index].step) }) {
      tellToStop(index)
    }
  }

  /// After a service has ended on its own, cancels the steps that need it, and skips those that have not begun as
  /// `upstream-failed`. *Decision*: also steps that need it indirectly. Steps of `finally`, steps whose `if` calls a
  /// status function, and ready services continue.
  mutating func withdraw(from service: Int) {
    // Dependents of a step of `finally` are in `finally` themselves.
    for step in steps.indices where needsSomehow(step, service) && !options[step].isFinal && !isFinished(step) {
      if statesStatus[step] { continue }
      let hasBegun = states[step].attempts > 0
      if isFanOut(step), hasBegun {
        giveUpItems(of: step, "cancelled")
      } else if hasBegun {
        if states[step].phase == .running { tellToStop(currentBody(of: step)!) }
        finish(step, "cancelled")
      } else {
        states[step].isWaitingForIdleness = false
        skip(step, "upstream-failed")
      }
    }
  }
}
