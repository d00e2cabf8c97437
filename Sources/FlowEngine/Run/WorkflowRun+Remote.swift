import FlowModel
import FlowPluginKit

/// The executors of a run, and the steps that each of them runs.
package struct ExecutorPlacement: Sendable {
  /// The executors that the run can use.
  package var executors: [any StepExecutor]
  /// For each remote step, the index of its executor. All other steps run in this process.
  package var assignment: [StepIndex: Int]
  /// The maximum number of times that a step runs again after its body was lost. These repetitions do not count as
  /// attempts of `retry`.
  package var lostAttempts = RemoteSteps.usualLostAttempts
  /// Called before the first item of a fan-out starts on an executor, with all items that will run, so that the
  /// executor can reserve resources for them. At most `atOnce` items run at once, and some may never run. Nil if no
  /// executor needs this.
  package var expectItems: (@Sendable (_ executor: Int, _ items: [Int], _ step: StepID, _ atOnce: Int) -> Void)?

  /// Returns the warnings of the executors so far, such as lost workers. They appear in the report and the run history.
  /// Nil if no executor warns.
  package var warnings: (@Sendable () -> [String])?

  /// Creates a placement from executors and the steps that they run.
  package init(executors: [any StepExecutor], assignment: [StepIndex: Int]) {
    self.executors = executors
    self.assignment = assignment
  }

  var steps: RemoteSteps {
    RemoteSteps(
      executors: executors.map { RemoteSteps.Executor(name: $0.name, slots: $0.slots, countsHere: $0.isHere) },
      assignment: assignment, lostAttempts: lostAttempts)
  }
}

// A step that an executor runs occupies a slot in the queue of the executor, but no thread of this process.
extension WorkflowRun {
  /// Starts the remote steps for which executors have free slots, under the lock.
  func startRemotely(_ state: inout RunState, _ aftermath: inout Aftermath) {
    while let next = nextStart(in: .remote, &state, at: state.instant(clock.now)) {
      if options.placement?.expectItems != nil, let items = state.plan.takeExpectedItems(startingWith: next.step) {
        aftermath.expectations.append(items)
      }
      aftermath.remoteStarts.append(start(next.step, next.attempt, &state))
    }
  }

  /// Announces the items of a fan-out to the executor that runs them.
  func expect(_ expectation: (step: StepIndex, items: [Int], atOnce: Int)) {
    guard let placement = options.placement, let index = placement.assignment[expectation.step] else { return }
    placement.expectItems?(
      index, expectation.items, prepared.graph.workflow.steps[Int(expectation.step)].id, expectation.atOnce)
  }

  func runRemotely(_ start: Start) {
    if let problem = start.inputs?.problem {
      return change(.ended(start.step, attempt: Int(start.attempt), .failure(problem, isRetryable: false)))
    }
    let owner = instances.owner(of: start.step)
    guard let placement = options.placement, let index = placement.assignment[owner] else { return }
    let executor = placement.executors[index]
    let declaration = prepared.action(of: owner).declaration
    // If an attempt was lost because its machine failed, the next one requests no more resources than the lost one.
    let losses = machineLosses.withLock { $0[start.step] ?? 0 }
    let request = prepared.graph.workflow.steps[Int(owner)].options.request(ofAttempt: Int(start.attempt) - losses)
    let body = StepBodies.InTask(
      call: { inputs, context in
        try await executor.run(declaration, inputs, taking: request, files: start.inputs?.check?.files, context)
      }, isService: declaration.isService)
    _ = run(
      body, start,
      ActionContext(host: self, step: start.step, attempt: Int(start.attempt)), pool: .remote, startsHere: false)
  }

  /// True unless another process may have taken over the run. Workers are kept alive and steps begin only while this is
  /// true.
  package var isSureOfRun: Bool { options.outer?.run.isSureOfRun ?? journal?.isSure ?? true }
}
