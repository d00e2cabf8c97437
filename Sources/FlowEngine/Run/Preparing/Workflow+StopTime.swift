import FlowModel
import FlowPluginKit

extension Workflow {
  /// The longest time from the cancellation of a run to its end: until its commands are killed, then the time for
  /// cleanup, then until the commands of cleanup steps are killed.
  ///
  /// - Parameter cleans: True to include cleanup, false to exclude it, nil to include it if there are cleanup steps.
  package func stopTime(cleans: Bool? = nil) -> Duration {
    let policies = steps.compactMap { $0.with[StopPolicy.input]?.objectValue.flatMap { try? StopPolicy($0) } }
    let stop = policies.map(\.within).reduce(StopPolicy().within, max) + .seconds(1)
    let longest = itemWorkflows.values.map { $0.workflow.stopTime() }.reduce(stop, max)
    let hasCleanup = steps.contains { $0.hasOptions && ($0.options.isFinal || $0.options.condition != nil) }
    guard cleans ?? hasCleanup else { return longest }
    return longest + (cleanup ?? .nanoseconds(Plan.cleanupNanoseconds)) + longest
  }
}
