import FlowModel

/// Something that is due at an instant. A timer is never removed early: one whose step has gone on is ignored when it
/// comes.
struct PlanTimer: Sendable, Comparable {
  /// What is due; at one instant the order of the cases is the order in which they are handled.
  enum Kind: UInt8, Sendable {
    /// A step's or an attempt's maximum.
    case deadline
    case retry
    case minimum
    /// The end of the time that a cancelled body has to return.
    case grace
    /// The end of the time that steps have which run during cancellation.
    case cleanupLimit
    /// The end of the time that steps wait for a held main queue.
    case mainLimit
    /// The end of the time that the run has.
    case runLimit
  }

  var atNanoseconds: Int
  var kind: Kind
  var step: StepIndex
  /// The try it is for; 0 where it is for the step as a whole.
  var attempt: UInt8

  static func < (left: PlanTimer, right: PlanTimer) -> Bool {
    if left.atNanoseconds != right.atNanoseconds { return left.atNanoseconds < right.atNanoseconds }
    if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
    if left.step != right.step { return left.step < right.step }
    return left.attempt < right.attempt
  }
}
