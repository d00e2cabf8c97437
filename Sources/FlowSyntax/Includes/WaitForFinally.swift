import FlowDiagnostics
import FlowModel

/// Finds cases in which the launch gate waits for the `finally` of an included file. Usually it does not, but it does
/// if a blocking step depends on the including step.
struct WaitForFinally {
  private let graph: WorkflowGraph
  private let roles: GateRoles
  /// For each step, a blocking step that cannot finish before this step, or -1 if the gate does not wait for it.
  private var blockers: [StepIndex]

  /// Returns the warnings about a workflow and its included files, located at the including steps.
  static func diagnostics(of graph: WorkflowGraph, _ result: LoadResult) -> [Diagnostic] {
    let steps = graph.workflow.steps
    guard graph.workflow.gate != nil,
      steps.contains(where: { $0.hasOptions && $0.options.isFinalInside })
        || graph.workflow.itemWorkflows.values.contains(where: \.hasFinally)
    else { return [] }
    return WaitForFinally(graph).diagnostics(result)
  }

  private init(_ graph: WorkflowGraph) {
    self.graph = graph
    let steps = graph.workflow.steps
    let roles = GateRoles(graph)
    self.roles = roles
    blockers = steps.indices.map { index in
      let step = StepIndex(index)
      let isOut = steps[index].hasOptions && steps[index].options.isDisabled
      let blocks = roles.blocking(of: step) != .never && roles.deferral(of: step) != .always
      return blocks && !isOut ? step : -1
    }
    for step in graph.topologicalOrder.reversed() where blockers[Int(step)] >= 0 {
      for need in steps[Int(step)].needs where blockers[Int(need)] < 0 { blockers[Int(need)] = blockers[Int(step)] }
    }
  }

  private func diagnostics(_ result: LoadResult) -> [Diagnostic] {
    var found: [Diagnostic] = []
    var known: Set<String> = []
    let workflow = graph.workflow
    for (index, step) in workflow.steps.enumerated() where blockers[index] >= 0 {
      let name: String
      if step.hasOptions, step.options.isFinalInside, let scope = workflow.scope(of: StepIndex(index)) {
        name = String(workflow.scopes[scope].prefix.dropLast())
      } else if workflow.itemWorkflows[step.uses]?.hasFinally == true {
        name = step.id.text
      } else {
        continue
      }
      guard known.insert(name).inserted,
        let own = workflow.steps.firstIndex(where: { $0.id.text == name.prefix { $0 != "/" } }),
        let span = result.span(of: StepIndex(own))
      else { continue }
      let blocker = workflow.steps[Int(blockers[index])].id.text
      found.append(
        Diagnostic(
          .gateWaitsForFinally,
          "the gate waits for finally of '\(name)'"
            + (blocker == name ? "" : ": '\(blocker)' needs it and is blocking"),
          at: span,
          help: "write 'blocking: false' at '\(blocker)', or make it depend on another step than '\(name)'"))
    }
    return found
  }
}

extension ItemWorkflow {
  fileprivate var hasFinally: Bool { workflow.steps.contains { $0.hasOptions && $0.options.isFinal } }
}
