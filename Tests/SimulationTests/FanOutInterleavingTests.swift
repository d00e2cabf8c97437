import FlowEngine
import FlowModel
import Testing

/// Tries every order and outcome in which the items of a step can end, by applying the ends directly to the plan.
struct `Interleavings of items` {
  @Test(arguments: 0...4, [true, false])
  func `items end as expected in any order, even if the next item starts directly`(count: Int, passesOn: Bool) throws {
    for width in 1...3 {
      for (isFailFast, isOptional) in [(true, false), (false, false), (true, true)] {
        for isLimitOfRun in [true, false] {
          var walk = try ItemWalk(
            count: count, width: width, isLimitOfRun: isLimitOfRun, isFailFast: isFailFast, isOptional: isOptional)
          walk.passesOn = passesOn
          follow(walk)
        }
      }
    }
  }

  private func follow(_ walk: ItemWalk) {
    if walk.running.isEmpty {
      let problems = walk.problems
      if !problems.isEmpty { Issue.record("\(walk.title): \(problems)") }
      return
    }
    let problems = walk.problemsAfterCancel
    if !problems.isEmpty { Issue.record("\(walk.title), then cancelled: \(problems)") }
    for body in walk.running {
      for isSuccess in walk.canFail(body) ? [true, false] : [true] {
        var next = walk
        next.end(body, isSuccess)
        follow(next)
      }
    }
  }
}

/// One path through a step with items and its dependent: the bodies that have ended so far. One ends at each instant.
private struct ItemWalk {
  static let fanOut: StepIndex = 0
  static let follower: StepIndex = 1

  let count: Int
  let width: Int
  let isFailFast: Bool
  let isOptional: Bool
  var passesOn = false
  var plan: Plan
  /// The instances of the running bodies: the follower's and the items'.
  var running: [StepIndex] = []
  var endings: [(body: StepIndex, isSuccess: Bool)] = []

