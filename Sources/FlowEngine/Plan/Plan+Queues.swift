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
    guard queuedCount > 0, let index = nextQueue(in: lane) else { return nil }
    if tables.makeUnique() { endSeries() }
    let queue = queues.baseAddress! + index
    let step = queue.pointee.members[queue.pointee.ready.removeLowest()]
    let state = states.baseAddress! + Int(step)
    let flags = traits[Int(step)].flags
    let isFirst = state.pointee.startedAt == never
    queuedCount -= 1
    state.pointee.status = .running
    state.pointee.attempt += 1
    runningCount += 1
    queue.pointee.taken += 1
    takenCount += 1
    if isFirst { state.pointee.startedAt = now }
    if flags.contains(.timed) { setCeilings(step, isFirst: isFirst, at: now) }
    noteStart(of: step, at: now)
    return (step, Int(state.pointee.attempt))
  }

  @inline(__always)
  private func nextQueue(in lane: Lane?) -> Int? {
    guard queuedCount > 0, takenCount < concurrency else { return nil }
    // Without queues of the workflow's own, each lane has one, with the lane's index.
    if let lane, hasOnlyBuiltInQueues { return queues[lane.index].canStart ? lane.index : nil }
    return Self.bestQueue(of: tables, in: lane)
  }

  /// The queue whose next step has the lowest rank. Static, so that no plan is copied to ask it.
  private static func bestQueue(of tables: StepTables, in lane: Lane?) -> Int? {
    let (queues, traits) = (tables.queues, tables.traits)
    var best: (queue: Int, rank: Int32)?
    for index in queues.indices where queues[index].canStart && (lane == nil || queues[index].lane == lane) {
      let rank = traits[Int(queues[index].members[queues[index].ready.lowest!])].rank
      if best == nil || rank < best!.rank { best = (index, rank) }
    }
    return best?.queue
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
