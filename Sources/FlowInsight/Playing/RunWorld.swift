import FlowEngine
import FlowModel

/// The simulated behavior of one attempt of a step.
package struct RunBody: Sendable {
  /// The duration, or nil if the body never returns by itself.
  package var endsAfterNanoseconds: Int?
  package var ending = Ending.success
  /// The delay after which a service reports that it is ready, or nil if it never does.
  package var readyAfterNanoseconds: Int?
  /// The events that the body posts, with their delays after its start.
  package var posts: [RunPost] = []

  /// Creates a body that succeeds after this time, or never returns.
  package init(endsAfterNanoseconds: Int?) { self.endsAfterNanoseconds = endsAfterNanoseconds }
}

/// An event that a body posts.
package struct RunPost: Sendable {
  /// The delay after the start of the body, in nanoseconds.
  package var afterNanoseconds: Int
  /// The name of the event.
  package var event: String

  package init(afterNanoseconds: Int, event: String) {
    self.afterNanoseconds = afterNanoseconds
    self.event = event
  }
}

/// The environment of a simulated plan: the behavior of bodies, values of conditions, and items.
///
/// Steps are numbered as in the plan. An index beyond the steps of the workflow is that of an item.
package protocol RunWorld {
  /// Returns the behavior of an attempt that starts now.
  mutating func body(of step: StepIndex, attempt: Int, in plan: Plan) -> RunBody
  /// Returns the time that a body takes to end after it is asked to end, or nil if it ignores the request.
  mutating func nanosecondsToEnd(_ step: StepIndex, attempt: Int, in plan: Plan) -> Int?
  /// Evaluates the `if` of a step.
  mutating func decide(_ step: StepIndex, in plan: Plan) -> Decision
  /// Returns the items of a step with `foreach`. It is not called for a step that runs once per post, whose items the
  /// plan has.
  mutating func items(of step: StepIndex, in plan: Plan) -> Expansion
  /// Evaluates the `if` of a step for one post.
  mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision
}

extension RunWorld {
  package mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision { .run }
}
