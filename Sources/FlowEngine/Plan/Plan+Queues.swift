import FlowModel

extension Plan {
  /// Queues a step whose turn has come.
  mutating func enqueue(_ step: StepIndex, at now: Int) {
    let place = Int(step)
    states[place].status = .queued
    if states[place].readyAt == never {
      states[place].readyAt = now
      note(.ready, step, at: now)
    }
    queuedCount += 1
    if !traits[place].flags.contains(.idle) { busyCount += 1 }
    queues[Int(traits[place].queue)].ready.insert(Int(traits[place].position))
  }

  /// Whether a step could start now in a lane; nil: in any.
  public func canStart(in lane: Lane? = nil) -> Bool { nextQueue(in: lane) != nil }

  /// The step of the lowest rank that may start now in a lane (nil: in any), marked as running, or nil.
  public mutating func startNext(in lane: Lane? = nil, at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard let queue = nextQueue(in: lane) else { return nil }
    let step = queues[queue].members[queues[queue].ready.lowest!]
    let place = Int(step)
    leave(.queued, step)
    states[place].status = .running
    states[place].attempt += 1
    runningCount += 1
    if !traits[place].flags.contains(.idle) { busyCount += 1 }
    queues[queue].taken += 1
    takenCount += 1
    let isFirst = states[place].startedAt == never
    if isFirst { states[place].startedAt = now }
    if traits[place].flags.contains(.timed) { setCeilings(step, isFirst: isFirst, at: now) }
    note(.started, step, at: now, Int32(states[place].attempt))
    return (step, Int(states[place].attempt))
  }

  private func nextQueue(in lane: Lane?) -> Int? {
    if queuedCount == 0 { return nil }
    if let limit = graph.workflow.concurrency, takenCount >= limit { return nil }
    var best: Int?
    var bestRank = Int32.max
    let candidates = lane.map { laneQueues[$0.index] } ?? allQueues
    for index in candidates where !queues[index].ready.isEmpty && queues[index].taken < queues[index].width {
      if candidates.count == 1 { return index }
      let rank = traits[Int(queues[index].members[queues[index].ready.lowest!])].rank
      if rank < bestRank {
        bestRank = rank
        best = index
      }
    }
    return best
  }

  /// Gives back the place of a body that returned, or that will not be waited for.
  mutating func givePlaceBack(_ step: StepIndex) {
    queues[Int(traits[Int(step)].queue)].taken -= 1
    takenCount -= 1
  }

  private mutating func setCeilings(_ step: StepIndex, isFirst: Bool, at now: Int) {
    let options = graph.workflow.steps[Int(step)].options
    if isFirst, let max = options.deadline?.max {
      timers.insert(PlanTimer(atNanoseconds: now + max.nanoseconds, kind: .deadline, step: step, attempt: 0))
    }
    if let max = options.retry?.attemptDeadline {
      attemptStarts[step] = now
      timers.insert(
        PlanTimer(
          atNanoseconds: now + max.nanoseconds, kind: .deadline, step: step, attempt: states[Int(step)].attempt))
    }
  }
}
