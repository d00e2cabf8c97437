import FlowModel

/// The origin of a step's duration in a forecast.
package enum StepSource: String, Sendable {
  /// Measurements of recorded runs.
  case recorded
  /// The step's `estimate`.
  case estimate
  /// Unknown: the step is assumed to take no time.
  case nothing
  /// The step takes no time because it includes a workflow or never runs.
  case none
}

/// The expected behavior of a step.
struct StepPrediction: Sendable {
  var source = StepSource.nothing
  var lowNanoseconds = 0
  var spanNanoseconds = 0
  var slow = 1.0
  var failureRate = 0.0
  var isService = false
  var hasMaximum = false
  /// The events that its action declares; posted when it ends, or when a service is ready.
  var posts: [String] = []
  /// The number of items, if it has `foreach`.
  var itemCount = 1
  /// The indices of the recorded runs in which the step ran.
  var runs: [Int32] = []
}

/// The values that the `if` of a step depends on.
struct StepCondition: Sendable {
  /// True if it reads outputs that are neither assumed nor known.
  var readsUnknownOutputs = false
  /// The steps whose outcomes it reads, if nothing else but the status functions and the gate changes its value. If
  /// nil, it must be evaluated each time.
  var outcomes: [StepIndex]?
}

/// An `if` that reads outputs, which a forecast does not have, and the origin of the value used instead.
package struct DecidedCondition: Sendable, Hashable {
  /// The origin of the value.
  package enum Source: String, Sendable {
    /// The value in the drawn run.
    case recorded
    /// The outputs given with `--assume`.
    case assumed
    /// Null is assumed for the outputs.
    case null
  }

  package var step: StepIndex
  /// The condition as written in the file.
  package var text: String
  /// The origin of the value.
  package var source: Source
}
