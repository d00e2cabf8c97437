import FlowModel

extension Plan {
  /// Takes in that the body of a step succeeded at `now` and starts the next step of its lane, marked as running; nil
  /// when none is ready, or when the plan asks for something first.
  ///
  /// The same as ``succeeded(_:attempt:at:)`` and then ``startNext(in:at:)``, for the case that comes most often: nothing
  /// is special about the run or the step, so that a handful of fields change and nothing need be asked.
  public mutating func passOn(
    _ step: StepIndex, attempt: Int, in lane: Lane, at now: Int
  ) -> (step: StepIndex, attempt: Int)? {
    guard isOrdinary, isOrdinary(step, attempt: attempt, in: lane) else {
      succeeded(step, attempt: attempt, at: now)
      return hasEffects ? nil : startNext(in: lane, at: now)
    }
    tables.makeUnique()
    let place = Int(step)
    let (states, traits) = (self.states.baseAddress!, self.traits.baseAddress!)
    let queues = self.queues.baseAddress!
    let queue = queues + lane.index
    states[place].status = .done
    states[place].outcome = .success
    states[place].endedAt = now
    unsettledCount &-= 1
    if traits[place].flags.contains(.blocking) {
      if blockingCount == 1 { settleBlocking(step, satisfied: true, at: now) } else { blockingCount &-= 1 }
    }
    var released = 0
    for edge in Int(graph.successorStarts[place])..<Int(graph.successorStarts[place + 1]) {
      let successor = Int(graph.successors[edge])
      guard states[successor].status == .waiting else { continue }
      states[successor].open &-= 1
      guard states[successor].open == 0 else { continue }
      if traits[successor].flags.isDisjoint(with: [.conditional, .idle, .disabled]) {
        states[successor].status = .queued
        states[successor].readyAt = now
        queues[Int(traits[successor].queue)].ready.insert(Int(traits[successor].position))
        released &+= 1
      } else {
        release(StepIndex(successor), at: now)
      }
    }
    queuedCount &+= released
    busyCount &+= released
    // Where nothing else is to be considered, the next step takes the place that this one leaves: no count changes.
    if let next = queue.pointee.ready.lowest, unsettledSkips.isEmpty, !hasEffects {
      let following = queue.pointee.members[next]
      let flags = traits[Int(following)].flags
      if flags.isDisjoint(with: [.timed, .idle]), states[Int(following)].attempt == 0 {
        _ = queue.pointee.ready.removeLowest()
        queuedCount &-= 1
        busyCount &-= 1
        states[Int(following)].status = .running
        states[Int(following)].attempt = 1
        states[Int(following)].startedAt = now
        return (following, 1)
      }
    }
    runningCount -= 1
    busyCount -= 1
    queue.pointee.taken -= 1
    takenCount -= 1
    followUp(at: now)
    return hasEffects ? nil : startNext(in: lane, at: now)
  }

  /// Whether nothing is going on that each step must be checked against.
  private var isOrdinary: Bool {
    hasOnlyBuiltInQueues && !isPrewarming && detail != .full && endedAt == nil && cancelledAt == never
      && mainHolder == nil && failures.isEmpty
  }

  /// Whether a step runs as if nobody had said anything about it.
  @inline(__always)
  private func isOrdinary(_ step: StepIndex, attempt: Int, in lane: Lane) -> Bool {
    let (state, trait) = (states.baseAddress! + Int(step), traits.baseAddress! + Int(step))
    return state.pointee.status == .running && Int(state.pointee.attempt) == attempt
      && Int(trait.pointee.queue) == lane.index && trait.pointee.flags.isDisjoint(with: [.timed, .idle])
  }
}
