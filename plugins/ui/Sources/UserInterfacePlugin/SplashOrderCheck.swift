import FlowDiagnostics
import FlowModel
import FlowPluginKit

/// Warns about a splash that may be shown after the window, which it then does not cover.
struct SplashOrderCheck: WorkflowCheckProvider {
  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic] {
    let steps = checked.workflow.steps
    let splashes = steps.indices.filter { steps[$0].uses == ShowSplash.name }
    guard !splashes.isEmpty else { return [] }
    let presents = steps.indices.filter { steps[$0].uses == PresentInterface.name }
    return splashes.flatMap { splash in
      presents.compactMap { present in
        guard !checked.workflow.upstream(of: StepIndex(present)).contains(StepIndex(splash)),
          let span = checked.span(of: StepIndex(present), key: "uses")
        else { return nil }
        return Diagnostic(
          .inputDoubtful, "'\(steps[present].id)' does not wait for the splash '\(steps[splash].id)'", at: span,
          help: "add '\(steps[splash].id)' to its 'needs'; a splash that comes after the window is not shown")
      }
    }
  }
}
