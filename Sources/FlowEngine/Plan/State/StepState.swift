import FlowModel

/// Where a step is in its life: `pending → waiting → queued → running → (retrying → running)* → done`.
public enum StepStatus: UInt8, Sendable {
  /// Waits for needs, events or the gate.
  case waiting
  /// Could start but for activation (a prewarmed run) or for the run to be idle.
  case held
  /// Its `if` is being evaluated.
  case deciding
  /// Ready, waits for capacity to run.
  case queued
  case running
  /// Between two attempts.
  case retrying
  /// Succeeded before its minimum; reported when that is reached.
  case holding
  case done
}

/// How a step ended.
public enum Outcome: UInt8, Sendable, Hashable, CaseIterable {
  case success, failure, timedOut, cancelled, skipped

  /// The word in reports and expressions.
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

/// Why a step did not run.
public enum SkipReason: UInt8, Sendable, Hashable, CaseIterable {
  case condition, disabled, upstreamFailed, eventNeverPosted, runCancelled, notSelected
  /// Of items: another one had failed.
  case failFast
  /// Of items: the time of all of them together was over.
  case fanOutTimedOut
  /// What it reads and makes is as it left it.
  case upToDate

  /// The word in reports.
  public var word: String {
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

/// Why a step failed, for people and programs.
public struct StepFailure: Error, Sendable, Hashable {
  /// A stable word: one of the action's codes, or the engine's own `error`, `expression`, `attempt-deadline`.
  public var code: String
  /// What happened, as a sentence without a full stop.
  public var message: String

  /// A failure.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// The first line of the message.
  var headline: String {
    let first = message.prefix { $0 != "\n" }
    return String(first.count < message.count && first.last == ":" ? first.dropLast() : first)
  }
}

/// What changes about a step while a run continues. Times are nanoseconds from the start of the run; `never` where it did
/// not happen.
struct StepState: Sendable {
  var readyAt = never
  var startedAt = never
  var endedAt = never
  /// Needs not finished, events not posted, and one for a gate not open.
  var open: Int32 = 0
  var attempt: UInt8 = 0
  var status = StepStatus.waiting
  /// Outcome and reason in one byte, so that two steps fill a cache line: three bits and five, each one more than its value.
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

  /// Whether it is finished as a success, for good.
  @inline(__always)
  var hasSucceeded: Bool { ending == Outcome.success.rawValue &+ 1 && !marks.contains(.failedAfterReady) }

  /// Finished as a success.
  @inline(__always)
  mutating func succeed(at now: Int) {
    status = .done
    ending = Outcome.success.rawValue &+ 1
    endedAt = now
  }

  struct Marks: OptionSet {
    let rawValue: UInt8
    static let late = Marks(rawValue: 1)
    static let abandoned = Marks(rawValue: 2)
    /// A dependency ended unsatisfied for another reason than an event that was never posted.
    static let dependencyFailed = Marks(rawValue: 4)
    /// A dependency was skipped, directly or not, because an event was never posted.
    static let dependencyNeverPosted = Marks(rawValue: 8)
    /// A service that reported ready and has not returned.
    static let serving = Marks(rawValue: 16)
    /// Counted among the events it still waits for.
    static let awaitsEvent = Marks(rawValue: 32)
    /// Chosen to run while the run is being cancelled.
    static let cleanup = Marks(rawValue: 64)
    /// A service that reported ready, and later returned an error by itself. Its dependents saw it succeed.
    static let failedAfterReady = Marks(rawValue: 128)
  }
}

/// The time of what did not happen.
let never = Int.min
