import Synchronization

/// Counts steps of work, so that tests can check the complexity of an operation without measuring time.
package final class WorkCounter: Sendable {
  private let steps = Atomic<Int>(0)

  package init() {}

  package var count: Int { steps.load(ordering: .relaxed) }

  package func add() { steps.add(1, ordering: .relaxed) }
}
