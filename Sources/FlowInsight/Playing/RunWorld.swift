import FlowEngine
import FlowModel

/// The behavior of one attempt of a step.
package struct RunBody: Sendable {
  /// The duration, or nil if it never returns by itself.
  package var endsAfterNanoseconds: Int?
  package var ending = Ending.success
  /// The instant at which a service reports ready, or nil if it never does.
  package var readyAfterNanoseconds: Int?
  /// The events that it posts, with their delay after its start.
  package var posts: [RunPost] = []

  /// Creates a body that succeeds after this time.
  package init(endsAfterNanoseconds: Int?) { self.endsAfterNanoseconds = endsAfterNanoseconds }
}

/// An event that a body posts.
package struct RunPost: Sendable {
  /// The delay after the start of the body.
  package var afterNanoseconds: Int
  /// The name of the event.
  package var event: String

  package init(afterNanoseconds: Int, event: String) {
    self.afterNanoseconds = afterNanoseconds
    self.event = event
  }
}

/// The surroundings of a simulated plan: the behavior of bodies, the values of conditions, and items.
///
/// Steps are numbered as in the plan: an index beyond the workflow's steps is an item.
package protocol RunWorld {
  /// Returns the behavior of an attempt that starts now.
  mutating func body(of step: StepIndex, attempt: Int, in plan: Plan) -> RunBody
  /// Returns the time that a body takes to end after it is asked to, or nil if it ignores the request.
  mutating func nanosecondsToEnd(_ step: StepIndex, attempt: Int, in plan: Plan) -> Int?
  /// Decides the `if` of a step.
  mutating func decide(_ step: StepIndex, in plan: Plan) -> Decision
  /// Returns the items of a step with `foreach`. The plan itself has the items of a step that runs for posts.
  mutating func items(of step: StepIndex, in plan: Plan) -> Expansion
  /// Decides the `if` of a step for one post.
  mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision
}

extension RunWorld {
  package mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision { .run }
}
