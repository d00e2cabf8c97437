import FlowModel
import FlowPluginKit

/// The assignment of steps to executors.
public struct ExecutorPlacement: Sendable {
  /// The executors.
  public var executors: [any StepExecutor]
  /// The index of the executor of each remote step. All other steps run here.
  public var assignment: [StepIndex: Int]
  /// The maximum number of times that a lost body runs again, not counted as attempts of `retry`.
  public var lostAttempts = RemoteSteps.usualLostAttempts
  /// Called once per fan-out with the items that an executor is about to run, before the first one starts, so it can
  /// reserve resources for all of them. At most `atOnce` run at once, and some may never run. Nil if no executor needs
  /// it.
  public var expectItems: (@Sendable (_ executor: Int, _ items: [Int], _ step: StepID, _ atOnce: Int) -> Void)?

  /// Creates a placement from the executors' indices.
  public init(executors: [any StepExecutor], assignment: [StepIndex: Int]) {
    self.executors = executors
    self.assignment = assignment
  }

  /// The plan's representation of the placement.
  var steps: RemoteSteps {
    RemoteSteps(
      executors: executors.map { RemoteSteps.Executor(name: $0.name, slots: $0.slots, countsHere: $0.isHere) },
      assignment: assignment, lostAttempts: lostAttempts)
  }
}

// Remote steps occupy a slot in the executor's queue and no thread.
extension WorkflowRun {
  /// Takes the steps for which executors have slots, under the lock.
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

  /// Runs a body on an executor.
  func runRemotely(_ start: Start) {
    if let problem = start.inputs?.problem {
      return change(.ended(start.step, attempt: Int(start.attempt), .failure(problem, isRetryable: false)))
    }
    let owner = instances.owner(of: start.step)
    guard let placement = options.placement, let index = placement.assignment[owner] else { return }
    let executor = placement.executors[index]
    let declaration = prepared.action(of: owner).declaration
    // If a machine failed or was reassigned, the attempt on another one requests no more than the lost attempt.
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

  /// True unless another process may hold the run. Workers are kept alive, and steps begin, only while it is true.
  public var isSureOfRun: Bool { options.outer?.run.isSureOfRun ?? journal?.isSure ?? true }
}
