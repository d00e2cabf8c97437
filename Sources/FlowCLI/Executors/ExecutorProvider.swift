import FlowCommandKit
import FlowEngine
import FlowModel
import FlowSyntax

/// Creates the executors of runs, which run steps in other processes and on other machines.
package protocol ExecutorProvider: Sendable {
  /// Throws if the value of `--on` is not the address of an executor.
  func check(_ on: String?) throws(UsageProblem)

  /// Creates the executors of a workflow, but does not start workers. Blocks the thread, because container engines are
  /// asked what they support. Throws a `UsageProblem` or an `InvalidWorkflow` if an executor cannot be used.
  func executors(
    of workflow: Workflow, _ installation: Installation, _ request: RunRequest, workflowFolder: String,
    inputs: ValueObject
  ) throws -> any StepExecutors
}

/// The executors of a run. They exist from reading the file and `--on` until the last worker has ended.
package protocol StepExecutors: Sendable {
  /// The placement of remote steps, or nil if no step runs remotely.
  var placement: ExecutorPlacement? { get }
  var isEmpty: Bool { get }
  /// The warnings about ignored settings and lost workers.
  var warnings: [String] { get }

  /// Starts the workers and waits for the first worker of each executor. Blocks the thread. Throws if no worker can be
  /// started.
  func open() throws
  /// Lets workers run only as long as this process holds the run. From now on, the run shows why workers are not ready.
  func follow(_ run: WorkflowRun)
  /// Returns what the clusters recorded about jobs that ran one attempt each. If data is missing, also returns the
  /// reason.
  func accounts() async -> (jobs: [Value], problem: String?)
  /// Calls ``close()`` and blocks the thread until it returns.
  func closeAndWait()
  /// Ends all workers and the processes they started.
  func close() async
}

/// No executors: a run whose steps name one does not start.
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
