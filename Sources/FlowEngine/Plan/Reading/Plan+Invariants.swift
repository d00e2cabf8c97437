import FlowModel

extension Plan {
  /// Returns a message for each violated invariant. It checks every step and is meant for tests, which call it after
  /// every event.
  package func problems() -> [String] {
    countProblems() + queueProblems() + eventProblems() + fanOutProblems()
      + states.indices.flatMap { problems(of: StepIndex($0)) }
  }

  /// Checks the counts against the statuses of the steps.
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

  /// Checks that no queue exceeds its width, and that the ready sets match the statuses of the steps.
  private func queueProblems() -> [String] {
    var problems: [String] = []
    for (index, queue) in queues.enumerated() {
      if queue.occupied > queue.width { problems.append("'\(queue.name)' runs more than \(queue.width)") }
      if queue.base != nil, let part = machineReading.map({ $0.startable(index, ready: 0) }), part < 0 {
        problems.append("'\(queue.name)' and its parts run more than \(queue.width)")
      }
      if queue.occupied < 0 { problems.append("'\(queue.name)' runs \(queue.occupied)") }
      let ready = queue.members.indices.filter {
        states[queue.members[$0]].status == .queued && Int(traits[queue.members[$0]].queue) == index
      }
      if ready.count != queue.ready.count || ready.first != queue.ready.lowest {
        problems.append("'\(queue.name)' has \(queue.ready.count) ready steps, but \(ready.count) are queued")
      }
    }
    if let free = machineReading?.free, free.cpus < 0 || free.memoryBytes < 0 || free.gpus < 0 {
      problems.append("steps take more than the machine has: \(free) is left")
    }
    return problems
  }

  /// Checks the recorded posts of repeating events against the times of their first posts.
  private func eventProblems() -> [String] {
    events.repeated.compactMap { event, posts in
      let isRight =
        (posts.times.first ?? never) == events.times[event] && posts.times == posts.times.sorted()
        && posts.times.count == min(posts.count, Limits.events)
      return isRight ? nil : "'\(events.names[event])' has \(posts), but was posted first at \(events.times[event])"
    }
  }

  /// Checks the counts and statuses of fan-outs against those of their items.
  private func fanOutProblems() -> [String] {
    fanOuts.list.indices.filter { fanOuts.index(of: fanOuts[$0].step) == $0 }.flatMap { index -> [String] in
      let fanOut = fanOuts[index]
      let id = graph.workflow.steps[Int(fanOut.step)].id
      var problems: [String] = []
      func check(_ name: String, _ count: Int, _ statuses: StepStatus...) {
        let actual = fanOut.states.count { statuses.contains($0.status) }
        if actual != count { problems.append("'\(id)' counts \(count) \(name) items, but \(actual) are") }
      }
      check("running", fanOut.running, .running)
      check("pausing", fanOut.retrying, .retrying)
      check("held", fanOut.holding, .holding)
      check("undecided", fanOut.deciding, .deciding)
      check("finished", fanOut.states.count - fanOut.unsettled, .done)
      if fanOut.occupied > fanOut.width {
        problems.append("'\(id)' runs \(fanOut.occupied) items, more than \(fanOut.width)")
      }
      let first = fanOut.states[..<fanOut.admitted].firstIndex { $0.status == .waiting } ?? fanOut.admitted
      let isOpen = states[fanOut.step].status != .done
      if isOpen, first != fanOut.next { problems.append("'\(id)' goes on at item \(fanOut.next), not at \(first)") }
      switch states[fanOut.step].status {
      case .queued, .running, .retrying, .holding:
        if states[fanOut.step].status != fanOut.status { problems.append("'\(id)' is not \(fanOut.status)") }
        if fanOut.unsettled == 0, fanOut.event == nil {
          problems.append("'\(id)' is unfinished though all of its items are finished")
        }
      case .done: if fanOut.unsettled > 0 { problems.append("'\(id)' is finished before its items are") }
      case .held, .deciding:
        if states[fanOut.step].status != fanOut.status || fanOut.event == nil {
          problems.append("'\(id)' waits though its items are known")
        }
      case .waiting: problems.append("'\(id)' waits though its items are known")
      }
      return problems
    }
  }

  private func problems(of step: StepIndex) -> [String] {
    let state = states[step]
    let id = graph.workflow.steps[Int(step)].id.text
    if state.status == .done {
      return state.outcome == nil || state.endedAt == never ? ["'\(id)' is finished without an end"] : []
    }
    if state.outcome != nil || state.endedAt != never { return ["'\(id)' has an end and is not finished"] }
    guard state.status == .waiting else { return [] }
    var expected = needs(of: step).count { states[$0].status != .done }
    if awaitsOthers(step) { expected += 1 }
    if outstanding.endingFiles.contains(step) { expected += 1 }
    if outstanding.awaitingBodies.contains(step) { expected += 1 }
    if cancelledAt == never {
      expected += options(of: step).after.count { events.time(of: $0) == nil }
      if traits[step].flags.contains(.deferred), readiness.outcome == nil { expected += 1 }
      expected += outstanding.failedBeforeActivation.count { $0 == step }
    }
    if Int(state.open) != expected { return ["'\(id)' waits for \(state.open) things, but there are \(expected)"] }
    return hasStarted && expected == 0 ? ["'\(id)' waits for nothing"] : []
  }
}
