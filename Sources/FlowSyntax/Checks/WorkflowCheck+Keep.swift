import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Checks `keep: services`. The file must have a service or a step that runs for the posts of an event. If it has
  /// one, a `timeout` is reported, because it also ends a run that keeps its services.
  mutating func checkKeep() {
    guard workflow.keepsServices, !isSettled, let node = locations.value(.keep) else { return }
    let hasService = workflow.steps.indices.contains { step in
      guard !workflow.steps[step].options.isFinal else { return false }
      if workflow.steps[step].options.fanOut?.event != nil { return true }
      guard let action = actions.entry(ofStep: step), !IncludeLibrary.isFile(action.name) else { return false }
      // An unknown action may be a service.
      return action.declaration?.isService ?? true
    }
    if !hasService {
      report(
        .conflictingKeys, "'keep: services' needs a service, and no step of this file keeps running", at: span(node),
        help: "write 'service: true' at the step that is to go on, or remove 'keep'")
    } else if workflow.timeout != nil, let timeout = locations.value(.timeout) {
      report(
        .timeoutOfKept,
        "'timeout' also ends a run that keeps its services, and the run has failed then", at: span(timeout),
        related: [.init(span(node), "the services are kept here")],
        help: "remove 'timeout', or 'keep' if the run is to end by itself")
    }
  }
}
