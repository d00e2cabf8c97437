import FlowEngine
import FlowModel

/// What a forecast learns from a run: how long each try of each step took and how it ended, what the conditions said, and
/// which events came.
package struct RecordedRun: Sendable {
  /// A step of the run.
  package struct Step: Sendable {
    /// One try.
    package struct Try: Sendable {
      /// How long it took; of a service, until it was ready.
      package var nanoseconds: Int
      /// Whether it ended well.
      package var isSuccess: Bool

      /// A try that took so long and ended so.
      package init(nanoseconds: Int, isSuccess: Bool) {
        self.nanoseconds = nanoseconds
        self.isSuccess = isSuccess
      }
    }

    /// The tries, the first one first; empty: it did not run.
    package var tries: [Try] = []
    /// How long it waited for a thread before its first try: from when it could have started by its dependencies and its
    /// queue. A busy machine delays a launch by this, too.
    package var waitNanoseconds = 0
    /// Whether it ended because its time was over.
    package var isTimedOut = false
    /// What its `if` said; nil: nobody asked.
    package var condition: Bool?
    /// Items that it ran for; nil: it runs once.
    package var itemCount: Int?
    /// How long each of them took.
    package var itemNanoseconds: [Int] = []
    /// Whether it is known what it posted.
    package var knowsPosts = false
    /// Events that it posted, each so long after its start.
    package var posts: [LaunchPost] = []

    /// A step that did not run.
    package init() {}
  }

  /// What people call the run.
  package var name: String
  /// The steps of the workflow, in its order; nil: the run had none of this name.
  package var steps: [Step?]
  /// Events that came from outside, from activation.
  package var outsideEvents: [LaunchPost] = []

  /// A run of these steps.
  package init(name: String, steps: [Step?]) {
    self.name = name
    self.steps = steps
  }
}
