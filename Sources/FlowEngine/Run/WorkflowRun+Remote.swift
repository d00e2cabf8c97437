import FlowModel
import FlowPluginKit

/// Which steps of a workflow run elsewhere, and where.
public struct ExecutorPlacement: Sendable {
  /// The executors.
  public var executors: [any StepExecutor]
  /// For each step that one of them runs the executor's index; steps that are not named stay here.
  public var assignment: [StepIndex: Int]
  /// How often a body that was lost runs again at most, without counting as an attempt of `retry`.
  public var lostAttempts = RemoteSteps.usualLostAttempts
  /// Is told once which items of a fan-out an executor is about to run, before it runs the first of them: it may ask for what they
  /// take together. At most `atOnce` of them run at once; some may never be run. Nil: no executor wants to know.
  public var expectItems: (@Sendable (_ executor: Int, _ items: [Int], _ step: StepID, _ atOnce: Int) -> Void)?

  /// Steps by the indices of their executors.
  public init(executors: [any StepExecutor], assignment: [StepIndex: Int]) {
    self.executors = executors
    self.assignment = assignment
  }

  /// As the plan knows them.
  var steps: RemoteSteps {
    RemoteSteps(
      executors: executors.map { RemoteSteps.Executor(name: $0.name, slots: $0.slots, countsHere: $0.isHere) },
      assignment: assignment, lostAttempts: lostAttempts)
  }
}

// Steps that executors run: they take a slot in the executor's queue and no thread.
extension WorkflowRun {
  /// Takes under the lock what executors have slots for.
  func startRemotely(_ state: inout RunState, _ aftermath: inout Aftermath) {
    while let next = nextStart(in: .remote, &state, at: state.instant(clock.now)) {
      if options.placement?.expectItems != nil, let items = state.plan.takeExpectedItems(startingWith: next.step) {
        aftermath.expectations.append(items)
      }
      aftermath.remoteStarts.append(start(next.step, next.attempt, &state))
    }
  }

  /// Tells an executor of the items that are about to be run there.
  func expect(_ expectation: (step: StepIndex, items: [Int], atOnce: Int)) {
    guard let placement = options.placement, let index = placement.assignment[expectation.step] else { return }
    placement.expectItems?(
      index, expectation.items, prepared.graph.workflow.steps[Int(expectation.step)].id, expectation.atOnce)
  }

  /// Has an executor run a body.
  func runRemotely(_ start: Start) {
    if let problem = start.inputs?.problem {
      return change(.ended(start.step, attempt: Int(start.attempt), .failure(problem, isRetryable: false)))
    }
    let owner = instances.owner(of: start.step)
    guard let placement = options.placement, let index = placement.assignment[owner] else { return }
    let executor = placement.executors[index]
    let declaration = prepared.action(of: owner).declaration
    // Another machine is as good as the one that failed or was given to others: the attempt after that takes no more.
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

  /// Whether this process has the run as far as is known: workers are kept going, and steps begin, only while it has.
  public var isSureOfRun: Bool { options.outer?.run.isSureOfRun ?? journal?.isSure ?? true }
}
