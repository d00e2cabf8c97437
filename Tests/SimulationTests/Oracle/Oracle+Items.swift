import FlowModel
import FlowTestKit

/// The rules for steps that run for several items. Each item is a *unit* with an index after those of the steps. Like a
/// step, it has options, a script and a state, but it waits only for its turn.
extension Oracle {
  func isFanOut(_ step: Int) -> Bool { fanOuts[step] != nil }

  /// Returns the step of a unit. The owner of a step is the step itself.
  func owner(of unit: Int) -> Int { unit < steps.count ? unit : itemOwners[unit - steps.count] }

  func units(of step: Int) -> [Int] { (steps.count..<states.count).filter { owner(of: $0) == step } }

  func script(of unit: Int) -> StepScript { scripts[unit] }

  /// Determines the items of a step. An `if` that reads `item` is evaluated for each item. The step succeeds if it has
  /// no items, or if all of them are skipped.
  mutating func expand(_ step: Int) {
    addPosts(to: step)
    for unit in units(of: step) {
      states[unit] = StepState()
      if scripts[unit].isLeftOut { end(unit, "skipped", cancelledAt == nil ? "condition" : "run-cancelled") }
    }
    considerItems(of: step)
  }

  /// Returns the item that starts next, in list order. Items whose pause has ended come first. Returns nil if none is
  /// left or `parallel` items are active.
  func nextUnit(of step: Int) -> Int? {
    let fanOut = fanOuts[step]!
    let active = bodies.filter { owner(of: $0.step) == step && isActive($0) }.count
    guard active < fanOut.parallel ?? .max else { return nil }
    let units = units(of: step)
    return units.first { states[$0].phase == .queued } ?? units.first { states[$0].phase == .waiting }
  }

  /// Starts the next item of a step, if one may start.
  mutating func startItem(of step: Int) {
    guard let unit = nextUnit(of: step) else { return }
    if states[step].startedAt == nil { (states[step].startedAt, states[step].attempts) = (now, 1) }
    start(unit)
    considerItems(of: step)
  }

  /// Updates a step from its items. After a failure with `fail-fast`, the running items are cancelled and the others
  /// are not started. Without it, all items run, and the step fails at its end. *Decision*: the step is queued while an
  /// item could start if there were capacity.
  mutating func considerItems(of step: Int) {
    guard isFanOut(step), !isFinished(step), states[step].readyAt != nil, states[step].phase != .waiting else { return }
    let units = units(of: step)
    let hasFailed = units.contains { ["failure", "timed-out"].contains(states[$0].outcome) && !options[$0].isOptional }
    let isFollowing = fanOuts[step]!.event != nil
    if (units.allSatisfy(isFinished) && !isFollowing) || (hasFailed && fanOuts[step]!.isFailFast) {
      if states[step].startedAt == nil { (states[step].startedAt, states[step].attempts) = (now, 1) }
      return giveUpItems(of: step, hasFailed ? "failure" : "success")
    }
    if units.allSatisfy(isFinished) {
      states[step].phase = .following
    } else if nextUnit(of: step) != nil {
      states[step].phase = .queued
    } else if units.contains(where: { states[$0].phase == .running }) {
      states[step].phase = .running
    } else if units.contains(where: isHeld) {
      states[step].phase = .held(until: .max)
    } else {
      states[step].phase = units.contains(where: isPausing) ? .pausing(until: .max) : .running
    }
  }

  /// Finishes a step with items. Its unfinished items are cancelled if they have begun, and skipped otherwise.
  mutating func giveUpItems(of step: Int, _ outcome: String) {
    let reason =
      cancelledAt != nil ? "run-cancelled" : outcome == "timed-out" ? "fan-timed-out" : "fail-fast"
    for unit in units(of: step) where !isFinished(unit) {
      if states[unit].phase == .running { tellToStop(currentBody(of: unit)!) }
      if states[unit].attempts > 0 { end(unit, "cancelled") } else { end(unit, "skipped", reason) }
    }
    end(step, outcome)
  }

  /// Ends a unit without any consequences for other steps.
  mutating func end(_ unit: Int, _ outcome: String, _ reason: String? = nil) {
    states[unit].phase = .finished
    states[unit].outcome = outcome
    states[unit].reason = reason
    states[unit].endedAt = now
  }

  /// True if an optional item has failed, which makes the run `partial`.
  var hasOptionalItemFailed: Bool {
    states.indices.dropFirst(steps.count).contains {
      ["failure", "timed-out"].contains(states[$0].outcome) && options[$0].isOptional
    }
  }

  func items(of step: Int, from origin: Int) -> [RunRecord.ItemRecord] {
    guard isFanOut(step), states[step].startedAt != nil || states[step].outcome == "timed-out" else { return [] }
    return units(of: step).map { unit in
      RunRecord.ItemRecord(
        outcome: states[unit].outcome, reason: states[unit].reason, attempts: states[unit].attempts,
        startedAt: states[unit].startedAt.map { $0 - origin }, endedAt: states[unit].endedAt.map { $0 - origin },
        isAbandoned: states[unit].isAbandoned)
    }
  }
}
