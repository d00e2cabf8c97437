import FlowCommandKit
import FlowDiagnostics
import FlowModel
import FlowSyntax
import FlowSystem

/// Loads workflows that the command line names.
package enum LoadedWorkflow {
  /// Returns the checked workflow in `file`, and prints its diagnostics to standard error. Throws an
  /// ``InvalidWorkflow`` if the file cannot be read or has an error.
  package static func load(_ file: String, _ installation: Installation) throws(InvalidWorkflow) -> WorkflowGraph {
    try loadWithText(file, installation).graph
  }

  /// Returns the message for a step that the command line names but the workflow does not have.
  package static func unknownStep(_ step: String, _ workflow: Workflow) -> String {
    let nearest = NearestName.of(step, among: workflow.steps.map(\.id.text)).map { "; did you mean '\($0)'?" } ?? ""
    return "this workflow has no step '\(step)'\(nearest)"
  }

  /// Reads workflows for the subcommands of plugins.
  static let reader = WorkflowReader { file, plugins in
    try load(file, try Installation(around: file, given: plugins.folders)).workflow
  }

  /// Returns the workflow in a file and the result of loading it. If the workflow has an error, the diagnostics are
  /// written to `findings`, because no run does so.
  ///
  /// - Parameter steps: The steps that run, apart from their dependencies, or an empty array for all steps. Warnings
  ///   about other steps are not printed.
  static func loadWithText(
    _ file: String, _ installation: Installation, steps: [String] = [], findings: FindingOutputs = FindingOutputs()
  ) throws(InvalidWorkflow) -> (graph: WorkflowGraph, loaded: LoadResult) {
    if let kind = PluginFiles.kind(of: file) {
      throw InvalidWorkflow(
        description:
          "flowrun: '\(TerminalText.visible(file))' is \(kind.name), not a workflow; \(kind.use), or check it with "
          + "'flowrun validate'\n")
    }
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try FileAccess.read(file)
    } catch {
      throw InvalidWorkflow(description: "flowrun: cannot read the workflow \(error)\(Completions.question(file))\n")
    }
    let result = WorkflowLoader(catalog: installation.registry, files: FileAccess.included).load(
      bytes: bytes, file: file)
    if !result.diagnostics.isEmpty || !result.included.isEmpty {
      StandardOutput.writeError(result.concerning(steps).rendered(usesColor: StandardOutput.errorAllowsColor))
    }
    guard let graph = result.graph else {
      installation.explainUnusable()
      do throws(FileProblem) {
        try findings.write(Finding.all(in: DiagnosticReport(result)))
      } catch {
        StandardOutput.writeError("flowrun: cannot write \(error)\n")
      }
      throw InvalidWorkflow(description: "")
    }
    return (graph, result)
  }
}
