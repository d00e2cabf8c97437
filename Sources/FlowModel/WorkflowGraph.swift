/// A workflow whose dependencies have no cycle, with the edges of its graph.
///
/// The initializer determines a topological order or throws a cycle, so code that has a graph need not check for
/// cycles.
public struct WorkflowGraph: Sendable {
  /// The workflow.
  package private(set) var workflow: Workflow
  /// The index in ``successors`` of each step's first dependent, and the length of ``successors`` as an additional last
  /// element.
  package let successorStarts: [Int32]
  /// The direct dependents of all steps: those of the first step in file order, then those of the second, and so on.
  package let successors: [StepIndex]
  /// The number of direct dependencies of each step.
  package let dependencyCounts: [Int32]
  /// The steps in an order in which each follows its dependencies. Steps without dependencies come first, and steps
  /// that could have either order are in file order.
  package let topologicalOrder: [StepIndex]
  /// The steps with options, in file order.
  package let stepsWithOptions: [StepIndex]

  /// A cycle of dependencies. Each step needs the next one, and the last needs the first.
  package struct Cycle: Error, Sendable, Hashable {
    /// The steps on the cycle.
    package let steps: [StepIndex]
  }

  /// Determines the order of a workflow's steps. Their `needs` must be valid indices without duplicates. Throws a cycle
  /// if there is one.
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

  /// Returns the steps that have at least one of these options, in file order.
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

  /// Returns a cycle. It starts at a step with unresolved dependencies and follows these until a step repeats.
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
  /// Returns the graph with a place for the parsed expressions of its workflow.
  package func keeping(_ expressions: any ParsedExpressions) -> WorkflowGraph {
    var graph = self
    graph.workflow.parsedExpressions = expressions
    return graph
  }
}
