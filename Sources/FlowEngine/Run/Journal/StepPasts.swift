import FlowModel

/// The state of each step at the end of an earlier process, according to the entries of a journal.
struct StepPasts {
  struct Past {
    /// The result of the step, or nil if the step has not finished.
    var finished: FinishedEntry?
    var failure: StepFailure?
    var failedAfterReady = false
    /// The number of attempts, and the number of those that do not count as retries.
    var attempts = 0
    var uncounted = 0
    /// The number of times that its success was discarded.
    var repetitions = 0
    /// True if an earlier resume failed the step because an attempt had been interrupted.
    var failedInterrupted = false
    /// True if an attempt began and its end was not recorded.
    var isInterrupted = false
    /// True if a body of the step was abandoned, possibly after the step had finished.
    fileprivate(set) var wasAbandoned = false
    /// The entries about the starts and ends of attempts, in order.
    fileprivate(set) var attemptEntries: [JournalEntry] = []
  }

  /// The state of a fan-out's items.
  struct PastFanOut {
    var hashes: [UInt64] = []
    /// The state of each item, including items beyond the end of the current list. If their indices are used again,
    /// they need new idempotency keys.
    var items: [Int: Past] = [:]

    /// Replaces the list of items. If the item at an index differs, it starts from scratch with a new key.
    fileprivate mutating func replaceItems(_ hashes: [UInt64]) {
      let keys = ItemKeys(hashes: self.hashes)
      for item in self.hashes.indices where !keys.isSame(item, in: hashes) {
        items[item] = Past(repetitions: (items[item]?.repetitions ?? 0) + 1)
      }
      self.hashes = hashes
    }
  }

  private(set) var steps: [Past]
  private(set) var fanOuts: [StepIndex: PastFanOut] = [:]
  private(set) var isActivated = false

  init(_ entries: [JournalEntry], count: Int) {
    steps = Array(repeating: Past(), count: count)
    for entry in entries { add(entry) }
  }

  private mutating func add(_ entry: JournalEntry) {
    if let task = entry.task {
      guard let item = task.item else { return steps[Int(task.step)].add(entry) }
      guard let fanOut = fanOuts[task.step] else { return }
      if case .carried = entry {} else { guard item < fanOut.hashes.count else { return } }
      fanOuts[task.step]?.items[item, default: Past()].add(entry)
      return
    }
    switch entry {
    case .expanded(let step, let hashes, _): fanOuts[step, default: PastFanOut()].replaceItems(hashes)
    case .grown(let step, let count, _): fanOuts[step, default: PastFanOut()].hashes.grow(toPosts: count)
    case .activated: isActivated = true
    case .posted, .gateOpened, .cancelled, .finished, .tried, .started, .begun, .carried, .outlasted, .lost,
      .failedAfterReady:
      break
    }
  }
}

extension StepPasts.Past {
  fileprivate mutating func add(_ entry: JournalEntry) {
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
      attemptEntries.append(entry)
    case .lost(_, let attempt, _, _):
      // In a durable run, the attempt was counted when it started.
      if !isInterrupted { uncounted += 1 }
      isInterrupted = false
      attempts = attempt
      attemptEntries.append(entry)
    case .started(_, let attempt, _):
      attempts = attempt
      uncounted += 1
      isInterrupted = true
    case .carried(_, let attempts, let uncounted, let repetitions):
      (self.attempts, self.uncounted, self.repetitions) = (attempts, uncounted, repetitions)
    case .failedAfterReady: failedAfterReady = true
    case .begun: attemptEntries.append(entry)
    case .outlasted(_, _, let isAbandoned):
      attemptEntries.append(entry)
      if isAbandoned { wasAbandoned = true }
    case .activated, .posted, .gateOpened, .cancelled, .expanded, .grown: break
    }
  }

  private mutating func endAttempt() {
    guard isInterrupted else { return }
    isInterrupted = false
    uncounted -= 1
  }
}

extension StepPasts.PastFanOut {
  var hasSuccess: Bool { items.values.contains(where: \.hasSucceeded) }

  /// True if a fan-out with `on-interrupt: fail` must not continue, because an item was interrupted and either
  /// `fail-fast` is set or no other item is unfinished.
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
  /// True if an attempt may have sent requests with the idempotency key.
  var hasUsedKeys: Bool { attempts > 0 || repetitions > 0 || finished?.outcome == .success }

  /// True if the step succeeded and, if it is a service, did not fail afterwards.
  var hasSucceeded: Bool { finished?.outcome == .success && !failedAfterReady }

  /// True if an attempt was interrupted, so that a step with `on-interrupt: fail` must not run again.
  var stopsAtInterrupt: Bool { isInterrupted || failedInterrupted }

  /// Returns the fate of the step, based only on its own result.
  func fate(isOptional: Bool) -> ResumePlan.Fate {
    guard let finished else { return .again(.unfinished) }
    switch finished.outcome {
    case .success: return failedAfterReady ? .again(.ended(.failure)) : .kept
    case .skipped:
      let reasons: [SkipReason?] = [.condition, .disabled, .upToDate]
      return reasons.contains(finished.reason) ? .kept : .again(.ended(.skipped))
    // An optional failure counts as a success for the run.
    case .failure, .timedOut: return isOptional ? .kept : .again(.ended(finished.outcome))
    case .cancelled: return .again(.ended(.cancelled))
    }
  }

  /// Returns the attempts that a resumed run continues with. If a success is discarded, the step starts from scratch
  /// with a new key. After a failure, all retries are available again, but the numbering of attempts continues.
  func carried(isKept: Bool) -> (attempts: Int, uncounted: Int, repetitions: Int) {
    guard finished != nil, !isKept else { return (attempts, uncounted, repetitions) }
    if hasSucceeded { return (0, 0, repetitions + 1) }
    return (attempts, attempts, repetitions)
  }
}
