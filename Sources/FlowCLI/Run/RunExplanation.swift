import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSecrets
import FlowSystem

/// The output of `flowrun FILE --explain`: the steps that would run, with the reasons.
enum RunExplanation {
  /// The maximum number of items for a complete list. If there are more, only those that would run are listed.
  private static let shownItems = 1000

  private static func text(_ item: StepExplanation.Item, of step: String) -> String {
    let name = item.name.map { " '\(TerminalText.visible($0))'" } ?? ""
    return "\(step)[\(item.index)]\(name): \(item.fate.rawValue): \(TerminalText.visible(item.reason))"
  }

  /// Returns one line for each file of an item that no longer exists in the step's list.
  private static func leftovers(of step: StepExplanation, areRemoved: Bool) -> String {
    step.leftovers.map { path in
      let file = "'\(TerminalText.visible(path))'"
      if !areRemoved { return "  left by an item that is gone: \(file) (--clean-removed removes it)\n" }
      return step.leftoversAreKept.map { "  would keep \(file): \($0)\n" } ?? "  would remove \(file)\n"
    }.joined()
  }

  /// Predicts what a run would do with each step, and prints the result. Nothing is run and nothing is written.
  static func write(_ request: RunRequest) throws {
    let installation = try Installation(around: request.file, given: request.pluginFolders)
    let (graph, loaded) = try LoadedWorkflow.loadWithText(request.file, installation, steps: request.steps)
    var options = try request.options(for: graph.workflow, installation.registry)
    options.fileEnvironment = try EnvironmentFile.values(
      of: graph.workflow, in: options.workflowFolder, inputs: options.inputs)
    options.scopeEnvironments = try EnvironmentFile.scopeValues(of: graph.workflow, in: options.workflowFolder)
    options.secrets = try SecretValues.fetch(
      for: graph.workflow, loaded, in: options.workflowFolder, options.fileEnvironment,
      inputs: options.inputs, runsCommands: false)
    StandardOutput.hide(graph.workflow.mask(secrets: options.secrets, inputs: options.inputs))
    do throws(PreparedWorkflow.PreparationProblem) {
      let prepared = try PreparedWorkflow(graph, registry: installation.registry)
      let engine = Engine(registry: installation.registry)
      for step in try engine.explain(prepared, options: options) {
        StandardOutput.write("\(step.step): \(step.fate.rawValue): \(step.reason)\n")
        let shown = step.items.count <= shownItems ? step.items : step.items.filter { $0.fate == .runs }
        StandardOutput.write(shown.map { "  \(text($0, of: step.step.text))\n" }.joined())
        StandardOutput.write(leftovers(of: step, areRemoved: options.removesLeftovers))
      }
    } catch {
      throw InvalidWorkflow(description: "\(TerminalText.visible(request.file)): error: \(error)\n")
    }
  }
}
