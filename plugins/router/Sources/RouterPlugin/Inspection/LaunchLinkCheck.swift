import FlowDiagnostics
import FlowModel
import FlowPluginKit

/// Warns about a step that searches for the launch link before routes are registered. Without routes, the step cannot
/// determine which of several links the app is able to open.
struct LaunchLinkCheck: WorkflowCheckProvider {
  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic] {
    let steps = checked.workflow.steps
    return steps.indices.compactMap { index in
      guard steps[index].uses == FindLaunchLink.name,
        !checked.workflow.upstream(of: StepIndex(index)).contains(where: { steps[Int($0)].uses == RegisterRoutes.name }
        ),
        let span = checked.span(of: StepIndex(index), key: "uses")
      else { return nil }
      return Diagnostic(
        .inputDoubtful, "'\(steps[index].id)' does not wait for a step with router.register", at: span,
        help: "add the step that registers the routes to its 'needs'; the first link is taken otherwise")
    }
  }
}
