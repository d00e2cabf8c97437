import FlowCLI
import FlowCommandKit
import FlowModel

/// Creates the executors of runs, and provides the subcommand that runs as a worker.
package struct Executors: ExecutorProvider, SubcommandProvider {
  package init() {}

  package var subcommands: [ProvidedSubcommand] { [ProvidedSubcommand(.servers, WorkerCommand.self)] }

  package func check(_ on: String?) throws(UsageProblem) { try RunExecutors.check(on) }

  package func executors(
    of workflow: Workflow, _ installation: Installation, _ request: RunRequest, workflowFolder: String,
    inputs: ValueObject
  ) throws -> any StepExecutors {
    try RunExecutors(workflow, installation, request, workflowFolder: workflowFolder, inputs: inputs)
  }
}
