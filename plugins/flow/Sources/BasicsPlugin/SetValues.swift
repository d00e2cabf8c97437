import FlowModel
import FlowPluginKit

/// Returns the entries of `values` as outputs. Several steps can thereby use the result of an expression that is
/// evaluated once.
struct SetValues: Action, DetailedAction {
  static let name = "flow.set"
  static let summary = "Gives its values back as outputs"
  static let isPortable = true
  static let outputsFromInput: String? = "values"
  static let example = """
    uses: flow.set
    with:
      values: { greeting: "Hello ${{ inputs.name }}" }
    """

  struct Input: ActionInput {
    @Field("The outputs by name; a value may be an expression") var values: ValueObject
  }

  typealias Output = AnyOutput

  func run(_ input: Input, in context: ActionContext) -> AnyOutput { AnyOutput(input.values) }
}