  /// - Parameter isLimitOfRun: True if the run limits the number of bodies, false if the step does.
  init(count: Int, width: Int, isLimitOfRun: Bool, isFailFast: Bool, isOptional: Bool) throws {
    (self.count, self.width, self.isFailFast, self.isOptional) = (count, width, isFailFast, isOptional)
    var options = StepOptions()
    options.isOptional = isOptional
    var fanOut = FanOut(.items(.array([])))
    (fanOut.parallel, fanOut.isFailFast) = (isLimitOfRun ? nil : width, isFailFast)
    options.fanOut = fanOut
    let steps = [
      Step(id: StepID(unchecked: "fan"), uses: "script.step", options: options),
      Step(id: StepID(unchecked: "follower"), uses: "script.step", needs: [Self.fanOut]),
    ]
    var workflow = Workflow(name: "items", steps: steps)
    if isLimitOfRun { workflow.concurrency = width }
    plan = Plan(graph: try WorkflowGraph(workflow), detail: .none)
    plan.apply(.activated(Resolution()), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    drain(at: 0)
  }

  var title: String { "\(count) items, \(width) at once, fail-fast \(isFailFast), optional \(isOptional), \(endings)" }

  /// True if the body may fail now, because it is an item whose step has not finished.
  func canFail(_ body: StepIndex) -> Bool { body > Self.follower && plan[Self.fanOut].outcome == nil }

  mutating func end(_ body: StepIndex, _ isSuccess: Bool) {
    let isAwaited = body == Self.follower || plan[Self.fanOut].outcome == nil
    endings.append((body, isSuccess))
    running.removeAll { $0 == body }
    let now = endings.count
    if passesOn, isSuccess, isAwaited {
      let pool = plan.pool(of: body == Self.follower ? body : Self.fanOut)
      if let next = plan.passOn(body, attempt: 1, in: pool, at: now) { running.append(next.step) }
    } else {
      let failure = StepFailure(code: "scripted", message: "the script says so")
      let ending: Ending =
        !isAwaited
        ? .cancelled : isSuccess ? .success : .failure(failure, isRetryable: false, retryAfterNanoseconds: 0)
      plan.apply(.ended(body, attempt: 1, ending), at: now)
    }
    drain(at: now)
  }

  mutating func drain(at now: Int) {
    while plan.hasEffects {
      for effect in plan.takeEffects() {
        switch effect {
        case .expand(let step): plan.apply(.expanded(step, .items(FanOutItems(count: count))), at: now)
        case .gateDecided(let decision):
          plan.apply(.gateOpened(OpenedGate(decision == .ready ? .ready : .failed, atNanoseconds: now)), at: now)
        default: break
        }
      }
    }
    while let (step, _) = plan.startNext(at: now) { running.append(step) }
  }

  /// Returns the position of the item's ending, counted from 0, or nil if the item has not ended.
  private func position(ofItem item: Int) -> Int? {
    endings.firstIndex { $0.body == Self.follower + 1 + StepIndex(item) }
  }

  /// The ending that cancels all other items, or nil if there is none.
  private var stop: Int? {
    isFailFast && !isOptional ? endings.firstIndex { $0.body > Self.follower && !$0.isSuccess } : nil
  }

  /// The differences between the plan and the results that follow from the endings.
  var problems: [String] {
    var problems = plan.problems()
    let items = plan.items(of: Self.fanOut)
    if items.count != count { return problems + ["\(items.count) items"] }
    for (index, item) in items.enumerated() {
      // The first `width` items start at once. Each ending starts the next item, in order.
      let startedAt = max(0, index - width + 1)
      var expected: (outcome: Outcome, reason: SkipReason?, startedAt: Int?, endedAt: Int)
      if let position = position(ofItem: index), stop.map({ position <= $0 }) ?? true {
        expected = (endings[position].isSuccess ? .success : .failure, nil, startedAt, position + 1)
      } else {
        let stop = stop ?? -1
        expected =
          startedAt <= stop ? (.cancelled, nil, startedAt, stop + 1) : (.skipped, .failFast, nil, stop + 1)
      }
      let found = (item.outcome, item.reason, item.startedAtNanoseconds, item.endedAtNanoseconds)
      if found != (expected.outcome, expected.reason, expected.startedAt, expected.endedAt) {
        problems.append("item \(index) is \(found), not \(expected)")
      }
    }
    let hasFailed = endings.contains { $0.body > Self.follower && !$0.isSuccess }
    let fanOut = plan[Self.fanOut]
    if fanOut.outcome != (hasFailed && !isOptional ? .failure : .success) { problems.append("outcome of the step") }
    if fanOut.endedAtNanoseconds != stop.map({ $0 + 1 }) ?? count { problems.append("end of the step") }
    let follower = plan[Self.follower]
    if follower.outcome != (hasFailed && !isOptional ? .skipped : .success) {
      problems.append("outcome of the follower")
    }
    let conclusion: RunConclusion = !hasFailed ? .success : isOptional ? .partial : .failure
    if plan.conclusion != conclusion { problems.append("conclusion") }
    if plan.endedAt != endings.count { problems.append("end of the run") }
    return problems
  }

  /// The problems that occur if the run is cancelled now and its bodies return one after another.
  var problemsAfterCancel: [String] {
    var walk = self
    let (now, before) = (endings.count, plan.items(of: Self.fanOut))
    walk.plan.apply(.cancelled, at: now)
    walk.drain(at: now)
    var problems: [String] = []
    if walk.running != running { problems.append("something started") }
    for (item, after) in zip(before, walk.plan.items(of: Self.fanOut)) where item.outcome == nil {
      let isRunning = running.contains(Self.follower + 1 + StepIndex(item.index))
      if after.outcome != (isRunning ? .cancelled : .skipped) || after.endedAtNanoseconds != now {
        problems.append("end of item \(item.index)")
      }
      if after.reason != (isRunning ? nil : .runCancelled) { problems.append("reason of item \(item.index)") }
    }
    for (index, body) in running.enumerated() {
      if walk.plan.endedAt != nil { problems.append("an end before \(body) returned") }
      walk.plan.apply(.ended(body, attempt: 1, .cancelled), at: now + index + 1)
      walk.drain(at: now + index + 1)
    }
    if walk.plan.conclusion != .cancelled { problems.append("conclusion") }
    if walk.plan.endedAt != now + running.count { problems.append("end of the run") }
    return problems + walk.plan.problems()
  }
}
