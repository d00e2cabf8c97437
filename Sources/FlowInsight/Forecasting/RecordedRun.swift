import FlowEngine
import FlowModel

/// The data of a recorded run that a forecast uses: the time and outcome of each attempt, the values of conditions, and
/// the events from outside.
package struct RecordedRun: Sendable {
  /// A step of the run.
  package struct Step: Sendable {
    /// One attempt.
    package struct Attempt: Sendable {
      /// Its duration; for a service, the time until it was ready.
      package var nanoseconds: Int
      package var isSuccess: Bool

      package init(nanoseconds: Int, isSuccess: Bool) {
        self.nanoseconds = nanoseconds
        self.isSuccess = isSuccess
      }
    }

    /// The attempts in order; empty if the step did not run.
    package var attemptTimes: [Attempt] = []
    /// The wait for a thread before the first attempt, counted from the instant at which its dependencies and its queue
    /// allowed a start. A busy machine delays a run by this wait, too.
    package var waitNanoseconds = 0
    /// True if the step timed out.
    package var isTimedOut = false
    /// The value of its `if`, or nil if it was not evaluated.
    package var condition: Bool?
    /// The number of its items, or nil if it runs once.
    package var itemCount: Int?
    /// The durations of its items.
    package var itemNanoseconds: [Int] = []
    /// True if its posts are known.
    package var knowsPosts = false
    /// The events that it posted, with their delay after its start.
    package var posts: [RunPost] = []

    /// Creates a step that did not run.
    package init() {}
  }

  /// The name of the run for people.
  package var name: String
  /// The steps in the order of the workflow; nil for a step that the run did not have.
  package var steps: [Step?]
  /// The events from outside, timed from activation.
  package var outsideEvents: [RunPost] = []

  package init(name: String, steps: [Step?]) {
    self.name = name
    self.steps = steps
  }
}
