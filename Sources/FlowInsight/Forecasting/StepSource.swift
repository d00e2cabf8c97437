import FlowModel

/// The origin of a step's duration in a forecast.
package enum StepSource: String, Sendable {
  /// The durations in recorded runs.
  case recorded
  /// The range that the step states as its `estimate`.
  case estimate
  /// Neither recorded runs nor an estimate. The step is assumed to take no time.
  case nothing
  /// The step takes no time, because it only includes a workflow or never runs.
  case none
}

/// The assumptions of a simulation about a step: its duration, its failures, its events and its items.
struct StepPrediction: Sendable {
  var source = StepSource.nothing
  var lowNanoseconds = 0
  var spanNanoseconds = 0
  var slow = 1.0
  var failureRate = 0.0
  var isService = false
  var hasMaximum = false
  /// The events that the step's action declares. They are posted when the step ends or, for a service, when it is
  /// ready.
  var posts: [String] = []
  var itemCount = 1
  /// The indices of the recorded runs in which the step ran.
  var runs: [Int32] = []
}

/// The values that a step's `if` depends on.
struct StepCondition: Sendable {
  /// True if the condition reads outputs that are neither assumed nor known.
  var readsUnknownOutputs = false
  /// The steps whose outcomes the condition reads; its decisions are cached for these outcomes, the status and the gate.
  /// Nil if it also reads `run`, an event, the current item or a step that it does not name literally, or more than 18
  /// outcomes. It is then evaluated again in every simulated run.
  var outcomes: [StepIndex]?
}

/// An `if` that reads outputs, which a forecast does not have, and the origin of the value that replaces it.
package struct DecidedCondition: Sendable, Hashable {
  /// The origin of a value that replaces outputs.
  package enum Source: String, Sendable {
    /// The value in the recorded run.
    case recorded
    /// The outputs given with `--assume`.
    case assumed
    /// Null, which stands for each unknown output.
    case null
  }

  package var step: StepIndex
  /// The condition as written in the file.
  package var text: String
  package var source: Source
}
