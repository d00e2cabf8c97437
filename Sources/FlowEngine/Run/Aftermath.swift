import FlowModel

/// Work that results from a change to the plan and must be done outside the lock.
struct Aftermath {
  /// Requests to wake or check threads, in order.
  var threads: [ThreadRequest] = []
  /// The steps that are ready to be sent to executors.
  var remoteStarts: [Start] = []
  /// The fan-outs whose items must be announced to their executor before the first one runs.
  var expectations: [(step: StepIndex, items: [Int], atOnce: Int)] = []
  /// The fan-outs whose items a thread must determine.
  var surveys: [StepIndex] = []
  var cancellations: [(step: StepIndex, attempt: Int)] = []
  /// The time at which the plan's timer must fire, or nil if the timer need not be changed.
  var timerAt: Int?
  /// True if the gate's timers must start.
  var mustBeginGate = false
  var mustDeliver = false
  /// True if the journal of a durable run must be written before its next steps can start.
  var mustFlush = false
  /// True if the lease must be checked before more steps can start.
  var mustAwaitLease = false
  var hasEnded = false
  var warning: String?

  enum ThreadRequest {
    /// Wake a thread of the pool.
    case wake(Pool)
    /// Check after `nanoseconds` whether a thread has become free.
    case watch(Pool, nanoseconds: Int)
  }
}
