import FlowModel
import FlowTestKit

/// The rules for activation, deferral, ranks and the launch gate.
extension Oracle {
  /// Starts the run, and activates it unless it is prewarmed.
  mutating func begin() {
    findDeferred(evaluating: false)
    rankSteps()
    guard scenario.activatedAt != nil else { return activate() }
    // *Decision*: a step that could run before activation is skipped from the start if it has `enabled: false`.
    for step in steps.indices where mayRunBeforeActivation(step) && !isEnabled(step) { skip(step, "disabled") }
  }

  /// Determines the deferred steps, which never block the gate. Expressions are not evaluated before activation.
  mutating func findDeferred(evaluating: Bool) {
    for step in steps.indices {
      switch options[step].deferral {
      // Steps of `finally` are deferred and never block.
      case .never: if options[step].isFinal { states[step].isDeferred = true }
      case .afterGate: states[step].isDeferred = true
      case .idle:
        states[step].isDeferred = true
        states[step].isIdle = true
      case .expression(let text): states[step].isDeferred = evaluating && isTrue(text)
      }
    }
    // A step that needs a deferred one is deferred, too. *Decision*: it is deferred, but not idle, and it is deferred
    // even if that dependency is disabled.
    for step in topologicalOrder where needs[step].contains(where: { states[$0].isDeferred }) {
      states[step].isDeferred = true
    }
    for step in steps.indices {
      states[step].isBlocking = !states[step].isDeferred && options[step].blocking ?? true
    }
  }

  func isEnabled(_ step: Int) -> Bool {
    switch options[step].enabled {
    case .literal(let flag): flag
    case .expression(let text): isTrue(text)
    }
  }

  /// Activates the run, which is time 0 of the gate. Evaluates `enabled`, `defer` and the gate's bounds.
  mutating func activate() {
    activatedAt = now
    // This is the only event that the engine itself posts.
    post(LifecycleEvent.activate.rawValue)
    gateMin = duration(scenario.workflow.gate?.min)
    gateMax = duration(scenario.workflow.gate?.max)
    // *Decision*: a minimum of zero is reached at once. Any other minimum is a timer of the gate, and these come last
    // at their instant.
    isMinimumReached = (gateMin ?? 0) == 0
    findDeferred(evaluating: true)
    for step in steps.indices {
      // A step whose `enabled` is false, or an expression that is false at activation, is disabled. Its dependents run
      // without it.
      if !isFinished(step) && !isEnabled(step) { skip(step, "disabled") }
    }
    rankSteps()
  }

  func isTrue(_ text: String) -> Bool { OracleExpression(plain: text).value { valueNow($0, of: nil) }.truth == true }

  func duration(_ source: DurationSource?) -> Int? {
    switch source {
    case nil: nil
    case .literal(let duration): duration.nanoseconds
    case .expression(let text):
      if case .text(let duration) = OracleExpression(plain: text).value({ valueNow($0, of: nil) }) {
        try? DurationText.parse(duration).nanoseconds
      } else {
        nil
      }
    }
  }

  /// Ranks the steps: first those that lead to a blocking step, then those with the longest remaining path by estimate,
  /// then in file order. *Decision*: an estimate counts with its upper end, a missing one as zero, and a step's own
  /// estimate is part of its path. The order is determined before anything runs, and again at activation, when the
  /// `defer` expressions are known.
  mutating func rankSteps() {
    var leadsToBlocking = steps.indices.map { !states[$0].isDeferred && options[$0].blocking ?? true }
    let own = options.map { $0.estimate?.high.nanoseconds ?? 0 }
    var path = own
    for step in topologicalOrder.reversed() {
      for need in needs[step] {
        if leadsToBlocking[step] { leadsToBlocking[need] = true }
        path[need] = max(path[need], own[need] + path[step])
      }
    }
    rankOrder = steps.indices.sorted {
      let left = [leadsToBlocking[$0] ? 0 : 1, -path[$0], $0]
      return left.lexicographicallyPrecedes([leadsToBlocking[$1] ? 0 : 1, -path[$1], $1])
    }
  }

  var blocking: [Int] { steps.indices.filter { states[$0].isBlocking } }

  /// True if the end of the step fails the gate. A blocking service is satisfied when it is ready, whatever happens
  /// later. An optional blocking step that is skipped as `upstream-failed` does not fail the gate, but its dependents
  /// count it as unsatisfied.
  func failsGate(_ step: Int) -> Bool {
    isUnsatisfied(step) && !hasEndedForGood(step)
      && !(options[step].isOptional && states[step].reason == "upstream-failed")
  }

  /// Opens the gate if it is time: as `ready` at `max(min, readyAt)`, or as `failed` at `max(min, t)` if a blocking
  /// step has failed it at `t`. Does nothing after a cancellation. Returns true if it opened the gate.
  mutating func considerGate() -> Bool {
    guard let activatedAt else { return false }
    if gate.readyAt == nil, cancelledAt == nil, blocking.allSatisfy({ isFinished($0) && !failsGate($0) }) {
      // The gate is ready when the last blocking step is satisfied. *Decision*: that is recorded even after the gate
      // has opened, but not after a cancellation, and never as earlier than activation, where the gate's time starts
      // (P8).
      gate.readyAt = blocking.map { states[$0].endedAt! }.reduce(activatedAt, max)
    }
    guard gate.outcome == nil, cancelledAt == nil, isMinimumReached else { return false }
    if blocking.contains(where: failsGate) {
      openGate("failed")
    } else if gate.readyAt != nil {
      openGate("ready")
    } else {
      return false
    }
    return true
  }

  mutating func openGate(_ outcome: String) {
    gate.outcome = outcome
    gate.openedAt = now
    // Every blocking step that has not finished at the maximum is late, whether or not it has started.
    if outcome == "timed-out" { gate.late = blocking.filter { !isFinished($0) }.map { steps[$0].id.text } }
    if outcome == "failed" { gate.failed = blocking.filter(failsGate).map { steps[$0].id.text } }
  }

  /// The steps in topological order, dependencies first.
  var topologicalOrder: [Int] {
    var order: [Int] = []
    while order.count < steps.count {
      let placed = Set(order)
      order += steps.indices.filter { !placed.contains($0) && needs[$0].allSatisfy(placed.contains) }
    }
    return order
  }
}
