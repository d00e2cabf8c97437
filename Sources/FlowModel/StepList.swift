/// Some of a workflow's steps, each once, in the order of the file.
///
/// Not a `Set`, whose order differs from run to run, and whose type the runtime makes at each start.
public struct StepList: Sendable, Hashable, Sequence, ExpressibleByArrayLiteral {
  private var indices: [StepIndex] = []

  /// No steps.
  public init() {}

  /// These steps, in any order.
  public init(_ steps: [StepIndex]) {
    for step in steps { insert(step) }
  }

  /// These steps, in any order.
  public init(arrayLiteral steps: StepIndex...) { self.init(steps) }

  /// How many there are.
  public var count: Int { indices.count }

  /// Whether it has none.
  public var isEmpty: Bool { indices.isEmpty }

  /// Whether it has this step.
  public func contains(_ step: StepIndex) -> Bool {
    let position = position(of: step)
    return position < indices.count && indices[position] == step
  }

  /// Adds a step.
  public mutating func insert(_ step: StepIndex) {
    let position = position(of: step)
    if position == indices.count || indices[position] != step { indices.insert(step, at: position) }
  }

  /// The steps in the order of the file.
  public func makeIterator() -> IndexingIterator<[StepIndex]> { indices.makeIterator() }

  /// Where the step is, or would be.
  private func position(of step: StepIndex) -> Int {
    // Most are added in their order.
    if indices.last.map({ $0 < step }) ?? true { return indices.count }
    var (low, high) = (0, indices.count)
    while low < high {
      let middle = (low + high) / 2
      if indices[middle] < step { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
