import FlowModel

/// Work that results from a change to the plan and must be done outside the lock.
struct Aftermath {
  /// The number of threads to wake, by the index of their pool. It is not an array of pools, because the runtime would
  /// create the array's type during the launch of each app.
  var wakes = SIMD8<UInt16>()
  /// The time after which to check whether a thread of a pool has become free, in nanoseconds, by the pool's index, or 0
  /// for no check.
  var watchNanoseconds = SIMD8<UInt32>()
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
}
