import FlowModel

/// An entry in the journal of a run. To continue a run, a new plan of the same workflow applies its entries.
///
/// Entries are results, such as the outcome of a step, and not the events that the plan received. The plan derives all
/// consequences by its own rules, so a newer engine can resume the run of an older one. Times are nanoseconds from the
/// start of the run.
package enum JournalEntry: Sendable, Hashable {
  /// The run was activated.
  case activated(Resolution, atNanoseconds: Int)
  /// A step or item finished, with its failure if it has one.
  case finished(FinishedEntry, StepFailure?)
  /// An attempt failed, and another one follows.
  case tried(TaskInstance, attempt: Int, StepFailure?, atNanoseconds: Int)
  /// An attempt was lost with its worker, and another one follows. It does not count as a retry.
  case lost(TaskInstance, attempt: Int, StepFailure?, atNanoseconds: Int)
  /// An attempt is about to begin. Recorded only if this must be on disk before the attempt begins.
  case started(TaskInstance, attempt: Int, atNanoseconds: Int)
  /// A body began: that of a second or later attempt, or that of a remote step on its worker.
  case begun(TaskInstance, isRemote: Bool, atNanoseconds: Int)
  /// A body ended after its maximum, or was abandoned because it did not end when asked to. Its step may have finished
  /// earlier.
  case outlasted(TaskInstance, overrunNanoseconds: Int?, isAbandoned: Bool)
  /// An event was posted. For an event that repeats, the first `Limits.events` posts are recorded; for others, only the
  /// first.
  case posted(String, by: EventPoster, atNanoseconds: Int)
  case gateOpened(OpenedGate)
  /// A service failed on its own after it was ready.
  case failedAfterReady(StepIndex, StepFailure, atNanoseconds: Int)
  case cancelled(atNanoseconds: Int)
  /// The state that a resumed run takes over for a step or item. `uncounted` attempts do not count as retries, and
  /// `repetitions` is the number of times that its success was discarded.
  case carried(TaskInstance, attempts: Int, uncounted: Int, repetitions: Int)
  /// The items of a fan-out have been determined. Each is represented by a hash.
  case expanded(StepIndex, hashes: [UInt64], atNanoseconds: Int)
  /// Posts have added items to a fan-out, which now has `count` items.
  case grown(StepIndex, count: Int, atNanoseconds: Int)
}

extension JournalEntry {
  /// The step or item of the entry, or nil if the entry concerns the run or all items of a step.
  package var task: TaskInstance? {
    switch self {
    case .finished(let finished, _): finished.task
    case .tried(let task, _, _, _), .started(let task, _, _), .begun(let task, _, _), .carried(let task, _, _, _),
      .outlasted(let task, _, _), .lost(let task, _, _, _):
      task
    case .failedAfterReady(let step, _, _): TaskInstance(step)
    case .activated, .posted, .gateOpened, .cancelled, .expanded, .grown: nil
    }
  }

  /// Returns this entry with `task` as its step or item if it is `tried`, `lost`, `begun` or `outlasted`. Any other
  /// entry is returned unchanged.
  func with(_ task: TaskInstance) -> JournalEntry {
    switch self {
    case .tried(_, let attempt, let failure, let time): .tried(task, attempt: attempt, failure, atNanoseconds: time)
    case .lost(_, let attempt, let failure, let time): .lost(task, attempt: attempt, failure, atNanoseconds: time)
    case .begun(_, let isRemote, let time): .begun(task, isRemote: isRemote, atNanoseconds: time)
    case .outlasted(_, let overrun, let isAbandoned):
      .outlasted(task, overrunNanoseconds: overrun, isAbandoned: isAbandoned)
    default: self
    }
  }
}

/// The origin of the first post of an event.
package enum EventPoster: Sendable, Hashable {
  case step(StepIndex)
  /// The event came from outside the run, or this is a later post.
  case outside
  /// The entry was written by an older version of flowrun, which did not record the origin.
  case unknown
}

/// The result of a step or item.
package struct FinishedEntry: Sendable, Hashable {
  package var task: TaskInstance
  package var attempts: UInt8
  package var outcome: Outcome
  /// The reason why the task was skipped, or nil if it was not.
  package var reason: SkipReason?
  /// True if the task's body was abandoned, because it did not end when asked to.
  package var isAbandoned = false
  /// The time at which the task became ready, or `Int.min` if it did not. Times are nanoseconds from the start of the
  /// run.
  package var readyAt: Int
  /// The time at which the task's first attempt started, or `Int.min` if none did.
  package var startedAt: Int
  /// The time at which the task finished.
  package var endedAt: Int
  /// The end of the last attempt, if the step's minimum delayed the end of the task; otherwise `Int.min`.
  package var workEndedAt: Int

  package init(
    _ task: TaskInstance, attempts: UInt8, outcome: Outcome, reason: SkipReason? = nil, isAbandoned: Bool = false,
    readyAt: Int, startedAt: Int, endedAt: Int, workEndedAt: Int = .min
  ) {
    self.task = task
    self.attempts = attempts
    self.outcome = outcome
    self.reason = reason
    self.isAbandoned = isAbandoned
    self.readyAt = readyAt
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.workEndedAt = workEndedAt
  }

  @inline(__always)
  init(_ task: TaskInstance, _ state: StepState, _ outcome: Outcome, workEndedAt: Int = never) {
    self.init(
      task, attempts: state.attempt, outcome: outcome, reason: state.reason,
      isAbandoned: state.marks.contains(.abandoned), readyAt: state.readyAt, startedAt: state.startedAt,
      endedAt: state.endedAt, workEndedAt: workEndedAt)
  }
}
