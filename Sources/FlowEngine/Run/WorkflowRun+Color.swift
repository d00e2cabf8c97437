import FlowExpressions
import FlowModel

// Commands print colors only to a terminal, and in a run their output is a pipe. If the observer shows colors,
// `FORCE_COLOR` requests them, unless an expression reads the output.
extension WorkflowRun {
  /// True if the commands of a step receive `FORCE_COLOR`.
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

  /// True if the commands of a step or item may print colors. They may not if the step forbids it, or if it has
  /// `inputs-from`, because its recorded result must be the same with and without colors.
  func allowsColor(of step: StepIndex) -> Bool {
    let own = prepared.graph.workflow.steps[Int(instances.owner(of: step))].options
    return own.allowsColor && own.inputsFrom.isEmpty
  }
}

extension PreparedWorkflow {
  /// The steps whose `stdout` or `stderr` an expression may read.
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
    note(Value.object(workflow.outputs).stepReferences(workflow.texts), "")
    for (index, step) in workflow.steps.enumerated() {
      let scope = workflow.scope(of: StepIndex(index))
      note(step.stepReferences(workflow.texts), scope.map { workflow.scopes[$0].prefix } ?? "")
    }
    return read
  }
}
