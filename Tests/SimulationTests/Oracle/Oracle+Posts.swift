import FlowModel
import FlowTestKit

/// The rules for steps that run for the posts of a repeating event. They have an item for each post, until the run is
/// idle.
extension Oracle {
  static func hasKnownItems(_ step: Step) -> Bool { step.options.fanOut.map { $0.event == nil } ?? false }

  /// Returns the event whose posts a step handles, as a list. It is empty if the step does not run for posts, is
  /// waiting or has finished.
  func followedEvents(of step: Int) -> [String] {
    guard let event = fanOuts[step]?.event, !isFinished(step), states[step].readyAt != nil else { return [] }
    return states[step].phase == .waiting ? [] : [event]
  }

  /// Adds a unit for the latest post of an event to each step that handles the posts of the event.
  mutating func addPosts(of event: String) {
    for step in steps.indices where followedEvents(of: step).contains(event) {
      addPosts(to: step)
      considerItems(of: step)
    }
  }

  /// Adds a unit for each post for which the step has none.
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

  /// *Decision*: in an idle run, steps that run for posts end before any step is skipped because its event is never
  /// posted. While the run waits only for the gate, only those on which the gate depends end. If steps that may post
  /// wait for the end of such a step, it ends before the step that handles their posts. If each depends on another, the
  /// first in the file ends first.
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

  /// Returns the events that may be posted by steps downstream of a step, either as dependents or because they wait for
  /// such an event.
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
