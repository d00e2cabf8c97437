import FlowModel
import FlowPluginKit

/// Fails on every attempt with the message in its input.
struct Fail: Action {
  static let name = "flow.fail"
  static let summary = "Fails with a message"
  static let isPortable = true
  static let errors = [ErrorDeclaration("failed", "The step is meant to fail", isRetryable: true)]
  static let example = """
    uses: flow.fail
    with: { message: nothing to publish }
    if: steps.build.outputs.changed == false
    """

  struct Input: ActionInput {
    @Field("The message of the failure") var message = "the step was told to fail"
  }

  func run(_ input: Input, in context: ActionContext) throws -> NoOutput {
    throw ActionError("failed", input.message)
  }
}
