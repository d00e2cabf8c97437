import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports prewarmed steps that depend on steps without `prewarm`, or that read protected data (P3, P6).
  ///
  /// The check of expressions reports those that read `launch`.
  mutating func checkPrewarm() {
    for (step, location) in workflow.steps.enumerated() where location.hasOptions && location.options.prewarm {
      for need in location.needs.map(Int.init).filter({ !workflow.steps[$0].options.prewarm }).prefix(8) {
        report(
          .prewarmNeed, "step '\(name(step))' may run before activation, but needs '\(name(need))', which may not",
          at: dependencySpan(of: step, need), related: [.init(idSpan(need), "'\(name(need))' is defined here")],
          help: "write 'prewarm: true' at '\(name(need))' too, or remove it at '\(name(step))'")
      }
      let readers = [actions.declaration(ofStep: step), calledAction(of: step)]
      if let declaration = readers.compactMap({ $0 }).first(where: \.needsProtectedData) {
        report(
          .prewarmProtectedData,
          "step '\(name(step))' may run before activation, when '\(declaration.name)' cannot read protected data",
          at: span(.prewarm, of: step),
          help: "the device may still be locked then; remove 'prewarm', so that the step runs after activation")
      }
    }
  }
}
