import FlowModel
import FlowPluginKit

extension Workflow {
  /// Returns the longest time from the cancellation of a run to its end: the time until its commands are killed, the
  /// time for cleanup, and the time until the commands of cleanup steps are killed.
  ///
  /// - Parameter cleans: True to include cleanup, false to exclude it, nil to include it if the workflow has cleanup
  ///   steps.
  package func stopTime(cleans: Bool? = nil) -> Duration {
    let policies = steps.compactMap { $0.with[StopPolicy.input]?.objectValue.flatMap { try? StopPolicy($0) } }
    let stop = policies.map(\.within).reduce(StopPolicy().within, max) + .seconds(1)
    let longest = itemWorkflows.values.map { $0.workflow.stopTime() }.reduce(stop, max)
    let hasCleanup = steps.contains { $0.hasOptions && ($0.options.isFinal || $0.options.condition != nil) }
    guard cleans ?? hasCleanup else { return longest }
    return longest + (cleanup ?? .nanoseconds(Plan.cleanupNanoseconds)) + longest
  }
}
