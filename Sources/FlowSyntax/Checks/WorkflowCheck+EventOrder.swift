import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports events that are posted too late: only by dependents of the step that waits for them, or only by deferred
  /// steps although the gate waits for that step.
  mutating func checkEventOrder() {
    guard workflow.steps.contains(where: { $0.hasOptions && !$0.options.events.isEmpty }) else { return }
    var posters: [String: [Int]] = [:]
    for step in workflow.steps.indices {
      for event in eventsPosted(by: step) { posters[event, default: []].append(step) }
    }
    var waiters: [String: [Int]] = [:]
    for (step, location) in workflow.steps.enumerated() where location.hasOptions {
      for event in location.options.events where event != LifecycleEvent.activate.rawValue {
        waiters[event, default: []].append(step)
      }
    }
    // The dependencies of each poster are searched, so the number of visits is limited. Only generated files reach the
    // limit.
    var budget = 20_000_000
    let beforeGate = stepsBeforeGate()
    for event in waiters.keys.sorted() {
      guard let posters = posters[event], let waiters = waiters[event] else { continue }
      var above = [Int: Int]()
      for poster in posters {
        let ancestors = ancestors(of: poster, budget: &budget)
        for waiter in waiters where waiter == poster || ancestors.contains(waiter) { above[waiter, default: 0] += 1 }
        if budget <= 0 { return }
      }
      for waiter in waiters {
        if above[waiter] == posters.count {
          reportTooLate(event, waiter, posters, "which is only posted by its dependents")
        } else if beforeGate[waiter], posters.allSatisfy({ isDeferred($0) }) {
          reportTooLate(
            event, waiter, posters,
            "which is only posted by steps that wait for the gate, and the gate waits for this step")
        }
      }
    }
  }

  private mutating func reportTooLate(_ event: String, _ waiter: Int, _ posters: [Int], _ reason: String) {
    let isFollowed = workflow.steps[waiter].options.fanOut?.event == event
    report(
      .eventPostedTooLate,
      "step '\(name(waiter))' \(isFollowed ? "runs for the posts of" : "waits for") '\(event)', \(reason)",
      at: eventSpan(event, of: waiter),
      related: posters.prefix(3).map { .init(idSpan($0), "'\(name($0))' posts '\(event)'") },
      help: "it can only come from outside, with --event or from the app")
  }

  /// Returns the direct and indirect dependencies of a step. Some are missing if `budget` is exhausted.
  private func ancestors(of step: Int, budget: inout Int) -> Set<Int> {
    var found: Set<Int> = []
    var open = [step]
    while let current = open.popLast() {
      for need in workflow.steps[current].needs.map(Int.init) where found.insert(need).inserted { open.append(need) }
      budget -= workflow.steps[current].needs.count + 1
      if budget <= 0 { break }
    }
    return found
  }

  /// Reports steps that hold the gate and wait for an event although the gate has no maximum. If the event is never
  /// posted, the gate stays closed.
  mutating func checkWaitsWithoutMaximum() {
    guard workflow.gate?.max == nil,
      workflow.steps.contains(where: { $0.hasOptions && !$0.options.after.isEmpty })
    else { return }
    let beforeGate = stepsBeforeGate()
    for step in workflow.steps.indices where beforeGate[step] && workflow.steps[step].hasOptions {
      let events = workflow.steps[step].options.after.filter { $0 != LifecycleEvent.activate.rawValue }
      guard let event = events.first else { continue }
      report(
        .waitWithoutMaximum,
        "the gate waits for step '\(name(step))', which waits for '\(event)', and has no max",
        at: eventSpan(event, of: step),
        help: "give the workflow a 'deadline' with a max, or write 'blocking: false' at '\(name(step))'")
    }
  }
}
