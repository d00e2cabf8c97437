import FlowModel

/// An entry of a run's journal. A new plan of the same workflow applies the entries to continue the run.
///
/// Entries record results, such as the outcome of a step, and not the events that the plan received. The plan derives
/// the consequences by its own rules, so a newer engine can read the journal of an older one. Times are nanoseconds
/// from the start of the run.
package enum JournalEntry: Sendable, Hashable {
  /// The run was activated.
  case activated(Resolution, atNanoseconds: Int)
  /// A step or an item finished. The failure, if any, is stored with it.
  case finished(FinishedEntry, StepFailure?)
  /// An attempt failed, and another follows.
  case tried(TaskInstance, attempt: Int, StepFailure?, atNanoseconds: Int)
  /// An attempt was about to begin. Recorded only if this must be on disk before the attempt begins.
  case started(TaskInstance, attempt: Int, atNanoseconds: Int)
  /// A later attempt than the first began, or the body of a remote step began.
  case begun(TaskInstance, isRemote: Bool, atNanoseconds: Int)
  /// An event was posted for the first time.
  case posted(String, atNanoseconds: Int)
  /// The gate opened.
  case gateOpened(OpenedGate)
  /// A service failed after it had been ready.
  case failedAfterReady(StepIndex, StepFailure, atNanoseconds: Int)
  /// The run was cancelled.
  case cancelled(atNanoseconds: Int)
  /// The past of a task that a resume takes over: its attempts, the number of them that do not count as retries, and
  /// how often its success was discarded.
  case carried(TaskInstance, attempts: Int, uncounted: Int, repetitions: Int)
  /// The hashes of a step's items, once they are known.
  case expanded(StepIndex, hashes: [UInt64], atNanoseconds: Int)
  /// The number of items of a step that runs for posts has grown.
  case grown(StepIndex, count: Int, atNanoseconds: Int)
}

extension JournalEntry {
  /// The step or item that the entry is about, or nil if it is about the run or all items of a step.
  package var task: TaskInstance? {
    switch self {
    case .finished(let finished, _): finished.task
    case .tried(let task, _, _, _), .started(let task, _, _), .begun(let task, _, _), .carried(let task, _, _, _): task
    case .failedAfterReady(let step, _, _): TaskInstance(step)
    case .activated, .posted, .gateOpened, .cancelled, .expanded, .grown: nil
    }
  }
}

/// The result of a step or an item.
package struct FinishedEntry: Sendable, Hashable {
  /// The step or item.
  package var task: TaskInstance
  /// The number of attempts.
  package var attempts: UInt8
  /// The outcome.
  package var outcome: Outcome
  /// The reason why it did not run, or nil if it did.
  package var reason: SkipReason?
  /// True if its body ignored the cancellation and was abandoned.
  package var isAbandoned = false
  /// The time at which it only waited for capacity, in nanoseconds from the start of the run, or `Int.min` if that
  /// never happened.
  package var readyAt: Int
  /// The time at which its first attempt started, or `Int.min` if none did.
  package var startedAt: Int
  /// The time at which it finished.
  package var endedAt: Int

  /// Creates the result of a task.
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

  /// Creates the result of a task from its final state.
  @inline(__always)
  init(_ task: TaskInstance, _ state: StepState, _ outcome: Outcome) {
    self.init(
      task, attempts: state.attempt, outcome: outcome, reason: state.reason,
      isAbandoned: state.marks.contains(.abandoned), readyAt: state.readyAt, startedAt: state.startedAt,
      endedAt: state.endedAt)
  }
}
