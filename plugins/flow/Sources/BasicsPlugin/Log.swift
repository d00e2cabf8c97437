import FlowModel
import FlowPluginKit

/// Writes a line to the run's log.
struct Log: Action {
  static let name = "flow.log"
  static let summary = "Writes a line to the run's log"
  static let isPortable = true
  static let example = """
    uses: flow.log
    with: { message: "${{ steps.trips.outputs.count }} trips" }
    """

  struct Input: ActionInput {
    @Field("The line") var message: String
    @Field("How important it is") var level = LogLevel.info
  }

  func run(_ input: Input, in context: ActionContext) -> NoOutput {
    context.log(input.message, level: input.level)
    return NoOutput()
  }
}
