import Synchronization

/// Counts steps of work, so that a test can hold how it grows without measuring time.
package final class WorkCounter: Sendable {
  private let steps = Atomic<Int>(0)

  /// Counts from zero.
  package init() {}

  /// The number of steps.
  package var count: Int { steps.load(ordering: .relaxed) }

  /// Counts one more.
  package func add() { steps.add(1, ordering: .relaxed) }
}
