import FlowEngine
import FlowModel

/// The data of a recorded run that a forecast uses: durations and outcomes of attempts, values of conditions, and
/// events from outside the run.
package struct RecordedRun: Sendable {
  package struct Step: Sendable {
    package struct Attempt: Sendable {
      /// The duration in nanoseconds. For a service, the time until it was ready.
      package var nanoseconds: Int
      package var isSuccess: Bool

      package init(nanoseconds: Int, isSuccess: Bool) {
        self.nanoseconds = nanoseconds
        self.isSuccess = isSuccess
      }
    }

    /// The attempts in order, or an empty array if the step did not run.
    package var attemptTimes: [Attempt] = []
    /// The wait for a thread before the first attempt, counted from the instant at which dependencies and queue allowed
    /// a start. It is part of the forecast because a busy machine delays a run.
    package var waitNanoseconds = 0
    package var isTimedOut = false
    /// The value of the step's `if`, or nil if it is unknown.
    package var condition: Bool?
    /// The number of the step's items, or nil if it runs once.
    package var itemCount: Int?
    /// The durations of the step's items, in nanoseconds.
    package var itemNanoseconds: [Int] = []
    /// True if the report contains the step that posted each event, so that `posts` is complete.
    package var knowsPosts = false
    /// The events that the step posted, with their delays after its start.
    package var posts: [RunPost] = []

    /// Creates a step that did not run.
    package init() {}
  }

  /// The id of the run, for messages.
  package var name: String
  /// The steps in the order of the workflow. Nil stands for a step that the run did not have.
  package var steps: [Step?]
  /// The events from outside the run, with their delays after activation.
  package var outsideEvents: [RunPost] = []

  package init(name: String, steps: [Step?]) {
    self.name = name
    self.steps = steps
  }
}
