import FlowEngine
import FlowModel

/// The simulated behavior of one attempt.
package struct RunBody: Sendable {
  /// The time after which the body ends, or nil if it runs until it is cancelled.
  package var endsAfterNanoseconds: Int?
  package var ending = Ending.success
  /// The delay after which a service reports that it is ready, or nil if it never does.
  package var readyAfterNanoseconds: Int?
  /// The events that the body posts, with their delays after its start.
  package var posts: [RunPost] = []

  /// Creates a body that succeeds after `endsAfterNanoseconds`. If that is nil, the body runs until it is cancelled.
  package init(endsAfterNanoseconds: Int?) { self.endsAfterNanoseconds = endsAfterNanoseconds }
}

/// An event that a body posts.
package struct RunPost: Sendable {
  /// The delay after the start of the body, in nanoseconds.
  package var afterNanoseconds: Int
  package var event: String

  package init(afterNanoseconds: Int, event: String) {
    self.afterNanoseconds = afterNanoseconds
    self.event = event
  }
}

/// The environment of a simulated plan. It determines the behavior of bodies, values of conditions, and items.
///
/// Steps have the same indices as in the plan. An index beyond the workflow's steps denotes an item.
package protocol RunWorld {
  /// Returns the behavior of an attempt that starts now.
  mutating func body(of step: StepIndex, attempt: Int, in plan: Plan) -> RunBody
  /// Returns the time from the request to cancel a body until the body ends, or nil if it ignores the request.
  mutating func nanosecondsToEnd(_ step: StepIndex, attempt: Int, in plan: Plan) -> Int?
  /// Evaluates the `if` of a step.
  mutating func decide(_ step: StepIndex, in plan: Plan) -> Decision
  /// Returns the items of a step with `foreach`. Not called for a step that runs once per post: the plan creates its
  /// items.
  mutating func items(of step: StepIndex, in plan: Plan) -> Expansion
  /// Evaluates the `if` of a step for one post.
  mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision
}

extension RunWorld {
  package mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision { .run }
}
