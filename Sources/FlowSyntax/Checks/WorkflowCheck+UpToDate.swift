import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// What is there for others while it goes on cannot be skipped as up to date.
  mutating func checkUpToDate() {
    for step in workflow.steps.indices where workflow.steps[step].hasOptions {
      let options = workflow.steps[step].options
      guard !options.inputsFrom.isEmpty || !options.produces.isEmpty, !isSettled else { continue }
      let key = options.inputsFrom.isEmpty ? StepKey.produces : .inputsFrom
      guard let member = tree.member(key.rawValue, of: locations.steps[step].value) else { continue }
      let declaration = actions.declaration(ofStep: step)
      if options.fanOut != nil {
        report(
          .conflictingKeys, "'\(key.rawValue)' is about the whole step, and cannot stand next to 'foreach'",
          at: tree.span(member.key), help: "let the command of each item see what is up to date")
      } else if let declaration, declaration.actsOnProcess {
        report(
          .conflictingKeys, "what '\(declaration.name)' does is gone with the run, so the step can never be up to date",
          at: tree.span(member.key), related: [.init(span(.uses, of: step), "it is used here")],
          help: "remove '\(key.rawValue)'")
      }
    }
  }
}
