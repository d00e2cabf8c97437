import FlowModel
import FlowPluginKit

/// Calls an action for each post of a repeating event, for example each time the app becomes active.
///
/// The calls are made one at a time. The service does not start steps and does not keep the run from ending. Events
/// posted before the end are still handled within the grace period of services.
struct FollowEvent: StepService, DetailedAction {
  static let name = "flow.on"
  static let summary = "Calls an action for each post of an event that repeats, one after the other"
  static let calls: ActionCall? = ActionCall(event: "event", action: "action", inputs: "with")
  static let example = """
    uses: flow.on
    with:
      event: app.will-enter-foreground
      action: flow.log
      with: { message: "here again, entry ${{ event.number }}" }
    """

  struct Input: ActionInput {
    @Field("The event, which the workflow declares with `repeats: true`") var event: String
    @Field("The action to call; it cannot be a service, post events or provide a handle") var action: String
    @Field("Its inputs; their expressions see the post as `event`, with `name`, `number` and `at` in milliseconds")
    var with: ValueObject = [:]
    @Field("How long a call may take") var timeout = Duration.seconds(10)
  }

  struct Output: ActionOutput {
    var calls = 0
    var failed = 0
    var dropped = 0

    static let summaries = [
      "calls": "How many calls there were", "failed": "How many of them failed",
      "dropped": "How many posts were not called for, because too many waited or the run was over",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let posts = PostQueue()
    context.follow(input.event, into: posts)
    var output = Output()
    context.ready(output)
    while let post = await posts.next() {
      output.calls += 1
      let name = "\(input.event) \(post.number): \(input.action)"
      do {
        _ = try await context.call(for: post, within: input.timeout)
        context.log("\(name) succeeded")
      } catch {
        output.failed += 1
        context.log("\(name) failed: \((error as? ActionError)?.message ?? "\(error)")", level: .error)
      }
    }
    output.dropped = posts.dropped
    if output.dropped > 0 {
      let posts =
        output.dropped == 1 ? "1 post of \(input.event) was" : "\(output.dropped) posts of \(input.event) were"
      context.log("\(posts) not called for", level: .warning)
    }
    return output
  }
}
