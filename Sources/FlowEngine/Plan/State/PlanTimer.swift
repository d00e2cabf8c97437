import FlowModel

/// A timer for one instant. Timers are never removed early: one that no longer applies to its step is ignored when it
/// fires.
struct PlanTimer: Sendable, Comparable {
  /// The kinds of timers. Timers of one instant are handled in the order of the cases.
  enum Kind: UInt8, Sendable {
    /// The maximum of a step or an attempt.
    case deadline
    case retry
    case minimum
    /// The end of a cancelled body's grace.
    case grace
    /// The end of the time for steps that run during cancellation.
    case cleanupLimit
    /// The end of the time for which steps wait for an occupied main queue.
    case mainLimit
    /// The end of the time that the run may take.
    case runLimit
  }

  var atNanoseconds: Int
  var kind: Kind
  var step: StepIndex
  /// The attempt, or 0 for the step as a whole.
  var attempt: UInt8

  static func < (left: PlanTimer, right: PlanTimer) -> Bool {
    if left.atNanoseconds != right.atNanoseconds { return left.atNanoseconds < right.atNanoseconds }
    if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
    if left.step != right.step { return left.step < right.step }
    return left.attempt < right.attempt
  }
}
