import FlowModel

/// A timer of a step or the run. Timers are never removed early; when one fires that no longer applies, the plan
/// ignores it.
struct PlanTimer: Sendable, Comparable {
  /// The kinds of timers. Timers that are due at the same time fire in this order.
  enum Kind: UInt8, Sendable {
    /// The maximum of a step or an attempt.
    case deadline
    case retry
    case minimum
    /// The end of the grace of a body that was asked to end.
    case grace
    /// The time at which cleanup steps of a cancelled run must end.
    case cleanupLimit
    /// The time at which steps stop waiting for an occupied main thread.
    case mainLimit
    /// The timeout of the run.
    case runLimit
  }

  var atNanoseconds: Int
  var kind: Kind
  var step: StepIndex
  /// The attempt, or 0 for the whole step.
  var attempt: UInt8

  static func < (left: PlanTimer, right: PlanTimer) -> Bool {
    if left.atNanoseconds != right.atNanoseconds { return left.atNanoseconds < right.atNanoseconds }
    if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
    if left.step != right.step { return left.step < right.step }
    return left.attempt < right.attempt
  }
}
