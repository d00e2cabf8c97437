import FlowModel

extension Plan {
  /// Where the plan contradicts itself; empty: nowhere. For tests, which ask after every event; it looks at every step.
  package func problems() -> [String] {
    countProblems() + queueProblems() + eventProblems() + states.indices.flatMap { problems(of: StepIndex($0)) }
  }

  /// Counts that are not what the steps' states add up to.
  private func countProblems() -> [String] {
    var actual = PlanCounts()
    for index in states.indices {
      let isIdle = traits[index].flags.contains(.idle)
      let status = states[index].status
      if status != .done {
        actual.unsettled += 1
        if traits[index].flags.contains(.blocking) { actual.blocking += 1 }
      }
      switch status {
      case .queued: actual.queued += 1
      case .running: actual.running += 1
      case .deciding: actual.deciding += 1
      case .retrying: actual.retrying += 1
      case .holding: actual.holding += 1
      case .waiting, .held, .done: break
      }
      if !isIdle, status == .queued || status == .running || status == .holding { actual.busy += 1 }
    }
    actual.occupied = queues.reduce(0) { $0 + $1.occupied } - (outstanding.mainHolder == nil ? 0 : 1)
    return counts == actual ? [] : ["counts \(counts), but the steps add up to \(actual)"]
  }

  /// Queues that are over their width, or whose ready sets are not their queued steps.
  private func queueProblems() -> [String] {
    var problems: [String] = []
    for (index, queue) in queues.enumerated() {
      if queue.occupied > queue.width { problems.append("'\(queue.name)' runs more than \(queue.width)") }
      if queue.occupied < 0 { problems.append("'\(queue.name)' runs \(queue.occupied)") }
      let ready = queue.members.indices.filter {
        states[queue.members[$0]].status == .queued && Int(traits[queue.members[$0]].queue) == index
      }
      if ready.count != queue.ready.count || ready.first != queue.ready.lowest {
        problems.append("'\(queue.name)' has \(queue.ready.count) ready steps, but \(ready.count) are queued")
      }
    }
    return problems
  }

  /// Events whose posts are not what their latch says.
  private func eventProblems() -> [String] {
    events.repeated.compactMap { event, posts in
      let isRight =
        (posts.times.first ?? never) == events.times[event] && posts.times == posts.times.sorted()
        && posts.times.count == min(posts.count, Limits.events)
      return isRight ? nil : "'\(events.names[event])' has \(posts), but was posted first at \(events.times[event])"
    }
  }

  private func problems(of step: StepIndex) -> [String] {
    let state = states[step]
    let id = graph.workflow.steps[Int(step)].id.text
    if state.status == .done {
      return state.outcome == nil || state.endedAt == never ? ["'\(id)' is settled without an end"] : []
    }
    if state.outcome != nil || state.endedAt != never { return ["'\(id)' has an end and is not settled"] }
    guard state.status == .waiting else { return [] }
    var expected = needs(of: step).count { states[$0].status != .done }
    if cancelledAt == never {
      expected += options(of: step).after.count { events.time(of: $0) == nil }
      if traits[step].flags.contains(.deferred), readiness.outcome == nil { expected += 1 }
      expected += outstanding.failedBeforeActivation.count { $0 == step }
    }
    if Int(state.open) != expected { return ["'\(id)' waits for \(state.open) things, but there are \(expected)"] }
    return hasStarted && expected == 0 ? ["'\(id)' waits for nothing"] : []
  }
}
