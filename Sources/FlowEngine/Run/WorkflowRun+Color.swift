import FlowExpressions
import FlowModel

// Commands print colors if their output is a terminal, which is never the case here. If the observer shows colors,
// commands are asked for them with `FORCE_COLOR`, unless their output is read as a value.
extension WorkflowRun {
  /// True if the commands of a step are asked for colors.
  func forcesColor(of step: StepIndex) -> Bool {
    guard options.forcesColor, prepared.action(of: step).declaration.shellTextInput != nil,
      options.placement?.assignment[step] == nil
    else { return false }
    guard allowsColor(of: step) else { return false }
    let read = stepsReadAsText.withLock { known in
      let steps = known ?? prepared.stepsReadAsText(names)
      known = steps
      return steps
    }
    return !read.contains(step)
  }

  /// True if the commands of a step or item may print colors. The result of a step with `inputs-from` must not depend
  /// on it.
  func allowsColor(of step: StepIndex) -> Bool {
    let own = prepared.graph.workflow.steps[Int(instances.owner(of: step))].options
    return own.allowsColor && own.inputsFrom.isEmpty
  }
}

extension PreparedWorkflow {
  /// The steps whose `stdout` or `stderr` an expression reads or may read.
  fileprivate func stepsReadAsText(_ names: StepNames) -> Set<StepIndex> {
    let workflow = graph.workflow
    var read: Set<StepIndex> = []
    func note(_ references: [ContextReference], _ prefix: String) {
      for reference in references {
        let path = reference.path.map { $0.lowercased() }
        guard let id = reference.path.first else {
          read.formUnion(workflow.steps.indices.lazy.map { StepIndex($0) })
          continue
        }
        if path.count > 1, path[1] != "outputs" { continue }
        if path.count > 2, !["stdout", "stderr"].contains(path[2]) { continue }
        if let step = names[prefix + id] { read.insert(step) }
      }
    }
    note(Value.object(workflow.outputs).stepReferences, "")
    for (index, step) in workflow.steps.enumerated() {
      let scope = workflow.scope(of: StepIndex(index))
      note(step.stepReferences, scope.map { workflow.scopes[$0].prefix } ?? "")
    }
    return read
  }
}
