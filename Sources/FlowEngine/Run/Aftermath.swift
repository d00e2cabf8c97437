import FlowModel

/// What must be done outside the lock after a change.
struct Aftermath {
  /// Lanes of which a slot must be woken, each as often as it is named.
  var wakes: [Lane] = []
  /// Steps whose bodies executors must run.
  var remoteStarts: [Start] = []
  /// Tries that must be told to end.
  var cancellations: [(step: StepIndex, attempt: Int)] = []
  /// When the plan's timer must be set; nil: it is.
  var timerAt: Int?
  /// Lanes whose pools must be watched, and how long.
  var watches: [(lane: Lane, nanoseconds: Int)] = []
  var mustDeliver = false
  /// Whether the journal of a durable run must be written before more can start.
  var mustFlush = false
  /// Whether somebody must look again whether this process still has the run, before more can start.
  var mustAwaitLease = false
  var hasEnded = false
  /// What went wrong without being a failure, to be told.
  var warning: String?
}
