import FlowModel
import FlowPluginKit

extension Workflow {
  /// The time that a cancelled run may take: its commands until they are killed, then the steps that clean up, which stop as
  /// commands do.
  ///
  /// - Parameter cleans: true to include the time for cleaning up, nil to include it if there are steps that clean up.
  package func stopTime(cleans: Bool? = nil) -> Duration {
    let policies = steps.compactMap { $0.with[StopPolicy.input]?.objectValue.flatMap { try? StopPolicy($0) } }
    let stop = policies.map(\.within).reduce(StopPolicy().within, max) + .seconds(1)
    let longest = itemWorkflows.values.map { $0.workflow.stopTime() }.reduce(stop, max)
    let hasCleanup = steps.contains { $0.hasOptions && ($0.options.isFinal || $0.options.condition != nil) }
    guard cleans ?? hasCleanup else { return longest }
    return longest + (cleanup ?? .nanoseconds(Plan.cleanupNanoseconds)) + longest
  }
}
