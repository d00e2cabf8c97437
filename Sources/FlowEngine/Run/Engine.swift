import FlowModel
import FlowPluginKit

/// Runs workflows with the actions of its registry. An app has one; it holds no state of runs.
public struct Engine: Sendable {
  /// The actions it can run.
  public let registry: ActionRegistry

  /// An engine with these actions.
  public init(registry: ActionRegistry) { self.registry = registry }

  /// An engine with these plugins, which must differ in name.
  public init(plugins: [any Plugin]) { self.init(registry: ActionRegistry(plugins)) }

  /// Starts a run. Throws a ``PreparedWorkflow/Problem`` when an action is missing or an expression is wrong.
  public func start(_ graph: WorkflowGraph, options: RunOptions) throws(PreparedWorkflow.Problem) -> WorkflowRun {
    try start(PreparedWorkflow(graph, registry: registry), options: options)
  }

  /// Starts a run of a prepared workflow.
  public func start(
    _ prepared: PreparedWorkflow, options: RunOptions
  ) throws(PreparedWorkflow.Problem) -> WorkflowRun {
    var options = options
    options.launch.isFirst = !DataFolder(opened: options.dataFolder).hasLaunched
    let run = WorkflowRun(prepared, options: options, runID: RunInformation.newID())
    try run.start()
    return run
  }
}
