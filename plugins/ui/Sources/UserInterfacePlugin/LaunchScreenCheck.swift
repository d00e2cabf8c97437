import FlowDiagnostics
import FlowModel
import FlowPlatform
import FlowPluginKit

/// Warns about launch screens that the system would refuse (R4), by inspecting their files.
struct LaunchScreenCheck: WorkflowCheckProvider {
  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic] {
    let steps = checked.workflow.steps
    let folder = FilePath.folder(of: FilePath.absolute(checked.file))
    return steps.indices.compactMap { index in
      guard steps[index].uses == "ui.splash", let asset = steps[index].with["asset"]?.stringValue,
        let span = checked.span(of: StepIndex(index), key: "with")
      else { return nil }
      var status = stat()
      guard stat(FilePath.isAbsolute(asset) ? asset : folder + "/" + asset, &status) == 0,
        status.st_size > UserInterfacePlugin.launchScreenLimitBytes
      else { return nil }
      return Diagnostic(
        .inputDoubtful,
        "the launch screen '\(asset)' has \(status.st_size) bytes, more than the "
          + "\(UserInterfacePlugin.launchScreenLimitBytes) that the system allows", at: span,
        help: "make it smaller; the step fails as it is")
    }
  }
}
