import FlowModel
import FlowPluginKit

/// Waits on the run's clock without occupying a thread. Ends immediately when the step is cancelled.
struct Sleep: AsyncAction {
  static let name = "flow.sleep"
  static let summary = "Waits without holding a thread"
  static let isPortable = true
  static let example = """
    uses: flow.sleep
    with: { for: 250ms }
    """

  struct Input: ActionInput {
    @Field("How long to wait") var `for`: Duration
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> NoOutput {
    try await context.sleep(for: input.for)
    return NoOutput()
  }
}
