/// A workflow whose dependencies do not form a cycle, with the edges of its graph.
///
/// The initializer either determines a topological order or throws a cycle. So code that has a graph need not check for
/// cycles.
public struct WorkflowGraph: Sendable {
  package private(set) var workflow: Workflow
  /// For each step, the index in ``successors`` of its first dependent. An additional last element is the length of
  /// ``successors``.
  package let successorStarts: [Int32]
  /// The direct dependents of all steps in one list: those of the first step in file order, then those of the second,
  /// and so on.
  package let successors: [StepIndex]
  /// The number of direct dependencies of each step.
  package let dependencyCounts: [Int32]
  /// All steps in topological order. Steps without dependencies come first, in file order. Each other step is appended
  /// when its last dependency is processed.
  package let topologicalOrder: [StepIndex]
  /// The steps with options, in file order.
  package let stepsWithOptions: [StepIndex]

  /// A cycle of dependencies. Each step depends on the next one, and the last depends on the first.
  package struct Cycle: Error, Sendable, Hashable {
    /// The steps that form the cycle.
    package let steps: [StepIndex]
  }

  /// Determines the order of a workflow's steps. Each step's `needs` must be valid indices without duplicates. Throws a
  /// cycle if the dependencies form one.
  package init(_ workflow: Workflow) throws(Cycle) {
    let steps = workflow.steps
    let count = steps.count
    var starts = [Int32](repeating: 0, count: count + 1)
    var dependencyCounts = [Int32](repeating: 0, count: count)
    var stepsWithOptions: [StepIndex] = []
    for index in 0..<count {
      if steps[index].hasOptions { stepsWithOptions.append(StepIndex(index)) }
      let needs = steps[index].needs
      dependencyCounts[index] = Int32(needs.count)
      for need in needs { starts[Int(need) + 1] += 1 }
    }
    for index in 0..<count { starts[index + 1] += starts[index] }
    var cursors = starts
    var successors = [StepIndex](repeating: 0, count: Int(starts[count]))
    for index in 0..<count {
      for need in steps[index].needs {
        successors[Int(cursors[Int(need)])] = StepIndex(index)
        cursors[Int(need)] += 1
      }
    }
    var open = dependencyCounts
    var order: [StepIndex] = []
    order.reserveCapacity(count)
    for index in 0..<count where open[index] == 0 { order.append(StepIndex(index)) }
    var next = 0
    while next < order.count {
      let step = Int(order[next])
      next += 1
      for edge in Int(starts[step])..<Int(starts[step + 1]) {
        let successor = Int(successors[edge])
        open[successor] -= 1
        if open[successor] == 0 { order.append(StepIndex(successor)) }
      }
    }
    guard order.count == count else { throw Self.cycle(among: steps, open: open) }
    self.workflow = workflow
    self.successorStarts = starts
    self.successors = successors
    self.dependencyCounts = dependencyCounts
    self.topologicalOrder = order
    self.stepsWithOptions = stepsWithOptions
  }

  /// Returns the steps that set at least one of these options, in file order.
  package func steps(stating options: StatedOptions) -> [StepIndex] {
    var steps: [StepIndex] = []
    for step in stepsWithOptions where !workflow.steps[Int(step)].stated.isDisjoint(with: options) {
      steps.append(step)
    }
    return steps
  }

  /// Returns the direct dependents of a step, in file order.
  package func successors(of step: StepIndex) -> ArraySlice<StepIndex> {
    successors[Int(successorStarts[Int(step)])..<Int(successorStarts[Int(step) + 1])]
  }

  /// Returns a cycle. The search starts at a step with unresolved dependencies and follows them until a step repeats.
  private static func cycle(among steps: [Step], open: [Int32]) -> Cycle {
    var visitedAt = [Int](repeating: -1, count: steps.count)
    var path: [StepIndex] = []
    var current = StepIndex(open.firstIndex { $0 > 0 } ?? 0)
    while visitedAt[Int(current)] < 0 {
      visitedAt[Int(current)] = path.count
      path.append(current)
      current = steps[Int(current)].needs.first { open[Int($0)] > 0 } ?? current
    }
    return Cycle(steps: Array(path[visitedAt[Int(current)]...]))
  }
}

extension WorkflowGraph {
  package func keeping(_ expressions: any ParsedExpressions) -> WorkflowGraph {
    var graph = self
    graph.workflow.parsedExpressions = expressions
    return graph
  }
}
