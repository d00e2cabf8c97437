import FlowEngine
import FlowModel

/// The options of a forecast.
package struct ForecastOptions: Sendable {
  /// The number of runs to simulate.
  package var runs = 10_000
  /// The seed of the random numbers.
  package var seed: UInt64 = 1
  /// The probability that all steps of a simulated run come from the same recorded run, from 0 to 1.
  package var correlation = 0.5
  /// The factor for the duration of each step, if it is not 1.
  package var slow: [StepIndex: Double] = [:]
  /// The probability that an attempt of a step fails, from 0 to 1, for steps with a stated rate.
  package var failureRates: [StepIndex: Double] = [:]
  /// The number of items of steps with `foreach`, if stated.
  package var itemCounts: [StepIndex: Int] = [:]
  /// True to ignore the gate's minimum.
  package var ignoresMinimum = false
  /// Events from outside, with their delay after the start.
  package var events: [RunPost] = []
  /// The outputs with assumed values, as `id.name` in lower case.
  package var assumedOutputs: Set<String> = []
  /// The recorded runs; empty if nothing was measured.
  package var recordedRuns: [RecordedRun] = []

  /// Creates options for 10,000 runs that use the estimates of the workflow.
  package init() {}

  /// The maximum number of runs: 1,000,000, which is feasible for up to 100 steps.
  package static let runLimit = 1_000_000
  /// The maximum of runs times steps; each length takes four bytes.
  package static let valueLimit = 100_000_000
  /// The number of runs whose critical paths are examined and in which changes are tested.
  package static let closeLook = 1_000
}
