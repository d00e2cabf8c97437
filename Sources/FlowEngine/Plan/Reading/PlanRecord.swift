import FlowModel

/// A transition that the plan records for the event stream.
struct PlanRecord: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// The record has all details of its event.
    case complete(Complete)
    /// The event has further details, which must be read from the plan before it changes again.
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
    /// `number` is the number of the post if the event repeats, otherwise nil.
    case posted(event: Int, number: Int?)
    case retrying(StepIndex, delayNanoseconds: Int)
    /// The step or item finished with an outcome other than success.
    case ended(StepIndex, Outcome)
  }

  var atNanoseconds: Int
  var kind: Kind

  init(_ kind: Kind, atNanoseconds: Int) {
    self.kind = kind
    self.atNanoseconds = atNanoseconds
  }
}
