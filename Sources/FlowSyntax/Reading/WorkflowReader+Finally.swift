import FlowDiagnostics
import FlowModel

extension WorkflowReader {
  /// Returns the options of a step in `finally`. Options that would change when the step starts are reported and
  /// removed.
  mutating func final(_ options: StepOptions, _ location: StepLocation) -> StepOptions {
    var options = options
    options.isFinal = true
    func isStated(_ key: StepKey) -> Bool {
      switch key {
      case .after: !options.after.isEmpty
      case .deferral: options.deferral != .never
      case .blocking: options.blocking == true
      default: options.prewarm
      }
    }
    for key in StepKey.notInFinally where isStated(key) {
      guard let member = tree.member(key.rawValue, of: location.value) else { continue }
      report(
        .conflictingKeys,
        "\(Owner.step(location.key).text(in: tree)) of 'finally' starts when all steps have finished, so '\(key.rawValue)' "
          + "is not allowed there",
        at: span(member.key), help: "remove it, or move the step under 'steps'")
    }
    options.after = []
    options.deferral = .never
    options.blocking = nil
    options.prewarm = false
    return options
  }

  /// Makes the first steps of `finally` depend on the last steps of the workflow. Reports other steps that depend on
  /// steps of `finally`. The plan starts `finally` only after all other steps.
  mutating func bindFinalSteps() {
    var isNeeded = [Bool](repeating: false, count: workflow.steps.count)
    for index in workflow.steps.indices where !finalSteps.contains(index) {
      for need in workflow.steps[index].needs {
        isNeeded[Int(need)] = true
        if finalSteps.contains(Int(need)) { reportDependency(ofFinal: Int(need), by: index) }
      }
      if workflow.steps[index].needs.contains(where: { finalSteps.contains(Int($0)) }) {
        workflow.steps[index].needs = ArraySlice(workflow.steps[index].needs.filter { !finalSteps.contains(Int($0)) })
      }
    }
    let ends = workflow.steps.indices.filter { !isNeeded[$0] && !finalSteps.contains($0) }.map { StepIndex($0) }
    for index in finalSteps {
      let own = workflow.steps[index].needs
      // When `finally` starts, all other steps have finished, so only dependencies inside `finally` matter.
      let others = own.filter { finalSteps.contains(Int($0)) }
      workflow.steps[index].needs = others.isEmpty ? ends[...] : ArraySlice(others)
    }
  }

  private mutating func reportDependency(ofFinal need: Int, by step: Int) {
    let location = locations.steps[step]
    guard let node = tree.member(StepKey.needs.rawValue, of: location.value)?.value else { return }
    let name = tree.keyName(locations.steps[need].key)
    let element = tree.kind(node) == .sequence ? tree.elements(node).first { tree.text(of: $0) == name } : node
    report(
      .needsFinally, "step '\(tree.keyName(location.key))' needs '\(name)', which runs when all steps have finished",
      at: span(element ?? node),
      related: [.init(span(locations.steps[need].key), "'\(name)' is in 'finally' here")],
      help: "move one of them")
  }
}
