import FlowEngine
import FlowModel

/// What one attempt of one step does.
package struct RunBody: Sendable {
  /// How long it takes; nil: it never returns by itself.
  package var endsAfterNanoseconds: Int?
  /// How it ends.
  package var ending = Ending.success
  /// When a service reports ready; nil: never.
  package var readyAfterNanoseconds: Int?
  /// Events it posts, each so long after its start.
  package var posts: [RunPost] = []

  /// A body that succeeds after so long.
  package init(endsAfterNanoseconds: Int?) { self.endsAfterNanoseconds = endsAfterNanoseconds }
}

/// An event that a body posts.
package struct RunPost: Sendable {
  /// How long after the start of the body.
  package var afterNanoseconds: Int
  /// The event.
  package var event: String

  /// A post of an event so long after the start.
  package init(afterNanoseconds: Int, event: String) {
    self.afterNanoseconds = afterNanoseconds
    self.event = event
  }
}

/// What surrounds a plan that is played: what bodies do, what conditions say, which items there are.
///
/// Steps are named as the plan names them: an index beyond the workflow's steps is an item.
package protocol RunWorld {
  /// What an attempt of a step does that begins now.
  mutating func body(of step: StepIndex, attempt: Int, in plan: Plan) -> RunBody
  /// How long a body continues that is asked to end; nil: it does not listen.
  mutating func nanosecondsToEnd(_ step: StepIndex, attempt: Int, in plan: Plan) -> Int?
  /// What the `if` of a step says.
  mutating func decide(_ step: StepIndex, in plan: Plan) -> Decision
  /// The items of a step with `foreach`; of one that runs for posts the plan knows them.
  mutating func items(of step: StepIndex, in plan: Plan) -> Expansion
  /// What the `if` of a step says of a post that it runs for.
  mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision
}

extension RunWorld {
  package mutating func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision { .run }
}
