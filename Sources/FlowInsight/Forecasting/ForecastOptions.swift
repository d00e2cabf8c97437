import FlowEngine
import FlowModel

/// What is asked of a forecast.
package struct ForecastOptions: Sendable {
  /// How many runs to simulate.
  package var runs = 10_000
  /// Where the draws come from.
  package var seed: UInt64 = 1
  /// How often a recorded run is drawn whole, from 0 to 1.
  package var correlation = 0.5
  /// What the time of each step is multiplied by, where that is not 1.
  package var slow: [StepIndex: Double] = [:]
  /// How often an attempt of a step fails, from 0 to 1, where someone says so.
  package var failureRates: [StepIndex: Double] = [:]
  /// Items of steps with `foreach`, where someone says so.
  package var itemCounts: [StepIndex: Int] = [:]
  /// Whether the gate's minimum is left out.
  package var ignoresMinimum = false
  /// Events from outside, each so long after the start.
  package var events: [RunPost] = []
  /// The outputs that someone has said, as `id.name` in lower case.
  package var assumedOutputs: Set<String> = []
  /// What was measured; empty: nothing was.
  package var recordedRuns: [RecordedRun] = []

  /// 10,000 runs by estimates.
  package init() {}

  /// Runs that a forecast may play: at the edge, 1,000,000 runs of 100 steps.
  package static let runLimit = 1_000_000
  /// Runs times steps: what is kept of each is four bytes.
  package static let valueLimit = 100_000_000
  /// The runs whose critical paths are looked at, and with which changes are tried.
  package static let closeLook = 1_000
}
