import FlowModel
import FlowPluginKit

/// Posts an event. Steps wait for it with `after`.
struct PostEvent: Action, DetailedAction {
  static let name = "flow.post"
  static let summary = "Posts an event that other steps wait for with `after`"
  static let eventFromInput: String? = "event"
  static let example = """
    uses: flow.post
    with: { event: map.first-use }
    """

  struct Input: ActionInput {
    @Field("The name of the event; not an expression, so that waiting steps can be checked before the run")
    var event: String
    @Field("What the event is posted with, at most 64 KiB; steps read it as events.NAME.value or item.value")
    var value: Value = .null
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard case .string(let event)? = input["event"], event.isEmpty else { return [] }
    return [InputProblem("event", "an event needs a name", help: "write a name such as map.first-use")]
  }

  func run(_ input: Input, in context: ActionContext) throws -> NoOutput {
    try context.post(input.event, value: input.value)
    return NoOutput()
  }
}
