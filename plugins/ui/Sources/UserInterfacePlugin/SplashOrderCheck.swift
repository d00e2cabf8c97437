import FlowDiagnostics
import FlowModel
import FlowPluginKit

/// Warns about a splash that may start after the window is visible, because it is then not shown.
struct SplashOrderCheck: WorkflowCheckProvider {
  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic] {
    let steps = checked.workflow.steps
    let splashes = steps.indices.filter { steps[$0].uses == ShowSplash.name }
    guard !splashes.isEmpty else { return [] }
    let presents = steps.indices.filter { steps[$0].uses == PresentInterface.name }
    return splashes.flatMap { splash -> [Diagnostic] in
      if let event = Self.eventOfWindow(splash, in: checked.workflow) {
        return checked.span(of: StepIndex(splash), key: "uses").map { span in
          [
            Diagnostic(
              .inputDoubtful, "the splash '\(steps[splash].id)' waits for '\(event)' and is never shown", at: span,
              help: "let it start before the window, and add it to the 'needs' of the step with ui.present")
          ]
        } ?? []
      }
      return presents.compactMap { present in
        let (window, shown) = (steps[present].id, steps[splash].id)
        if checked.workflow.upstream(of: StepIndex(splash)).contains(StepIndex(present)) {
          return checked.span(of: StepIndex(splash), key: "uses").map { span in
            Diagnostic(
              .inputDoubtful, "the splash '\(shown)' waits for '\(window)' and is never shown", at: span,
              help: "let it start before the window, and add '\(shown)' to the 'needs' of '\(window)'")
          }
        }
        guard !checked.workflow.upstream(of: StepIndex(present)).contains(StepIndex(splash)),
          let span = checked.span(of: StepIndex(present), key: "uses")
        else { return nil }
        return Diagnostic(
          .inputDoubtful, "'\(window)' does not wait for the splash '\(shown)'", at: span,
          help: "add '\(shown)' to its 'needs'; a splash that comes after the window is not shown")
      }
    }
  }

  /// Returns the event of the window for which the splash or a step before it waits, or nil if there is none.
  private static func eventOfWindow(_ splash: Int, in workflow: Workflow) -> String? {
    let earlier = workflow.upstream(of: StepIndex(splash)).map(Int.init) + [splash]
    return earlier.lazy.flatMap { workflow.steps[$0].options.after }.first(where: PresentInterface.events.contains)
  }
}
