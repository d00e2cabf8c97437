import FlowModel

// Fan-outs whose items are the posts of an event that repeats. There is one item for each post, including posts from
// before the step began. While no item runs, the step is `held`, so that the run can become idle. The step ends when
// the run is idle, because no more posts are possible then.
extension Plan {
  /// Adds items for all posts so far to a fan-out that has just begun.
  mutating func beginFollowing(_ index: Int, at now: Int) {
    let step = fanOuts[index].step
    let added = addPosts(to: index)
    noteEntry(.expanded(step, hashes: fanOuts[index].hashes, atNanoseconds: now))
    enqueue(step, at: now)
    recall(index, at: now)
    ask(about: added, of: index)
    fanOuts[index].admit()
    refresh(index, at: now)
    refuseTooMany(index)
  }

  /// Adds items for new posts to a fan-out that has already begun.
  mutating func takePosts(_ index: Int, at now: Int) {
    let step = fanOuts[index].step
    guard states[step].status != .done else { return }
    let added = addPosts(to: index)
    if !added.isEmpty { noteEntry(.grown(step, count: added.upperBound, atNanoseconds: now)) }
    ask(about: added, of: index)
    refresh(index, at: now)
    refuseTooMany(index)
  }

  private mutating func addPosts(to index: Int) -> Range<Int> {
    let first = fanOuts[index].states.count
    guard let event = fanOuts[index].event, let times = events.repeated[event]?.times else { return first..<first }
    for time in times.dropFirst(first) { _ = fanOuts[index].addPost(at: time) }
    return first..<fanOuts[index].states.count
  }

  private mutating func ask(about items: Range<Int>, of index: Int) {
    for item in items where fanOuts[index].states[item].status == .deciding {
      effects.append(.evaluate(fanOuts[index].firstInstance + StepIndex(item)))
    }
  }

  private mutating func refuseTooMany(_ index: Int) {
    guard let event = fanOuts[index].event, let count = events.repeated[event]?.count, count > Limits.events else {
      return
    }
    let step = fanOuts[index].step
    particulars.failures[step] = StepFailure(
      code: "too-many-items",
      message: "foreach: '\(events.names[event])' was posted \(count) times; the limit is \(Limits.events) items")
    collect(step, .failure, nil)
  }

  /// Applies the result of the step's `if` to an item.
  mutating func decide(item task: PlanTask, _ decision: Decision, at now: Int) {
    guard self[state: task].status == .deciding else { return }
    if decision == .run {
      move(task, to: .waiting)
    } else {
      refuse(task, decision, at: now)
    }
    fanOuts[task.fanOut].admit()
    refresh(task, at: now)
  }

  /// True if an unfinished fan-out has begun to follow the event.
  func isFollowed(_ event: Int) -> Bool {
    fanOuts.following(event).contains { states[fanOuts[$0].step].status != .done }
  }

  // MARK: The end

  /// Ends fan-outs that wait for more posts while the run is idle. Returns false if there are none.
  ///
  /// - Parameter beforeGate: True if the gate is closed. Then only fan-outs that the gate waits for end, because steps
  ///   after the gate could still post events for the others.
  mutating func endFollowing(beforeGate: Bool, at now: Int) -> Bool {
    var open = fanOuts.following().filter { states[fanOuts[$0].step].status == .held }
    open.sort { fanOuts[$0].step < fanOuts[$1].step }
    if beforeGate, !open.isEmpty {
      let awaited = Set(blockingAncestry())
      open.removeAll { !awaited.contains(fanOuts[$0].step) }
    }
    guard !open.isEmpty else { return false }
    for index in withoutSources(open) where states[fanOuts[index].step].status == .held { endFanOut(index, at: now) }
    finishCollected(at: now)
    releaseIdle(at: now)
    return true
  }

  /// Returns the candidates whose event cannot be posted by a step downstream of another candidate, or the first
  /// candidate if each depends on another.
  private func withoutSources(_ open: [Int]) -> [Int] {
    guard open.count > 1 else { return open }
    let sources = PostSources(of: open.map { fanOuts[$0].step }, in: self)
    let free = open.filter { index in
      !(sources.events[fanOuts[index].event ?? -1] ?? []).contains { $0 != fanOuts[index].step }
    }
    return free.isEmpty ? [open[0]] : free
  }
}

/// The events that steps downstream of waiting fan-outs may still post.
private struct PostSources {
  /// For each event, the fan-outs upstream of a step that posts it. Two are enough to find one that differs from a
  /// given fan-out.
  private(set) var events: [Int: [StepIndex]] = [:]
  private var reached: [StepIndex: [StepIndex]] = [:]
  private var agenda: [(step: StepIndex, source: StepIndex)] = []

  init(of open: [StepIndex], in plan: Plan) {
    for source in open { reachSuccessors(of: source, source, plan) }
    while let (step, source) = agenda.popLast() {
      reachSuccessors(of: step, source, plan)
      for name in plan.facts[step]?.postedEvents ?? [] {
        guard let event = plan.events.indices[name].map(Int.init), add(source, to: &events[event, default: []]) else {
          continue
        }
        for waiter in plan.events.waiters[event] { reach(waiter, source, plan) }
        for fanOut in plan.fanOuts.following(event) { reach(plan.fanOuts[fanOut].step, source, plan) }
      }
    }
  }

  private mutating func reachSuccessors(of step: StepIndex, _ source: StepIndex, _ plan: Plan) {
    for edge in plan.successorEdges(of: step) { reach(plan.graph.successors[edge], source, plan) }
  }

  private mutating func reach(_ step: StepIndex, _ source: StepIndex, _ plan: Plan) {
    guard plan.states[step].status != .done, add(source, to: &reached[step, default: []]) else { return }
    agenda.append((step, source))
  }

  private func add(_ source: StepIndex, to sources: inout [StepIndex]) -> Bool {
    guard sources.count < 2, !sources.contains(source) else { return false }
    sources.append(source)
    return true
  }
}
