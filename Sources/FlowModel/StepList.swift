/// A set of a workflow's steps in file order.
///
/// A `Set` would have a different order in each run, and the runtime would create its type at each process start.
package struct StepList: Sendable, Hashable, Sequence, ExpressibleByArrayLiteral {
  private var indices: [StepIndex] = []

  /// Creates an empty list.
  package init() {}

  /// Creates a list of these steps, which may be in any order.
  package init(_ steps: [StepIndex]) {
    for step in steps { insert(step) }
  }

  /// Creates a list of these steps, which may be in any order.
  package init(arrayLiteral steps: StepIndex...) { self.init(steps) }

  /// The number of steps.
  package var count: Int { indices.count }

  /// True if there are no steps.
  package var isEmpty: Bool { indices.isEmpty }

  /// True if the list contains the step.
  package func contains(_ step: StepIndex) -> Bool {
    let position = position(of: step)
    return position < indices.count && indices[position] == step
  }

  /// Adds a step.
  package mutating func insert(_ step: StepIndex) {
    let position = position(of: step)
    if position == indices.count || indices[position] != step { indices.insert(step, at: position) }
  }

  /// Iterates over the steps in file order.
  package func makeIterator() -> IndexingIterator<[StepIndex]> { indices.makeIterator() }

  /// Returns the position at which the step is, or at which it must be inserted.
  private func position(of step: StepIndex) -> Int {
    // Steps are usually inserted in order.
    if indices.last.map({ $0 < step }) ?? true { return indices.count }
    var (low, high) = (0, indices.count)
    while low < high {
      let middle = (low + high) / 2
      if indices[middle] < step { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
