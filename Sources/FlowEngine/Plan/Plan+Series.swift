import FlowModel

/// Ordinary steps of one lane that follow each other while nobody else changes the plan: what need not be asked again at
/// each of them.
///
/// A step is ordinary where nobody said anything about it that the plan must watch: no deadline, no retries, not idle.
/// The plan is, while nothing is asked of the driver, nobody cancels, no step has failed and the gate's decision is not
/// due. Of this the series makes sure when it begins; it is over when the plan's ``Plan/revision`` is another.
///
/// Proof of safety: the pointers are those of the plan's ``StepTables``, taken when no other plan shared them. The plan's
/// methods for series alone use them, under the lock that guards the plan, while the revision is the series' own; whatever
/// moves the tables or replaces the queues makes it another.
struct StepSeries {
  fileprivate let revision: Int
  let lane: Lane
  let states: UnsafeMutablePointer<StepState>
  let traits: UnsafeMutablePointer<StepTraits>
  let queue: UnsafeMutablePointer<PlanQueue>
  let log: UnsafeMutablePointer<RecordLog>
  let orderEnd: UnsafeMutablePointer<StepIndex>

  /// Whether steps of its lane wait for capacity.
  @inline(__always)
  var hasQueuedSteps: Bool { !queue.pointee.ready.isEmpty }
}

extension Plan {
  /// Takes in that the body of a step succeeded at `now` and starts the next step of its lane, marked as running; nil
  /// when none is ready, or when the plan asks for something first.
  ///
  /// The same as ``succeeded(_:attempt:at:)`` and then ``startNext(in:at:)``, for the case that comes most often: nothing
  /// is special about the run or the step, so that a handful of fields change and nothing need be asked.
  public mutating func passOn(
    _ step: StepIndex, attempt: Int, in lane: Lane, at now: Int
  ) -> (step: StepIndex, attempt: Int)? {
    if Int(step) >= states.count { return passOnItem(step, attempt: attempt, in: lane, at: now) }
    guard let series = series(from: step, attempt: attempt, in: lane) else {
      succeeded(step, attempt: attempt, at: now)
      return hasEffects ? nil : startNext(in: lane, at: now)
    }
    if let next = advance(series, from: step, at: now) { return (next, 1) }
    return leaveSeries(in: lane, at: now)
  }

  /// A series that begins with a running step of a lane; nil where something about the plan or the step is special.
  mutating func series(from step: StepIndex, attempt: Int, in lane: Lane) -> StepSeries? {
    guard isOrdinary, isOrdinary(step, attempt: attempt, in: lane) else { return nil }
    if tables.makeUnique() { endSeries() }
    return StepSeries(
      revision: revision, lane: lane, states: states.baseAddress!, traits: traits.baseAddress!,
      queue: queues.baseAddress! + lane.index, log: tables.log, orderEnd: tables.orderEnd)
  }

  /// Whether nothing has happened to the plan but steps that followed each other.
  @inline(__always)
  func isCurrent(_ series: StepSeries) -> Bool { revision == series.revision }

  /// Says that something has changed that slots in the middle of a series must look at.
  mutating func endSeries() { revision &+= 1 }

  /// Takes in that a running step of a current series succeeded, and starts its next step for the first time. Nil when
  /// there is none or the series is over: ``leaveSeries(in:at:)`` must follow.
  @inline(__always)
  mutating func advance(_ series: StepSeries, from step: StepIndex, at now: Int) -> StepIndex? {
    var released = Released()
    end(step, of: series, endedAt: now, &released, at: now)
    return startNext(of: series, released, at: now)
  }

  /// The same for a running step and those that were taken ahead behind it, which have all run, each from the end of the
  /// one before. Only where nobody hears of every step: their starts are not told.
  ///
  /// - Parameter ends: when each of them ended.
  @inline(never)
  mutating func advance(
    _ series: StepSeries, through steps: UnsafeBufferPointer<StepIndex>, endedAt ends: UnsafeBufferPointer<Int>,
    at now: Int
  ) -> StepIndex? {
    var released = Released()
    for index in steps.indices {
      if index > 0 { noteRun(of: steps[index], startedAt: ends[index - 1]) }
      end(steps[index], of: series, endedAt: ends[index], &released, at: now)
    }
    return startNext(of: series, released, at: now)
  }

  /// What the end of a step, or of several, made ready in a series.
  private struct Released {
    /// The lowest position, which is held back from the ready set: most often it is the next to run.
    var lowest = Int.max
    var count = 0
    /// Whether nothing but ordinary steps of the series' lane was released, and the gate's decision is not due.
    var isOrdinary = true
  }

