import FlowModel

/// What must be done outside the lock after a change.
struct Aftermath {
  /// What must be done about threads, in order.
  var threads: [ThreadCare] = []
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
  var mustDeliver = false
  /// Whether the journal of a durable run must be written before more can start.
  var mustFlush = false
  /// Whether a check that this process still has the run is due before more can start.
  var mustAwaitLease = false
  var hasEnded = false
  /// Warnings, to be reported.
  var warning: String?

  /// What must be done about the threads of a pool.
  enum ThreadCare {
    /// One must be woken.
    case wake(Pool)
    /// They must be watched so long.
    case watch(Pool, nanoseconds: Int)
  }
}
