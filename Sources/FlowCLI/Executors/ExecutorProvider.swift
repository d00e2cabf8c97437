import FlowCommandKit
import FlowEngine
import FlowModel
import FlowSyntax

/// Creates executors, which run the steps of a run in other processes and on other machines.
package protocol ExecutorProvider: Sendable {
  /// Throws if the value of `--on` is not the address of an executor.
  func check(_ on: String?) throws(UsageProblem)

  /// Creates the executors of a workflow without starting workers. Blocks the thread, because it asks container engines
  /// what they support. Throws a `UsageProblem` or an `InvalidWorkflow` if an executor cannot be used.
  func executors(
    of workflow: Workflow, _ installation: Installation, _ request: RunRequest, workflowFolder: String,
    inputs: ValueObject
  ) throws -> any StepExecutors
}

/// The executors of a run. They exist from the time when the file and `--on` are read until the last worker has ended.
package protocol StepExecutors: Sendable {
  /// The executors and the steps that they run, or nil if no step runs remotely.
  var placement: ExecutorPlacement? { get }
  var isEmpty: Bool { get }
  /// Warnings about settings that were ignored and workers that were lost.
  var warnings: [String] { get }

  /// Starts the workers and waits a limited time until each executor has one. Blocks the thread. Throws if an executor
  /// cannot start any worker.
  func open() throws
  /// Connects the workers to a run. They are kept only as long as this process holds the run, and the run can report
  /// why workers are not ready.
  func follow(_ run: WorkflowRun)
  /// Returns the records of clusters about jobs that each ran one attempt. If some of them are missing, also returns
  /// the reason.
  func accounts() async -> (jobs: [Value], problem: String?)
  /// Calls ``close()`` and blocks the thread until that returns.
  func closeAndWait()
  /// Ends all workers and the processes that they have started.
  func close() async
}

/// The absence of executors. A run does not start if one of its steps names an executor.
package struct WithoutExecutors: ExecutorProvider, StepExecutors {
  package init() {}

  package func check(_ on: String?) throws(UsageProblem) {
    if on != nil { throw UsageProblem("--on: this program has no executors") }
  }

  package func executors(
    of workflow: Workflow, _ installation: Installation, _ request: RunRequest, workflowFolder: String,
    inputs: ValueObject
  ) throws -> any StepExecutors {
    try check(request.on)
    let addresses = StepPlacement(workflow, installation.registry, on: nil).addresses
    if let address = addresses.first { throw UsageProblem("executor '\(address)': this program has no executors") }
    return self
  }

  package var placement: ExecutorPlacement? { nil }
  package var isEmpty: Bool { true }
  package var warnings: [String] { [] }
  package func open() {}
  package func follow(_ run: WorkflowRun) {}
  package func accounts() async -> (jobs: [Value], problem: String?) { ([], nil) }
  package func closeAndWait() {}
  package func close() async {}
}
