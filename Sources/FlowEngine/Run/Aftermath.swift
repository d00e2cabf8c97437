import FlowModel

/// The work to do outside the lock after a change.
struct Aftermath {
  /// The requests to wake or watch threads, in order.
  var threads: [ThreadRequest] = []
  /// The steps whose bodies executors must run.
  var remoteStarts: [Start] = []
  /// The fan-outs whose items must be announced to their executor before the first one runs.
  var expectations: [(step: StepIndex, items: [Int], atOnce: Int)] = []
  /// The steps whose items must be determined from files.
  var surveys: [StepIndex] = []
  /// The attempts to be asked to end.
  var cancellations: [(step: StepIndex, attempt: Int)] = []
  /// The instant for which the plan's timer must be set, or nil if it is set.
  var timerAt: Int?
  /// True if the gate has been armed, so its clock must start.
  var mustBeginGate = false
  var mustDeliver = false
  /// True if the journal of a durable run must be written before more steps can start.
  var mustFlush = false
  /// True if the lease must be checked before more steps can start.
  var mustAwaitLease = false
  var hasEnded = false
  /// Warnings to report.
  var warning: String?

  /// A request about the threads of a pool.
  enum ThreadRequest {
    /// Wake one of the threads.
    case wake(Pool)
    /// Check after this time whether a thread has become free.
    case watch(Pool, nanoseconds: Int)
  }
}
