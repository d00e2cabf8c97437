import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Creates the graph. If dependencies form cycles, reports several of them, none of which share a step.
  mutating func checkCycle() {
    var rest = workflow
    var first = true
    // Each search visits all dependencies, so the number of searches is limited.
    for _ in 0..<max(1, min(Limits.diagnostics, 5_000_000 / rest.steps.count)) where !isSettled {
      do throws(WorkflowGraph.Cycle) {
        let graph = try WorkflowGraph(rest)
        if first { self.graph = graph }
        return
      } catch {
        first = false
        report(cycle: error.steps.map(Int.init))
        // The next search ignores the dependencies of the steps in this cycle.
        for step in error.steps { rest.steps[Int(step)].needs = [] }
      }
    }
  }

  private mutating func report(cycle steps: [Int]) {
    if steps.count == 1 {
      report(
        .cycle, "step '\(name(steps[0]))' needs itself", at: dependencySpan(of: steps[0], steps[0]),
        help: "remove '\(name(steps[0]))' from its own dependencies")
      return
    }
    // The report lists the steps of a cycle from the one that comes first in the file.
    let first = steps.firstIndex(of: steps.min()!)!
    let path = Array(steps[first...] + steps[..<first])
    let shown = path.count <= 12 ? path.map(name) : path.prefix(6).map(name) + ["…"] + path.suffix(5).map(name)
    let related = path.indices.dropFirst().prefix(10).map { index in
      Diagnostic.RelatedLocation(
        dependencySpan(of: path[index], path[(index + 1) % path.count]),
        "'\(name(path[index]))' needs '\(name(path[(index + 1) % path.count]))'")
    }
    report(
      .cycle, "these steps depend on each other: \((shown + [name(path[0])]).joined(separator: " → "))",
      at: dependencySpan(of: path[0], path[1]), related: Array(related), help: "remove one of these dependencies")
  }

  /// Returns the location of the dependency `need` in the `needs` of `step`. If it is not listed there, returns the
  /// location of `needs` or, without `needs`, of the step's id.
  func dependencySpan(of step: Int, _ need: Int) -> TextSpan {
    guard let node = node(.needs, of: step) else { return idSpan(step) }
    guard tree.kind(node) == .sequence else { return tree.span(node) }
    let element = tree.elements(node).first { tree.text(of: $0) == name(need) }
    return tree.span(element ?? node)
  }
}
