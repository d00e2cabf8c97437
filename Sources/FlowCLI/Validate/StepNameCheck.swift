import FlowDiagnostics
import FlowModel
import FlowSyntax

/// Reports steps of `flowrun.yaml` that `flowrun STEP` cannot run because a subcommand has the same name.
enum StepNameCheck {
  /// Returns the warnings for a workflow that was loaded from `file`.
  static func diagnostics(of result: LoadResult, file: String) -> [Diagnostic] {
    guard let workflow = result.graph?.workflow, file.split(separator: "/").last ?? "" == DefaultWorkflow.name else {
      return []
    }
    let names = Set(StepWords.subcommands + ["help"])
    return workflow.steps.indices.compactMap { index in
      let id = workflow.steps[index].id.text
      guard names.contains(id), let span = result.span(of: StepIndex(index)) else { return nil }
      return Diagnostic(
        .subcommandName, "'flowrun \(id)' is a subcommand, and not the step '\(id)'", at: span,
        help: "rename the step, or run it with 'flowrun -- \(id)'")
    }
  }
}
