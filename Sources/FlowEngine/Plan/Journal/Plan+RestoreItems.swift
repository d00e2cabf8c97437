import FlowModel

// In a resumed run, the journal entries of items are kept until the items have been determined again. The recorded
// result of an item is used if the item at its index has not changed.
extension Plan {
  /// Recreates the items of a finished step for the report.
  mutating func rebuildItems(of step: StepIndex, _ outcome: Outcome, at now: Int) {
    guard let recalled = fanOuts.recalled[step], fanOuts.index(of: step) == nil else { return }
    let first = fanOuts.nextInstance(behind: states.count)
    let index = fanOuts.add(PlanFanOut(step, firstInstance: first, width: .max, hashes: recalled.hashes))
    recall(index, everything: true, at: now)
    closeFanOut(step, outcome, at: now)
  }

  /// Restores the results and attempts of items whose hash has not changed. Skipped items run again, unless
  /// `everything` is true.
  mutating func recall(_ index: Int, everything: Bool = false, at now: Int) {
    let step = fanOuts[index].step
    guard let recalled = fanOuts.recalled.removeValue(forKey: step) else { return }
    // Record nothing: observers have received these events in the earlier process, and the new journal has these
    // entries.
    let (told, feed) = (detail, journal)
    (detail, journal) = (.none, nil)
    defer { (detail, journal) = (told, feed) }
    let count = fanOuts[index].states.count
    let keys = ItemKeys(hashes: recalled.hashes)
    func isSame(_ item: Int) -> Bool { keys.isSame(item, in: fanOuts[index].hashes) }
    for (item, known) in recalled.finished.sorted(by: { $0.key < $1.key }) where item < count {
      let finished = known.entry
      guard isSame(item), everything || finished.outcome != .skipped else { continue }
      let task = task(item, of: index)
      particulars.failures[task.index] = known.failure
      particulars.attemptTimes[task.index] = recalled.attemptTimes[item]
      if let begun = recalled.beginnings[item] {
        particulars.beginnings[task.index] = Beginning(firstAt: begun, attempt: finished.attempts)
      }
      finish(task, finished.outcome, finished.reason, at: finished.endedAt)
      change(task) { $0.recall(finished) }
      if finished.startedAt != never, states[step].startedAt == never, states[step].status != .done {
        noteFirstStart(of: step, at: now)
      }
    }
    for (item, attempts) in recalled.attempts where item < count && recalled.finished[item] == nil {
      guard isSame(item) else { continue }
      fanOuts[index].states[item].attempt = attempts
      if machine != nil { growRequest(of: step, toAttempt: Int(attempts) + 1) }
      particulars.interruptions[fanOuts[index].firstInstance + StepIndex(item)] = recalled.interruptions[item]
    }
  }
}

extension [UInt64] {
  /// Adds hashes for posts until there are `count`, but at most `Limits.events`. The hash of a post is its number.
  mutating func grow(toPosts count: Int) {
    while self.count < Swift.min(count, Limits.events) { append(UInt64(self.count + 1)) }
  }
}

/// The items of a fan-out, as recorded in the journal of a resumed run.
struct RecalledFanOut: Sendable {
  private(set) var hashes: [UInt64] = []
  private(set) var finished: [Int: (entry: FinishedEntry, failure: StepFailure?)] = [:]
  private(set) var attempts: [Int: UInt8] = [:]
  /// For each item, the number of attempts that ended with an earlier process and do not count as retries.
  private(set) var interruptions: [Int: UInt8] = [:]
  /// The attempts of items that have had more than one.
  private(set) var attemptTimes: [Int: [AttemptTimes]] = [:]
  /// The time at which the body of a remote item first began, by item.
  private(set) var beginnings: [Int: Int] = [:]

  /// Replaces the items. Results and attempts of items that have changed are removed.
  mutating func replaceItems(_ new: [UInt64]) {
    let keys = ItemKeys(hashes: hashes)
    finished = finished.filter { keys.isSame($0.key, in: new) }
    attempts = attempts.filter { keys.isSame($0.key, in: new) }
    attemptTimes = attemptTimes.filter { attempts[$0.key] != nil || finished[$0.key] != nil }
    beginnings = beginnings.filter { attempts[$0.key] != nil || finished[$0.key] != nil }
    hashes = new
  }

  /// Increases the number of items to `count`, the number of posts.
  mutating func grow(to count: Int) { hashes.grow(toPosts: count) }

  mutating func add(_ entry: JournalEntry) {
    guard let item = entry.task?.item else { return }
    switch entry {
    case .finished(let step, let failure):
      if item < hashes.count { finished[item] = (step, failure) }
      attemptTimes[item] = attemptTimes[item].ending(
        with: step, behind: attempts[item] ?? 0, begunAt: beginnings[item])
    case .lost(_, let attempt, _, let time):
      attemptTimes[item, default: []].noteEnd(startedAt: never, begunAt: beginnings[item] ?? never, at: time)
      attempts[item] = UInt8(clamping: min(attempt, 150))
    case .tried(_, let attempt, _, let time):
      attemptTimes[item, default: []].noteEnd(startedAt: never, begunAt: beginnings[item] ?? never, at: time)
      attempts[item] = UInt8(clamping: min(attempt, 150))
      if let count = interruptions[item] { interruptions[item] = count > 0 ? count - 1 : 0 }
    case .begun(_, let isRemote, let time):
      attemptTimes[item]?.noteStart(at: time)
      guard isRemote else { return }
      beginnings[item] = beginnings[item] ?? time
      if let last = attemptTimes[item]?.indices.last { attemptTimes[item]?[last].begunAt = time }
    case .started(_, let attempt, let time):
      attemptTimes[item]?.noteStart(at: time)
      attempts[item] = UInt8(clamping: min(attempt, 150))
      interruptions[item] = min(100, (interruptions[item] ?? 0) + 1)
    case .outlasted(_, _, let isAbandoned):
      if isAbandoned { finished[item]?.entry.isAbandoned = true }
    case .carried(_, let attempts, let uncounted, _):
      self.attempts[item] = UInt8(clamping: min(attempts, 150))
      interruptions[item] = UInt8(clamping: min(uncounted, 150))
    case .activated, .posted, .gateOpened, .failedAfterReady, .cancelled, .expanded, .grown: break
    }
  }
}
