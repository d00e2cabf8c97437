import FlowModel
import FlowStore

/// Steps of a durable run that were chosen, that are on disk as begun, and that no slot has taken yet.
struct DurableStarts {
  private var starts: [Int: [(step: StepIndex, attempt: Int)]] = [:]
  /// Whether somebody is on the way to write.
  var isFlushing = false

  mutating func add(_ start: (step: StepIndex, attempt: Int), to lane: Lane) {
    starts[lane.index, default: []].append(start)
  }

  /// How many steps of a lane wait for a slot.
  func count(in lane: Lane) -> Int { starts[lane.index]?.count ?? 0 }

  mutating func take(from lane: Lane) -> (step: StepIndex, attempt: Int)? {
    guard starts[lane.index]?.isEmpty == false else { return nil }
    return starts[lane.index]?.removeFirst()
  }
}

// The rule of a durable run: no body begins before everything that came out until then is on disk, its own start included.
//
// It is a rule at starts. One at ends would miss what follows from ends in other ways: a failure's handler, a step that
// waits for an event, one that the gate lets go. So no slot takes a step from the plan. The journal's thread chooses what
// may start, writes all that came out with it at once, and then hands the steps to their lanes; what ends meanwhile shares
// the next write. It chooses more than there are slots, so that many short steps share a write: they run one after the
// other on the slots there are, and where one of them turns out long the watch adds slots for those behind it.
extension WorkflowRun {
  /// How many steps of a lane may be chosen that no slot has taken yet.
  private static let chosenAhead = 64

  /// How many more steps of a lane may be chosen now.
  private func durableRoom(in lane: Lane, _ state: RunState) -> Int {
    let waiting = state.durableStarts?.count(in: lane) ?? 0
    if lane == .main { return waiting == 0 && state.pools[lane.index].hasRoom ? 1 : 0 }
    return Self.chosenAhead - waiting
  }

  /// The next step for a slot of a lane.
  func nextStart(in lane: Lane, _ state: inout RunState, at now: Int) -> (step: StepIndex, attempt: Int)? {
    if isGuarded, !isSureOfRun { return nil }
    guard state.durableStarts != nil else { return startNext(in: lane, &state.plan, at: now) }
    while let start = state.durableStarts?.take(from: lane) {
      // It may have been cancelled or have timed out while it was written.
      if state.plan.isAwaiting(start.step, attempt: start.attempt) { return start }
      state.plan.apply(.ended(start.step, attempt: start.attempt, .cancelled), at: now)
    }
    return nil
  }

  private func lanes(of plan: Plan) -> [Lane] { plan.remote == nil ? Lane.all : Lane.all + [.remote] }

  private func mayStart(in lane: Lane, _ plan: Plan) -> Bool {
    lane == .remote ? plan.canStartRemotely : plan.canStart(in: lane)
  }

  private func startNext(in lane: Lane, _ plan: inout Plan, at now: Int) -> (step: StepIndex, attempt: Int)? {
    lane == .remote ? plan.startNextRemotely(at: now) : plan.startNext(in: lane, at: now)
  }

  /// What follows under the lock from a change of a durable run in place of waking slots.
  func carryOutDurably(_ state: inout RunState, _ aftermath: inout Aftermath) {
    for lane in Lane.all {
      if let waiting = state.durableStarts?.count(in: lane), waiting > 0 {
        wakeSlots(of: lane, for: waiting, &state, &aftermath)
      }
    }
    guard state.durableStarts?.isFlushing == false else { return }
    var isStuck = false
    var canStart = false
    for lane in lanes(of: state.plan) where mayStart(in: lane, state.plan) {
      if durableRoom(in: lane, state) > 0 { canStart = true } else { isStuck = true }
    }
    guard canStart || (state.plan.hasFacts && !isStuck) else { return }
    state.durableStarts?.isFlushing = true
    aftermath.mustFlush = true
  }

  /// Chooses what starts next, writes it with all that came out, and hands it out; on the journal's thread, until there is
  /// nothing to write.
  func flush() {
    guard let journal else { return }
    while true {
      var chosen: [(start: (step: StepIndex, attempt: Int), lane: Lane)] = []
      do throws(StoreProblem) {
        try journal.write(storedRun(.running)) {
          let (picked, chunks) = chooseStarts()
          chosen = picked
          return chunks
        }
      } catch {
        tellOfJournal(error)
        return giveBack(chosen)
      }
      let aftermath = handOut(chosen)
      perform(aftermath.aftermath)
      if !aftermath.hasMore { return }
    }
  }

  /// Marks as running what may start, and collects that with everything that came out.
  private func chooseStarts() -> ([(start: (step: StepIndex, attempt: Int), lane: Lane)], [RunChunk]) {
    let (chosen, facts, outputs, launch) = withPlan { state in
      var chosen: [(start: (step: StepIndex, attempt: Int), lane: Lane)] = []
      let now = state.instant(clock.now)
      for lane in lanes(of: state.plan) {
        var room = durableRoom(in: lane, state)
        while room > 0, let start = startNext(in: lane, &state.plan, at: now) {
          chosen.append((start, lane))
          room -= 1
        }
      }
      return (chosen, state.plan.takeFacts(), state.takeUnwrittenOutputs(), state.takeUnwrittenLaunch())
    }
    let chunks = launch ? [headerChunk()] : []
    return (chosen, facts.isEmpty && outputs.isEmpty ? chunks : chunks + [chunk(facts, outputs)])
  }

  /// What was chosen is on disk: slots may take it. Whether there is more to write.
  private func handOut(
    _ chosen: [(start: (step: StepIndex, attempt: Int), lane: Lane)]
  ) -> (aftermath: Aftermath, hasMore: Bool) {
    withPlan { state in
      for (start, lane) in chosen { state.durableStarts?.add(start, to: lane) }
      state.durableStarts?.isFlushing = false
      var aftermath = carryOut(&state)
      let hasMore = aftermath.mustFlush
      aftermath.mustFlush = false
      return (aftermath, hasMore)
    }
  }

  /// Ends what was chosen and cannot begin because the run can no longer be written down.
  private func giveBack(_ chosen: [(start: (step: StepIndex, attempt: Int), lane: Lane)]) {
    let aftermath = withPlan { state in
      for (start, _) in chosen {
        state.plan.apply(.ended(start.step, attempt: start.attempt, .cancelled), at: state.instant(clock.now))
      }
      return carryOut(&state)
    }
    perform(aftermath)
  }
}
