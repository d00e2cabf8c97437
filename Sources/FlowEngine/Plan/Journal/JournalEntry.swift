import FlowModel

/// What came out of a run, as another plan of the same workflow takes it in to continue from there.
///
/// Facts, not commands: how a step ended, never what the plan was told. What follows from a journal entry the plan
/// works out by its own rules, so that a newer engine may read what an older one wrote. Times are nanoseconds from the
/// start of the run.
package enum JournalEntry: Sendable, Hashable {
  /// The launch is known.
  case activated(Resolution, atNanoseconds: Int)
  /// A step is finished; the reason of a failure is stored next to it.
  case finished(FinishedEntry, StepFailure?)
  /// An attempt failed, and another follows.
  case tried(StepIndex, attempt: Int, StepFailure?, atNanoseconds: Int)
  /// An attempt was about to begin; noted only where nothing may begin before it is on disk.
  case started(StepIndex, attempt: Int, atNanoseconds: Int)
  /// An attempt behind the first began, or the body of one of an executor's steps began there.
  case begun(StepIndex, isRemote: Bool, atNanoseconds: Int)
  /// An event was posted for the first time.
  case posted(String, atNanoseconds: Int)
  /// The gate opened.
  case gateOpened(OpenedGate)
  /// A service failed after its dependents had seen it ready.
  case failedAfterReady(StepIndex, StepFailure, atNanoseconds: Int)
  /// The run was cancelled.
  case cancelled(atNanoseconds: Int)
  /// What a resume knows of a step's past: the tries it has had, those of them that do not count against its retries, and
  /// how often a success of it was given up.
  case carried(StepIndex, attempts: Int, uncounted: Int, repetitions: Int)
  /// The items of a step are known, by their hashes.
  case expanded(StepIndex, hashes: [UInt64], atNanoseconds: Int)
  /// The items of a step that runs for posts are so many now.
  case grown(StepIndex, count: Int, atNanoseconds: Int)
  /// What came out of an item of a step.
  case item(of: StepIndex, ItemEntry)
}

/// What came out of an item of a step: the journal entries that there are of steps too, naming the item's index in
/// place of a step's.
///
/// A type of its own and no journal entry in a journal entry, which would be an allocation for each item.
package enum ItemEntry: Sendable, Hashable {
  case finished(FinishedEntry, StepFailure?)
  case tried(StepIndex, attempt: Int, StepFailure?, atNanoseconds: Int)
  case started(StepIndex, attempt: Int, atNanoseconds: Int)
  case begun(StepIndex, isRemote: Bool, atNanoseconds: Int)
  case carried(StepIndex, attempts: Int, uncounted: Int, repetitions: Int)

  /// The same of an item; nil: items have no such journal entries.
  package init?(_ entry: JournalEntry) {
    switch entry {
    case .finished(let item, let failure): self = .finished(item, failure)
    case .tried(let item, let attempt, let failure, let time):
      self = .tried(item, attempt: attempt, failure, atNanoseconds: time)
    case .started(let item, let attempt, let time): self = .started(item, attempt: attempt, atNanoseconds: time)
    case .begun(let item, let isRemote, let time): self = .begun(item, isRemote: isRemote, atNanoseconds: time)
    case .carried(let item, let attempts, let uncounted, let repetitions):
      self = .carried(item, attempts: attempts, uncounted: uncounted, repetitions: repetitions)
    case .activated, .posted, .gateOpened, .failedAfterReady, .cancelled, .expanded, .grown, .item: return nil
    }
  }

  /// The same as if the item were a step.
  package var ofStep: JournalEntry {
    switch self {
    case .finished(let item, let failure): .finished(item, failure)
    case .tried(let item, let attempt, let failure, let time):
      .tried(item, attempt: attempt, failure, atNanoseconds: time)
    case .started(let item, let attempt, let time): .started(item, attempt: attempt, atNanoseconds: time)
    case .begun(let item, let isRemote, let time): .begun(item, isRemote: isRemote, atNanoseconds: time)
    case .carried(let item, let attempts, let uncounted, let repetitions):
      .carried(item, attempts: attempts, uncounted: uncounted, repetitions: repetitions)
    }
  }
}

/// How a step ended.
package struct FinishedEntry: Sendable, Hashable {
  /// The step.
  package var step: StepIndex
  /// Tries it had.
  package var attempts: UInt8
  /// How it ended.
  package var outcome: Outcome
  /// Why it did not run; nil when it did.
  package var reason: SkipReason?
  /// Whether it was left behind because it ignored its cancellation.
  package var isAbandoned = false
  /// Nanoseconds from the start of the run at which nothing held it back but capacity; `Int.min`: never.
  package var readyAt: Int
  /// … at which its first attempt started; `Int.min`: never.
  package var startedAt: Int
  /// … at which it was finished.
  package var endedAt: Int

  /// A step that ended so.
  package init(
    step: StepIndex, attempts: UInt8, outcome: Outcome, reason: SkipReason? = nil, isAbandoned: Bool = false,
    readyAt: Int, startedAt: Int, endedAt: Int
  ) {
    self.step = step
    self.attempts = attempts
    self.outcome = outcome
    self.reason = reason
    self.isAbandoned = isAbandoned
    self.readyAt = readyAt
    self.startedAt = startedAt
    self.endedAt = endedAt
  }

  /// A step, or an item, in the state in which it was finished.
  init(_ step: StepIndex, _ state: StepState, _ outcome: Outcome) {
    self.init(
      step: step, attempts: state.attempt, outcome: outcome, reason: state.reason,
      isAbandoned: state.marks.contains(.abandoned), readyAt: state.readyAt, startedAt: state.startedAt,
      endedAt: state.endedAt)
  }
}
