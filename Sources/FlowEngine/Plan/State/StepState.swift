import FlowModel

/// The status of a step. An ordinary step goes through `waiting`, `queued`, `running` and `done`. If an attempt fails
/// and is repeated, the step goes from `running` to `retrying` and back to `queued`.
package enum StepStatus: UInt8, Sendable {
  /// The step waits for its dependencies, for events or for the gate.
  case waiting
  /// The step is ready, but held until activation (in a prewarmed run) or until the run is idle.
  case held
  /// The step's `if` is being evaluated.
  case deciding
  /// The step is ready and waits for a slot in its queue.
  case queued
  case running
  /// The step pauses between two attempts.
  case retrying
  /// The step has succeeded before its minimum, and finishes when the minimum is reached.
  case holding
  case done
}

/// The outcomes that a step can have.
public enum Outcome: UInt8, Sendable, Hashable, CaseIterable {
  case success, failure, timedOut, cancelled, skipped

  /// The name of the outcome in reports and expressions, such as `timed-out`.
  public var word: String {
    switch self {
    case .success: "success"
    case .failure: "failure"
    case .timedOut: "timed-out"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    }
  }
}

/// The reason why a step or item was skipped.
package enum SkipReason: UInt8, Sendable, Hashable, CaseIterable {
  case condition, disabled, upstreamFailed, eventNeverPosted, runCancelled, notSelected
  /// Another item failed, and the fan-out has `fail-fast`.
  case failFast
  /// The time limit of the whole fan-out was reached.
  case fanOutTimedOut
  /// The step's inputs and products have not changed since its last run.
  case upToDate

  /// The name of the reason in reports, such as `upstream-failed`.
  package var word: String {
    switch self {
    case .condition: "condition"
    case .disabled: "disabled"
    case .upstreamFailed: "upstream-failed"
    case .eventNeverPosted: "event-never-posted"
    case .runCancelled: "run-cancelled"
    case .notSelected: "not-selected"
    case .failFast: "fail-fast"
    case .fanOutTimedOut: "fan-timed-out"
    case .upToDate: "up-to-date"
    }
  }
}

/// The failure of a step, with a code for programs and a message for people.
public struct StepFailure: Error, Sendable, Hashable {
  /// A stable word: one of the action's codes, or one of the engine's own, such as `error`, `expression` or
  /// `attempt-deadline`.
  public var code: String
  /// A description of the failure: one sentence without a final period.
  public var message: String

  /// Creates a failure from its code and message.
  package init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// The first line of the message, without a final colon.
  var headline: String {
    let first = message.prefix { $0 != "\n" }
    return String(first.count < message.count && first.last == ":" ? first.dropLast() : first)
  }
}

/// The changing state of a step or item. Times are nanoseconds from the start of the run, or `never`.
struct StepState: Sendable {
  var readyAt = never
  var startedAt = never
  var endedAt = never
  /// The number of unfinished dependencies and unposted events, plus one each for a closed gate, and for other steps,
  /// services or bodies that the step waits for.
  var open: Int32 = 0
  var attempt: UInt8 = 0
  var status = StepStatus.waiting
  /// The outcome (three bits) and the skip reason (five bits), each plus one, so that 0 means nil. They are stored in
  /// one byte, so that two states share a cache line.
  private var ending: UInt8 = 0
  var marks: Marks = []

  var outcome: Outcome? {
    get { Outcome(rawValue: (ending & 7) &- 1) }
    set { ending = ending & 0o370 | (newValue.map { $0.rawValue &+ 1 } ?? 0) }
  }

  var reason: SkipReason? {
    get { SkipReason(rawValue: (ending >> 3) &- 1) }
    set { ending = ending & 7 | (newValue.map { $0.rawValue &+ 1 } ?? 0) << 3 }
  }

  /// True if the step succeeded and, if it is a service, did not fail afterwards.
  @inline(__always)
  var hasSucceeded: Bool { ending == Outcome.success.rawValue &+ 1 && !marks.contains(.failedAfterReady) }

  @inline(__always)
  mutating func end(_ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    status = .done
    ending = outcome.rawValue &+ 1 | (reason.map { $0.rawValue &+ 1 } ?? 0) << 3
    endedAt = now
  }

  struct Marks: OptionSet {
    let rawValue: UInt8
    static let late = Marks(rawValue: 1)
    static let abandoned = Marks(rawValue: 2)
    /// A dependency ended unsatisfied, for a reason other than an event that was never posted.
    static let dependencyFailed = Marks(rawValue: 4)
    /// A dependency was skipped, directly or not, because an event was never posted.
    static let dependencyNeverPosted = Marks(rawValue: 8)
    /// The step is a service that has reported that it is ready, and has not returned.
    static let serving = Marks(rawValue: 16)
    /// The step is in the list of an event's waiters.
    static let awaitsEvent = Marks(rawValue: 32)
    /// The step may run in a run that is being cancelled.
    static let cleanup = Marks(rawValue: 64)
    /// The step is a service that failed on its own after it was ready. Its dependents treat it as succeeded, unless it
    /// runs a command and is not optional.
    static let failedAfterReady = Marks(rawValue: 128)
  }
}

/// The time of a transition that has not happened.
let never = Int.min
