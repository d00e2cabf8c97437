import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSystem

/// What `flowrun FILE --explain` says: which steps would run, and why.
enum RunExplanation {
  /// Works out what a run would do with each step and prints it; nothing runs, and nothing is written.
  static func write(_ request: RunRequest) throws {
    let installation = try Installation(around: request.file, given: request.pluginFolders)
    let (graph, loaded) = try LoadedWorkflow.loadWithText(request.file, installation)
    var options = try request.options(for: graph.workflow, installation.registry)
    options.fileEnvironment = try EnvironmentFile.values(
      of: graph.workflow, in: options.workflowFolder, inputs: options.inputs)
    options.scopeEnvironments = try EnvironmentFile.scopeValues(of: graph.workflow, in: options.workflowFolder)
    options.secrets = try SecretValues.fetch(
      for: graph.workflow, loaded, in: options.workflowFolder, options.fileEnvironment)
    StandardOutput.hide(graph.workflow.mask(secrets: options.secrets, inputs: options.inputs))
    do throws(PreparedWorkflow.Problem) {
      let prepared = try PreparedWorkflow(graph, registry: installation.registry)
      let engine = Engine(registry: installation.registry)
      let lines = try engine.explain(prepared, options: options).map { step in
        "\(step.step): \(step.fate.rawValue): \(step.reason)\n"
      }
      StandardOutput.write(lines.joined())
    } catch {
      throw InvalidWorkflow(description: "\(TerminalText.visible(request.file)): error: \(error)\n")
    }
  }
}
