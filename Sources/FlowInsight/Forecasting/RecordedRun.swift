import FlowEngine
import FlowModel

/// What a forecast learns from a run: how long each attempt of each step took and how it ended, what the conditions
/// said, and which events came.
package struct RecordedRun: Sendable {
  /// A step of the run.
  package struct Step: Sendable {
    /// One attempt.
    package struct Attempt: Sendable {
      /// How long it took; of a service, until it was ready.
      package var nanoseconds: Int
      /// Whether it ended well.
      package var isSuccess: Bool

      /// An attempt that took so long and ended so.
      package init(nanoseconds: Int, isSuccess: Bool) {
        self.nanoseconds = nanoseconds
        self.isSuccess = isSuccess
      }
    }

    /// The attempts, the first one first; empty: it did not run.
    package var attemptTimes: [Attempt] = []
    /// How long it waited for a thread before its first attempt: from when it could have started by its dependencies
    /// and its queue. A busy machine delays a run by this, too.
    package var waitNanoseconds = 0
    /// Whether it ended because its time had passed.
    package var isTimedOut = false
    /// The value of its `if`; nil: not evaluated.
    package var condition: Bool?
    /// Items that it ran for; nil: it runs once.
    package var itemCount: Int?
    /// How long each of them took.
    package var itemNanoseconds: [Int] = []
    /// Whether it is known what it posted.
    package var knowsPosts = false
    /// Events that it posted, each so long after its start.
    package var posts: [RunPost] = []

    /// A step that did not run.
    package init() {}
  }

  /// What people call the run.
  package var name: String
  /// The steps of the workflow, in its order; nil: the run had none of this name.
  package var steps: [Step?]
  /// Events that came from outside, from activation.
  package var outsideEvents: [RunPost] = []

  /// A run of these steps.
  package init(name: String, steps: [Step?]) {
    self.name = name
    self.steps = steps
  }
}
