import FlowModel

/// An entry of a run's journal: another plan of the same workflow applies it to continue from there.
///
/// Facts, not commands: how a step ended, never what the plan was told. What follows from a journal entry the plan
/// works out by its own rules, so that a newer engine may read what an older one wrote. Times are nanoseconds from the
/// start of the run.
package enum JournalEntry: Sendable, Hashable {
  /// The launch is known.
  case activated(Resolution, atNanoseconds: Int)
  /// A step, or an item of one, is finished; the reason of a failure is stored next to it.
  case finished(FinishedEntry, StepFailure?)
  /// An attempt failed, and another follows.
  case tried(TaskInstance, attempt: Int, StepFailure?, atNanoseconds: Int)
  /// An attempt was about to begin; noted only where nothing may begin before it is on disk.
  case started(TaskInstance, attempt: Int, atNanoseconds: Int)
  /// An attempt behind the first began, or the body of one of an executor's steps began there.
  case begun(TaskInstance, isRemote: Bool, atNanoseconds: Int)
  /// An event was posted for the first time.
  case posted(String, atNanoseconds: Int)
  /// The gate opened.
  case gateOpened(OpenedGate)
  /// A service failed after its dependents had seen it ready.
  case failedAfterReady(StepIndex, StepFailure, atNanoseconds: Int)
  /// The run was cancelled.
  case cancelled(atNanoseconds: Int)
  /// What a resume knows of a task's past: the tries it has had, those of them that do not count against its retries, and
  /// how often a success of it was given up.
  case carried(TaskInstance, attempts: Int, uncounted: Int, repetitions: Int)
  /// The items of a step are known, by their hashes.
  case expanded(StepIndex, hashes: [UInt64], atNanoseconds: Int)
  /// The number of items of a step that runs for posts has grown.
  case grown(StepIndex, count: Int, atNanoseconds: Int)
}

extension JournalEntry {
  /// The step, or the item of one, whose life it is about; nil: it is about the run, or about the items of a step together.
  package var task: TaskInstance? {
    switch self {
    case .finished(let finished, _): finished.task
    case .tried(let task, _, _, _), .started(let task, _, _), .begun(let task, _, _), .carried(let task, _, _, _): task
    case .failedAfterReady(let step, _, _): TaskInstance(step)
    case .activated, .posted, .gateOpened, .cancelled, .expanded, .grown: nil
    }
  }
}

/// How a step, or an item of one, ended.
package struct FinishedEntry: Sendable, Hashable {
  /// Which.
  package var task: TaskInstance
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

  /// A task that ended so.
  package init(
    _ task: TaskInstance, attempts: UInt8, outcome: Outcome, reason: SkipReason? = nil, isAbandoned: Bool = false,
    readyAt: Int, startedAt: Int, endedAt: Int
  ) {
    self.task = task
    self.attempts = attempts
    self.outcome = outcome
    self.reason = reason
    self.isAbandoned = isAbandoned
    self.readyAt = readyAt
    self.startedAt = startedAt
    self.endedAt = endedAt
  }

  /// A task in the state in which it was finished.
  @inline(__always)
  init(_ task: TaskInstance, _ state: StepState, _ outcome: Outcome) {
    self.init(
      task, attempts: state.attempt, outcome: outcome, reason: state.reason,
      isAbandoned: state.marks.contains(.abandoned), readyAt: state.readyAt, startedAt: state.startedAt,
      endedAt: state.endedAt)
  }
}
