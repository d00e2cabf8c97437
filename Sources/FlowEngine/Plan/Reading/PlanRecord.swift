import FlowModel

/// One transition, as the plan notes it for the event stream.
struct PlanRecord: Sendable, Equatable {
  /// What happened.
  enum Kind: Sendable, Equatable {
    /// The record says all there is to say.
    case complete(Complete)
    /// The plan must be asked about the rest before it continues.
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
    /// With the number of the post where the event repeats.
    case posted(event: Int, number: Int?)
    case retrying(StepIndex, delayNanoseconds: Int)
    /// Ended in another way than with success.
    case ended(StepIndex, Outcome)
  }

  var atNanoseconds: Int
  var kind: Kind

  init(_ kind: Kind, atNanoseconds: Int) {
    self.kind = kind
    self.atNanoseconds = atNanoseconds
  }
}
