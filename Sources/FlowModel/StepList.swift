/// A set of steps in file order.
///
/// A `Set` would have a different order in each run, and the runtime would have to create its generic type in each
/// process.
package struct StepList: Sendable, Hashable, Sequence, ExpressibleByArrayLiteral {
  private var indices: [StepIndex] = []

  package init() {}

  /// Creates a list of steps, which may be given in any order.
  package init(_ steps: [StepIndex]) {
    for step in steps { insert(step) }
  }

  /// Creates a list of steps, which may be given in any order.
  package init(arrayLiteral steps: StepIndex...) { self.init(steps) }

  package var count: Int { indices.count }

  package var isEmpty: Bool { indices.isEmpty }

  package func contains(_ step: StepIndex) -> Bool {
    let position = position(of: step)
    return position < indices.count && indices[position] == step
  }

  /// Adds a step unless the list already contains it.
  package mutating func insert(_ step: StepIndex) {
    let position = position(of: step)
    if position == indices.count || indices[position] != step { indices.insert(step, at: position) }
  }

  /// Iterates over the steps in file order.
  package func makeIterator() -> IndexingIterator<[StepIndex]> { indices.makeIterator() }

  /// Returns the position of the step, or the position at which it must be inserted.
  private func position(of step: StepIndex) -> Int {
    // Steps are usually inserted in ascending order.
    if indices.last.map({ $0 < step }) ?? true { return indices.count }
    var (low, high) = (0, indices.count)
    while low < high {
      let middle = (low + high) / 2
      if indices[middle] < step { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
