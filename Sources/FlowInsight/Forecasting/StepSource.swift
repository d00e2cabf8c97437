import FlowModel

/// Where a forecast has the time of a step from.
package enum StepSource: String, Sendable {
  /// What was measured.
  case recorded
  /// The step's `estimate`.
  case estimate
  /// Nothing: it is thought to take no time.
  case nothing
  /// It takes no time: it frames an included workflow, or never runs.
  case none
}

/// What a forecast knows of a step.
struct StepPrediction: Sendable {
  var source = StepSource.nothing
  var lowNanoseconds = 0
  var spanNanoseconds = 0
  var slow = 1.0
  var failureRate = 0.0
  var isService = false
  var hasMaximum = false
  /// Events that its action declares; posted at its end, or when a service is ready.
  var posts: [String] = []
  /// Items, where it runs for several.
  var itemCount = 1
  /// The recorded runs in which it ran.
  var runs: [Int32] = []
}

/// What decides the `if` of a step.
struct StepCondition: Sendable {
  /// Whether it reads outputs that are neither assumed nor known.
  var readsUnknownOutputs = false
  /// The steps whose outcomes it reads, where these, the status functions and the gate are all that changes about it; nil:
  /// it must be asked each time.
  var outcomes: [StepIndex]?
}

/// An `if` that reads outputs, which a forecast does not have, and what was said instead.
package struct DecidedCondition: Sendable, Hashable {
  /// Where the answer comes from.
  package enum Source: String, Sendable {
    /// What the run that was drawn had decided.
    case recorded
    /// What `--assume` says.
    case assumed
    /// The outputs count as null.
    case null
  }

  /// The step.
  package var step: StepIndex
  /// The condition as it is written.
  package var text: String
  /// Where the answer comes from.
  package var source: Source
}