  /// Settles an ordinary step as a success and releases what waits for it.
  @inline(__always)
  private mutating func end(
    _ step: StepIndex, of series: StepSeries, endedAt: Int, _ released: inout Released, at now: Int
  ) {
    let (states, traits, queue) = (series.states, series.traits, series.queue)
    let index = Int(step)
    states[index].succeed(at: endedAt)
    series.orderEnd[-counts.unsettled] = step
    counts.unsettled &-= 1
    let isObserved = detail == .full
    if isObserved { series.log.pointee.appendFirstSuccess(of: step, at: endedAt) }
    var isOrdinary = true
    if traits[index].flags.contains(.blocking) {
      if counts.blocking == 1 {
        settleBlocking(step, satisfied: true, at: now)
        isOrdinary = false
      } else {
        counts.blocking &-= 1
      }
    }
    var edge = Int(traits[index].firstSuccessor)
    let end = Int(traits[index &+ 1].firstSuccessor)
    if edge < end {
      graph.successors.withUnsafeBufferPointer { successors in
        repeat {
          let successor = Int(successors.baseAddress.unsafelyUnwrapped[edge])
          edge &+= 1
          guard states[successor].status == .waiting else { continue }
          states[successor].open &-= 1
          guard states[successor].open == 0 else { continue }
          let trait = traits[successor]
          guard trait.flags.isDisjoint(with: [.conditional, .idle, .disabled, .fan, .exit]),
            Int(trait.queue) == series.lane.index
          else {
            isOrdinary = false
            continue
          }
          states[successor].status = .queued
          states[successor].readyAt = now
          if isObserved { series.log.pointee.appendReady(StepIndex(successor), at: now) }
          released.count &+= 1
          let position = Int(trait.position)
          if position < released.lowest {
            if released.lowest != Int.max { queue.pointee.ready.insert(released.lowest) }
            released.lowest = position
          } else {
            queue.pointee.ready.insert(position)
          }
        } while edge < end
      }
    }
    if !isOrdinary {
      released.isOrdinary = false
      releaseSpecial(after: step, at: now)
    }
  }

  /// Starts the lowest ready step of a series, instead of one that ended; nil when there is none or it is special.
  @inline(__always)
  private mutating func startNext(of series: StepSeries, _ released: Released, at now: Int) -> StepIndex? {
    let (states, queue) = (series.states, series.queue)
    if released.isOrdinary, let next = takeLowest(of: queue, or: released.lowest) {
      let following = queue.pointee.members[next]
      if series.traits[following].flags.isDisjoint(with: [.timed, .idle, .fan]) {
        // The next step takes the capacity that this one leaves: what counts capacity stays as it is.
        counts.queued &+= released.count &- 1
        counts.busy &+= released.count &- 1
        states[following].status = .running
        states[following].attempt = 1
        states[following].startedAt = now
        if detail == .full { series.log.pointee.appendFirstStart(of: following, in: series.lane, at: now) }
        return following
      }
      queue.pointee.ready.insert(next)
    } else if released.lowest != Int.max {
      queue.pointee.ready.insert(released.lowest)
    }
    counts.queued &+= released.count
    counts.busy &+= released.count
    return nil
  }

  /// Releases the successors that wait for nothing more and are not just to be queued.
  @inline(never)
  private mutating func releaseSpecial(after step: StepIndex, at now: Int) {
    for successor in graph.successors(of: step)
    where states[successor].status == .waiting && states[successor].open == 0 {
      release(successor, at: now)
    }
  }

  /// Gives back the capacity of the series' last step, and does what an ordinary end does not ask for; then starts the next
  /// step of the lane, unless the plan asks for something first.
  mutating func leaveSeries(in lane: Lane, at now: Int) -> (step: StepIndex, attempt: Int)? {
    endSeries()
    counts.running -= 1
    counts.busy -= 1
    queues[lane.index].occupied -= 1
    counts.occupied -= 1
    followUp(at: now)
    return hasEffects ? nil : startNext(in: lane, at: now)
  }

  /// Takes the lowest of the ready steps of a queue and one more that is not among them, `Int.max` for none.
  @inline(__always)
  private func takeLowest(of queue: UnsafeMutablePointer<PlanQueue>, or position: Int) -> Int? {
    guard let ready = queue.pointee.ready.lowest else { return position == Int.max ? nil : position }
    if position < ready { return position }
    let lowest = queue.pointee.ready.removeLowest()
    if position != Int.max { queue.pointee.ready.insert(position) }
    return lowest
  }

  /// Whether nothing is going on that each step must be checked against.
  var isOrdinary: Bool {
    hasOnlyBuiltInQueues && !isPrewarming && endedAt == nil && cancelledAt == never
      && outstanding.mainHolder == nil && particulars.failures.isEmpty && particulars.interruptions.isEmpty
      && outstanding.collected.isEmpty && !hasEffects
  }

  /// Whether a step runs as if nobody had said anything about it.
  private func isOrdinary(_ step: StepIndex, attempt: Int, in lane: Lane) -> Bool {
    let (state, trait) = (states[step], traits[step])
    return state.status == .running && Int(state.attempt) == attempt && attempt == 1
      && Int(trait.queue) == lane.index && trait.flags.isDisjoint(with: [.timed, .idle])
  }
}
