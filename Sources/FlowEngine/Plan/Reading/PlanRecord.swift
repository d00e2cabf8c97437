import FlowModel

/// A transition that the plan records for the event stream.
struct PlanRecord: Sendable, Equatable {
  /// The kind of transition.
  enum Kind: Sendable, Equatable {
    /// The record has everything that the event reports.
    case complete(Complete)
    /// The event needs details from the plan, which must be read before the plan continues.
    case partial(Partial)
  }

  enum Complete: Sendable, Equatable {
    case ready(StepIndex)
    case started(StepIndex, attempt: Int, queue: Int)
    case succeeded(StepIndex, attempt: Int)
    case gateLate(StepIndex)
    case gateOpened(GateOutcome)
  }

  enum Partial: Sendable, Equatable {
    case activated
    /// With the number of the post if the event repeats.
    case posted(event: Int, number: Int?)
    case retrying(StepIndex, delayNanoseconds: Int)
    /// The step ended with another outcome than success.
    case ended(StepIndex, Outcome)
  }

  var atNanoseconds: Int
  var kind: Kind

  init(_ kind: Kind, atNanoseconds: Int) {
    self.kind = kind
    self.atNanoseconds = atNanoseconds
  }
}
