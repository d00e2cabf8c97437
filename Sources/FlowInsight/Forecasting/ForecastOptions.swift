import FlowEngine
import FlowModel

package struct ForecastOptions: Sendable {
  /// The number of runs to simulate. Quantiles become more precise with more runs.
  package var runs = 10_000
  package var seed: UInt64 = 1
  /// The probability that all steps of a simulated run are drawn from the same recorded run, from 0 to 1.
  package var correlation = 0.5
  /// The factors by which durations of steps are multiplied. Steps without an entry have the factor 1.
  package var slow: [StepIndex: Double] = [:]
  /// The probability that an attempt of a step fails, from 0 to 1, as given with `--fail`.
  package var failureRates: [StepIndex: Double] = [:]
  /// The number of items of steps with `foreach`, as given with `--assume`.
  package var itemCounts: [StepIndex: Int] = [:]
  /// True to ignore the gate's minimum.
  package var ignoresMinimum = false
  /// The events that are posted from outside the run, with their delays after the start.
  package var events: [RunPost] = []
  /// The names of outputs with assumed values, as `id.name` in lower case.
  package var assumedOutputs: Set<String> = []
  /// The recorded runs, or an empty array if nothing was measured.
  package var recordedRuns: [RecordedRun] = []

  /// Creates options for 10,000 runs based on the estimates in the workflow.
  package init() {}

  /// The maximum number of runs. It is practical for workflows with up to 100 steps.
  package static let runLimit = 1_000_000
  /// The maximum number of runs times steps. It limits memory, because each duration takes four bytes.
  package static let valueLimit = 100_000_000
  /// The maximum number of runs whose critical paths are examined and on which changes are tested.
  package static let closeLook = 1_000
}
