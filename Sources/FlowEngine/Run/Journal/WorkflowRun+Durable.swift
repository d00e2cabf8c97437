import FlowModel
import FlowStore

/// The steps of a durable run whose starts are on disk, and which no thread has taken.
struct DurableStarts {
  private var starts: [Int: [(step: StepIndex, attempt: Int)]] = [:]
  /// True if a write is scheduled.
  var isFlushing = false

  mutating func add(_ start: (step: StepIndex, attempt: Int), to pool: Pool) {
    starts[pool.index, default: []].append(start)
  }

  func count(in pool: Pool) -> Int { starts[pool.index]?.count ?? 0 }

  mutating func take(from pool: Pool) -> (step: StepIndex, attempt: Int)? {
    guard starts[pool.index]?.isEmpty == false else { return nil }
    return starts[pool.index]?.removeFirst()
  }
}

// The rule of a durable run: no step begins before its own start and all earlier entries are on disk.
//
// The rule is enforced at starts, because the end of a step has many consequences: a failure handler, a step that waits
// for an event, or a step that the gate releases. So threads do not take steps from the plan. The journal's thread
// chooses the steps that may start, writes their starts together with all new entries, and then passes the steps to
// their pools. Entries recorded in the meantime are part of the next write. It chooses more steps than there are
// threads, so that many short steps share a write. They run one after another on the available threads; if one takes
// long, the watch adds threads.
extension WorkflowRun {
  /// The maximum number of steps of a pool that have been chosen, but not taken by a thread.
  private static let chosenEarly = 64

  /// Returns the number of further steps of a pool that may be chosen now.
  private func durableRoom(in pool: Pool, _ state: RunState) -> Int {
    let waiting = state.durableStarts?.count(in: pool) ?? 0
    if pool == .main { return waiting == 0 && state.pools[pool.index].hasRoom ? 1 : 0 }
    return Self.chosenEarly - waiting
  }

  /// Returns the next step for a thread of the pool, or nil if no step may start now.
  func nextStart(in pool: Pool, _ state: inout RunState, at now: Int) -> (step: StepIndex, attempt: Int)? {
    if isGuarded, !isSureOfRun { return nil }
    guard state.durableStarts != nil else { return startNext(in: pool, &state.plan, at: now) }
    while let start = state.durableStarts?.take(from: pool) {
      // The step may have been cancelled or timed out during the write.
      if state.plan.isAwaiting(start.step, attempt: start.attempt) { return start }
      state.plan.apply(.ended(start.step, attempt: start.attempt, .cancelled), at: now)
    }
    return nil
  }

  private func pools(of plan: Plan) -> [Pool] { plan.remote == nil ? Array(Pool.all) : Pool.all + [.remote] }

  private func mayStart(in pool: Pool, _ plan: Plan) -> Bool {
    pool == .remote ? plan.canStartRemotely : plan.canStart(in: pool)
  }

  private func startNext(in pool: Pool, _ plan: inout Plan, at now: Int) -> (step: StepIndex, attempt: Int)? {
    pool == .remote ? plan.startNextRemotely(at: now) : plan.startNext(in: pool, at: now)
  }

  /// Handles a change to a durable run under the lock. Instead of waking threads for ready steps, it requests a write
  /// to the journal.
  func carryOutDurably(_ state: inout RunState, _ aftermath: inout Aftermath) {
    for pool in Pool.all {
      if let waiting = state.durableStarts?.count(in: pool), waiting > 0 {
        wakeThreads(of: pool, for: waiting, &state, &aftermath)
      }
    }
    guard state.durableStarts?.isFlushing == false else { return }
    var isStuck = false
    var canStart = false
    for pool in pools(of: state.plan) where mayStart(in: pool, state.plan) {
      if durableRoom(in: pool, state) > 0 { canStart = true } else { isStuck = true }
    }
    guard canStart || (state.plan.hasEntries && !isStuck) else { return }
    state.durableStarts?.isFlushing = true
    aftermath.mustFlush = true
  }

  /// Chooses the next steps to start, writes their starts with all new entries, and passes the steps to their pools.
  /// Repeats this on the journal's thread until there is nothing to write.
  func flush() {
    guard let journal else { return }
    while true {
      var chosen: [(start: (step: StepIndex, attempt: Int), pool: Pool)] = []
      do throws(StoreProblem) {
        let isWritten = try journal.write(storedRun(.running)) {
          let (picked, chunks) = chooseStarts()
          chosen = picked
          return chunks.map { .chunk($0) }
        }
        // The app is suspended, so its steps wait.
        guard isWritten else { return }
      } catch {
        tellOfJournal(error)
        return giveBack(chosen)
      }
      let aftermath = handOut(chosen)
      perform(aftermath.aftermath)
      if !aftermath.hasMore { return }
    }
  }

  /// Marks the steps that may start as running, and collects the chunks that contain their starts and all new entries.
  private func chooseStarts() -> ([(start: (step: StepIndex, attempt: Int), pool: Pool)], [RunChunk]) {
    let (chosen, entries, outputs, launch) = withPlan { state in
      var chosen: [(start: (step: StepIndex, attempt: Int), pool: Pool)] = []
      let now = state.instant(clock.now)
      for pool in pools(of: state.plan) {
        var room = durableRoom(in: pool, state)
        while room > 0, let start = startNext(in: pool, &state.plan, at: now) {
          chosen.append((start, pool))
          room -= 1
        }
      }
      return (chosen, state.plan.takeEntries(), state.takeUnwrittenOutputs(), state.takeUnwrittenLaunch())
    }
    let chunks = launch || inherited.hasUnrecorded ? [headerChunk()] : []
    return (chosen, entries.isEmpty && outputs.isEmpty ? chunks : chunks + [chunk(entries, outputs)])
  }

  /// Passes steps whose starts are on disk to their pools. `hasMore` is true if there are more entries to write.
  private func handOut(
    _ chosen: [(start: (step: StepIndex, attempt: Int), pool: Pool)]
  ) -> (aftermath: Aftermath, hasMore: Bool) {
    withPlan { state in
      for (start, pool) in chosen { state.durableStarts?.add(start, to: pool) }
      state.durableStarts?.isFlushing = false
      var aftermath = carryOut(&state)
      let hasMore = aftermath.mustFlush
      aftermath.mustFlush = false
      return (aftermath, hasMore)
    }
  }

  /// Cancels the chosen steps, because the run can no longer be recorded.
  private func giveBack(_ chosen: [(start: (step: StepIndex, attempt: Int), pool: Pool)]) {
    let aftermath = withPlan { state in
      for (start, _) in chosen {
        state.plan.apply(.ended(start.step, attempt: start.attempt, .cancelled), at: state.instant(clock.now))
      }
      return carryOut(&state)
    }
    perform(aftermath)
  }
}
