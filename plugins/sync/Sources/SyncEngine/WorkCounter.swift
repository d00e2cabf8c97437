import Synchronization

/// Counts steps of work, so that tests can check how it grows without measuring time.
package final class WorkCounter: Sendable {
  private let steps = Atomic<Int>(0)

  /// Starts at zero.
  package init() {}

  /// The number of steps.
  package var count: Int { steps.load(ordering: .relaxed) }

  /// Adds one.
  package func add() { steps.add(1, ordering: .relaxed) }
}
