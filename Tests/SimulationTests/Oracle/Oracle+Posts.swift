import FlowModel
import FlowTestKit

/// Steps that run for the posts of an event that repeats: "a fan-out whose count grows until the run is idle, an item a
/// post".
extension Oracle {
  static func hasKnownItems(_ step: Step) -> Bool { step.options.fanOut.map { $0.event == nil } ?? false }

  /// The event for whose posts a step is running.
  func followedEvents(of step: Int) -> [String] {
    guard let event = fanOuts[step]?.event, !isFinished(step), states[step].readyAt != nil else { return [] }
    return states[step].phase == .waiting ? [] : [event]
  }

  /// Adds the newest post to the steps that run for the posts of an event.
  mutating func addPosts(of event: String) {
    for step in steps.indices where followedEvents(of: step).contains(event) {
      addPosts(to: step)
      considerItems(of: step)
    }
  }

  /// Adds a unit for every post for which a step has none.
  mutating func addPosts(to step: Int) {
    guard let event = fanOuts[step]?.event else { return }
    for number in units(of: step).count..<max(units(of: step).count, (posts[event] ?? []).count) {
      itemOwners.append(step)
      scripts.append(scenario.scripts[step].script(ofItem: number))
      options.append(scenario.workflow.steps[step].options)
      states.append(StepState())
      if scripts[scripts.count - 1].isLeftOut {
        end(states.count - 1, "skipped", cancelledAt == nil ? "condition" : "run-cancelled")
      }
    }
  }

  /// *Decision*: in an idle run those steps end, before any step is skipped for an event that is never posted; while
  /// only the gate is missing, only those that it waits for end. A step on whose end possible posters wait ends before
  /// the step that handles these posts. If each depends on another, the first in the file ends first.
  mutating func endFollowing() -> Bool {
    let isStill = !steps.indices.contains { isQueuedOrRunning($0) || isPausing($0) }
    guard !isStopping, cancelledAt == nil ? activatedAt != nil && isIdleButForTheGate : isStill else { return false }
    var open = steps.indices.filter { states[$0].phase == .following }
    if cancelledAt == nil, !isGateOpen {
      guard !blocking.contains(where: failsGate) else { return false }
      open = open.filter(awaitedByGate.contains)
    }
    guard let first = open.first else { return false }
    let free = open.filter { step in
      !open.contains { $0 != step && eventsBehind($0).contains(fanOuts[step]!.event!) }
    }
    for step in free.isEmpty ? [first] : free {
      if states[step].startedAt == nil { (states[step].startedAt, states[step].attempts) = (now, 1) }
      let hasFailed = units(of: step).contains {
        ["failure", "timed-out"].contains(states[$0].outcome) && !options[$0].isOptional
      }
      giveUpItems(of: step, hasFailed ? "failure" : "success")
    }
    return true
  }

  /// The events that may be posted by steps that wait for the end of a step, or for such an event.
  private func eventsBehind(_ step: Int) -> Set<String> {
    var behind = Set(steps.indices.filter { needs[$0].contains(step) && !isFinished($0) })
    var events: Set<String> = []
    while true {
      let more = steps.indices.filter { other in
        !isFinished(other) && !behind.contains(other)
          && (needs[other].contains(where: behind.contains)
            || options[other].after.contains(where: events.contains)
            || followedEvents(of: other).contains(where: events.contains))
      }
      let known = events.count
      for other in behind.union(more) { events.formUnion(scenario.scripts[other].possibleEvents) }
      guard !more.isEmpty || events.count > known else { return events }
      behind.formUnion(more)
    }
  }
}
