import FlowEngine
import FlowModel

/// What is asked of a forecast.
package struct ForecastOptions: Sendable {
  /// How many launches are played.
  package var launches = 10_000
  /// Where the draws come from.
  package var seed: UInt64 = 1
  /// How often a recorded run is drawn whole, from 0 to 1.
  package var correlation = 0.5
  /// What the time of each step is multiplied by, where that is not 1.
  package var slow: [StepIndex: Double] = [:]
  /// How often a try of a step fails, from 0 to 1, where somebody says so.
  package var failureRates: [StepIndex: Double] = [:]
  /// Items of steps with `foreach`, where somebody says so.
  package var itemCounts: [StepIndex: Int] = [:]
  /// Whether the gate's floor is left out.
  package var ignoresFloor = false
  /// Events from outside, each so long after the start.
  package var events: [LaunchPost] = []
  /// The outputs that somebody has said, as `id.name` in lower case.
  package var assumedOutputs: Set<String> = []
  /// What was measured; empty: nothing was.
  package var runs: [RecordedRun] = []

  /// 10,000 launches by estimates.
  package init() {}

  /// Launches that a forecast may play: at the edge, 1,000,000 launches of 100 steps.
  package static let launchLimit = 1_000_000
  /// Launches times steps: what is kept of each is four bytes.
  package static let valueLimit = 100_000_000
  /// The launches whose chains are looked at, and with which changes are tried.
  package static let closeLook = 1_000
}
