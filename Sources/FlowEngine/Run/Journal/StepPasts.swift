import FlowModel

/// What the journal entries of a run say of each step.
struct StepPasts {
  struct Past {
    /// How it ended, when it did.
    var finished: FinishedEntry?
    var failure: StepFailure?
    var failedAfterReady = false
    /// Tries, and those that do not count against its retries.
    var attempts = 0
    var uncounted = 0
    /// How often a success of it was given up.
    var repetitions = 0
    /// Whether it was finished because an attempt of it had been interrupted.
    var failedInterrupted = false
    /// Whether an attempt began of which nothing more is known.
    var isInterrupted = false
  }

  /// The items of a step.
  struct PastFanOut {
    var hashes: [UInt64] = []
    /// What is known of each index, also of those beyond the list as it was last: an index that comes back must not use an
    /// idempotency key again.
    var items: [Int: Past] = [:]

    /// The list was evaluated again: an index with another item starts over, under another key.
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
  /// Whether the launch was known.
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
  /// Whether some item had succeeded.
  var hasSuccess: Bool { items.values.contains(where: \.hasSucceeded) }

  /// Whether a step that must not run twice by itself stays as it is, because attempts of its items were interrupted:
  /// the first such item ends all others, or nothing else is open.
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
  /// Whether an attempt of it may have begun.
  var hasUsedKeys: Bool { attempts > 0 || repetitions > 0 || finished?.outcome == .success }

  /// Whether it ended with a success that still counts.
  var hasSucceeded: Bool { finished?.outcome == .success && !failedAfterReady }

  /// Whether a step that must not run twice by itself stays as it is.
  var stopsAtInterrupt: Bool { isInterrupted || failedInterrupted }

  /// What happens to the step, judged by its own result.
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

  /// The attempts that a resume takes along. A success that is given up begins a new key, and its attempts with it; a
  /// failure that is has all its attempts again, under numbers that continue.
  func carried(isKept: Bool) -> (attempts: Int, uncounted: Int, repetitions: Int) {
    guard finished != nil, !isKept else { return (attempts, uncounted, repetitions) }
    if hasSucceeded { return (0, 0, repetitions + 1) }
    return (attempts, attempts, repetitions)
  }
}
