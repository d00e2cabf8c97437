import FlowModel

/// The state of each step according to a run's journal entries.
struct StepPasts {
  struct Past {
    /// The result, if it has finished.
    var finished: FinishedEntry?
    var failure: StepFailure?
    var failedAfterReady = false
    /// The number of attempts, and of those that do not count as retries.
    var attempts = 0
    var uncounted = 0
    /// The number of times its success was discarded.
    var repetitions = 0
    /// True if it was finished because an attempt had been interrupted.
    var failedInterrupted = false
    /// True if an attempt began whose result is unknown.
    var isInterrupted = false
  }

  /// The items of a step.
  struct PastFanOut {
    var hashes: [UInt64] = []
    /// The state of each index, including those beyond the last list. An index that is used again must get a new
    /// idempotency key.
    var items: [Int: Past] = [:]

    /// Replaces the list. An index with a different item starts over with a new key.
    fileprivate mutating func take(_ hashes: [UInt64]) {
      let keys = ItemKeys(hashes: self.hashes)
      for item in self.hashes.indices where !keys.isSame(item, in: hashes) {
        items[item] = Past(repetitions: (items[item]?.repetitions ?? 0) + 1)
      }
      self.hashes = hashes
    }
  }

  private(set) var steps: [Past]
  private(set) var fanOuts: [StepIndex: PastFanOut] = [:]
  /// True if the run was activated.
  private(set) var isActivated = false

  init(_ entries: [JournalEntry], count: Int) {
    steps = Array(repeating: Past(), count: count)
    for entry in entries { take(entry) }
  }

  private mutating func take(_ entry: JournalEntry) {
    if let task = entry.task {
      guard let item = task.item else { return steps[Int(task.step)].take(entry) }
      guard let fanOut = fanOuts[task.step] else { return }
      if case .carried = entry {} else { guard item < fanOut.hashes.count else { return } }
      fanOuts[task.step]?.items[item, default: Past()].take(entry)
      return
    }
    switch entry {
    case .expanded(let step, let hashes, _): fanOuts[step, default: PastFanOut()].take(hashes)
    case .grown(let step, let count, _): fanOuts[step, default: PastFanOut()].hashes.grow(toPosts: count)
    case .activated: isActivated = true
    case .posted, .gateOpened, .cancelled, .finished, .tried, .started, .begun, .carried, .failedAfterReady: break
    }
  }
}

extension StepPasts.Past {
  fileprivate mutating func take(_ entry: JournalEntry) {
    switch entry {
    case .finished(let finished, let failure):
      endAttempt()
      self.finished = finished
      failedInterrupted = failure?.code == "interrupted"
      attempts = Int(finished.attempts)
      self.failure = failure
    case .tried(_, let attempt, _, _):
      endAttempt()
      attempts = attempt
    case .started(_, let attempt, _):
      attempts = attempt
      uncounted += 1
      isInterrupted = true
    case .carried(_, let attempts, let uncounted, let repetitions):
      (self.attempts, self.uncounted, self.repetitions) = (attempts, uncounted, repetitions)
    case .failedAfterReady: failedAfterReady = true
    case .begun, .activated, .posted, .gateOpened, .cancelled, .expanded, .grown: break
    }
  }

  private mutating func endAttempt() {
    guard isInterrupted else { return }
    isInterrupted = false
    uncounted -= 1
  }
}

extension StepPasts.PastFanOut {
  /// True if an item succeeded.
  var hasSuccess: Bool { items.values.contains(where: \.hasSucceeded) }

  /// True if a step that must not run twice stays interrupted because of its items: either the first such item ends all
  /// others, or no other item is open.
  func stopsAtInterrupt(_ fanOut: FanOut?) -> Bool {
    guard items.values.contains(where: \.stopsAtInterrupt) else { return false }
    let isOver = hashes.indices.allSatisfy { index in
      guard let item = items[index] else { return false }
      return item.hasSucceeded || item.finished?.outcome == .skipped || item.stopsAtInterrupt
    }
    return isOver || fanOut?.isFailFast ?? true
  }
}

extension StepPasts.Past {
  /// True if an attempt may have begun.
  var hasUsedKeys: Bool { attempts > 0 || repetitions > 0 || finished?.outcome == .success }

  /// True if it ended with a success that still counts.
  var hasSucceeded: Bool { finished?.outcome == .success && !failedAfterReady }

  /// True if a step that must not run twice automatically stays interrupted.
  var stopsAtInterrupt: Bool { isInterrupted || failedInterrupted }

  /// Returns the handling of the step based on its own result.
  func fate(isOptional: Bool) -> ResumePlan.Fate {
    guard let finished else { return .again(.unfinished) }
    switch finished.outcome {
    case .success: return failedAfterReady ? .again(.ended(.failure)) : .kept
    case .skipped:
      let reasons: [SkipReason?] = [.condition, .disabled, .upToDate]
      return reasons.contains(finished.reason) ? .kept : .again(.ended(.skipped))
    // An optional failure concludes as a success.
    case .failure, .timedOut: return isOptional ? .kept : .again(.ended(finished.outcome))
    case .cancelled: return .again(.ended(.cancelled))
    }
  }

  /// Returns the attempts that a resume takes over. Discarding a success starts a new key without attempts. After a
  /// failure all retries are available again, and the numbering continues.
  func carried(isKept: Bool) -> (attempts: Int, uncounted: Int, repetitions: Int) {
    guard finished != nil, !isKept else { return (attempts, uncounted, repetitions) }
    if hasSucceeded { return (0, 0, repetitions + 1) }
    return (attempts, attempts, repetitions)
  }
}
