import FlowModel

/// What must be done outside the lock after a change.
struct Aftermath {
  /// Which threads to wake or to watch, in order.
  var threads: [ThreadRequest] = []
  /// Steps whose bodies executors must run.
  var remoteStarts: [Start] = []
  /// Steps of which executors are to know the items before they run the first.
  var expectations: [(step: StepIndex, items: [Int], atOnce: Int)] = []
  /// Steps whose items must be worked out from files.
  var surveys: [StepIndex] = []
  /// Attempts that must be asked to end.
  var cancellations: [(step: StepIndex, attempt: Int)] = []
  /// When the plan's timer must be set; nil: it is.
  var timerAt: Int?
  /// Whether the gate has been armed, and its clock is to begin.
  var mustBeginGate = false
  var mustDeliver = false
  /// Whether the journal of a durable run must be written before more can start.
  var mustFlush = false
  /// Whether a check that this process still has the run is due before more can start.
  var mustAwaitLease = false
  var hasEnded = false
  /// Warnings, to be reported.
  var warning: String?

  /// A request about the threads of a pool.
  enum ThreadRequest {
    /// Wakes one of them.
    case wake(Pool)
    /// Checks after this time whether a thread came free.
    case watch(Pool, nanoseconds: Int)
  }
}
