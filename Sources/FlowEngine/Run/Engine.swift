import FlowModel
import FlowPluginKit
import FlowSecrets
import FlowStore

/// Runs workflows with the actions of a registry. An app needs only one engine, because an engine stores no state of
/// runs.
public struct Engine: Sendable {
  /// The actions that workflows can use.
  package let registry: ActionRegistry

  /// Creates an engine with a registry of actions.
  package init(registry: ActionRegistry) { self.registry = registry }

  /// Creates an engine with the actions of these plugins. Plugin names must be unique.
  public init(plugins: [any Plugin]) { self.init(registry: ActionRegistry(plugins)) }

  /// Prepares a workflow and starts a run of it. Throws a ``PreparedWorkflow/PreparationProblem`` if an action is
  /// missing, an expression is invalid, a required secret is not set, a step requests more than the machine has, or the
  /// run cannot be recorded although it must be.
  public func start(
    _ graph: WorkflowGraph, options: RunOptions
  ) throws(PreparedWorkflow.PreparationProblem) -> WorkflowRun {
    try start(PreparedWorkflow(graph, registry: registry), options: options)
  }

  /// Starts a run of a prepared workflow. Throws a ``PreparedWorkflow/PreparationProblem`` if a required secret is not
  /// set, a step requests more than the machine has, the selection or an expression that is evaluated at the start is
  /// invalid, two items would produce the same file, or the run cannot be recorded although it must be.
  public func start(
    _ prepared: PreparedWorkflow, options: RunOptions
  ) throws(PreparedWorkflow.PreparationProblem) -> WorkflowRun {
    try Self.check(options.secrets, of: prepared.graph.workflow)
    try Self.checkRequests(of: prepared.graph, options)
    if let selection = options.selection { try prepared.check(selection) }
    var options = options
    options.launch.isFirst = !DataFolder(opened: options.dataFolder).hasLaunched
    let run = WorkflowRun(prepared, options: options, runID: RunInformation.newID())
    try run.start()
    return run
  }

  private static func check(_ secrets: ValueObject, of workflow: Workflow) throws(PreparedWorkflow.PreparationProblem) {
    for secret in workflow.secrets where secret.isRequired && secrets[secret.name]?.stringValue == nil {
      throw PreparedWorkflow.PreparationProblem(step: nil, message: "the secret '\(secret.name)' is not given")
    }
  }

  private static func checkRequests(
    of graph: WorkflowGraph, _ options: RunOptions
  ) throws(PreparedWorkflow.PreparationProblem) {
    guard graph.hasRequests else { return }
    let placement = options.placement
    try graph.checkRequests(in: options.capacity) { step in
      placement.map { placement in placement.assignment[step].map { !placement.executors[$0].isHere } ?? false }
        ?? false
    }
  }

  /// Resumes a run whose process has ended, with the same id and the next epoch. The resume plan is stored before any
  /// step begins. Inputs, launch and data folder are read from the journal, not from `options`. Secrets and secret
  /// inputs must be in `options`, because they are never recorded.
  ///
  /// Throws a `SecretMask.MissingSecret` if a secret or secret input is missing, a `StoreProblem` if another process
  /// has the run's lease or the store cannot be written, and a ``PreparedWorkflow/PreparationProblem`` if the run
  /// cannot start.
  package func resume(
    _ id: String, as prepared: PreparedWorkflow, _ plan: ResumePlan, in store: any RunStore, _ history: RunHistory,
    options: RunOptions
  ) throws -> WorkflowRun {
    try claim(id, as: prepared, plan, in: store, history, options: options).start()
  }

  /// Takes the lease of a run, so that no other process can resume it, and changes nothing else. Use this instead of
  /// ``resume(_:as:_:in:_:options:)`` if other work may fail before the run is changed. Throws the same errors.
  package func claim(
    _ id: String, as prepared: PreparedWorkflow, _ plan: ResumePlan, in store: any RunStore, _ history: RunHistory,
    options: RunOptions
  ) throws -> ClaimedRun {
    var options = options
    try Self.check(options.secrets, of: prepared.graph.workflow)
    try Self.checkRequests(of: prepared.graph, options)
    var inputs = plan.header.inputs
    for (name, value) in options.inputs { inputs[name] = value }
    for input in prepared.graph.workflow.inputs where input.isSecret && plan.header.hasPlaceholders {
      guard options.inputs[input.name] != nil || inputs[input.name]?.stringValue == nil else {
        throw SecretMask.MissingSecret(name: "inputs.\(input.name)")
      }
    }
    let mask = prepared.mask(secrets: options.secrets, inputs: inputs)
    let plan = try plan.filled(by: mask, inputs: inputs)
    let header = plan.header
    options.inputs = header.inputs
    options.launch = header.launch
    options.dataFolder = header.dataFolder
    options.jitterSeed = header.jitterSeed
    options.isPrewarmed = false
    options.history = history
    guard let before = try store.run(id) else { throw StoreProblem.unknown(run: id) }
    let lease = try store.take(id, at: plan.recollection.position, by: history.holder)
    return ClaimedRun(
      before: before, origin: RunOrigin(store: store, lease: lease, plan: plan), prepared: prepared, history: history,
      options: options)
  }
}

extension Engine {
  /// Releases the resources that plugins must not keep while the app is suspended, such as file locks, in all runs of
  /// this engine. Steps that need them wait until ``reactivate()``.
  public func suspend() async {
    for case let handle as any SuspendableHandle in registry.handles.map(\.handle) { await handle.suspend() }
  }

  /// Reacquires the resources that ``suspend()`` released. Throws the first problem, for example that another process
  /// has locked a file; the runs then no longer write that file.
  public func reactivate() async throws {
    var problem: (any Error)?
    for case let handle as any SuspendableHandle in registry.handles.map(\.handle) {
      do { try await handle.reactivate() } catch { problem = problem ?? error }
    }
    if let problem { throw problem }
  }
}

/// A run whose lease this process has taken, but which has not been changed. Work that may fail, such as requesting
/// workers, is done before ``start()``.
package struct ClaimedRun: Sendable {
  let before: StoredRun
  let origin: RunOrigin
  let prepared: PreparedWorkflow
  let history: RunHistory
  let options: RunOptions

  /// Records the resume in the journal and resumes the run. Throws the same errors as
  /// ``Engine/resume(_:as:_:in:_:options:)``. If nothing could be written, the lease is released.
  package func start() throws -> WorkflowRun {
    let (plan, lease) = (origin.plan, origin.lease)
    var epoch = RunEpoch(
      epoch: lease.epoch, holder: history.holder, startedMilliseconds: RunJournal.wallMilliseconds,
      hasRemoteSteps: options.placement != nil)
    epoch.remoteSteps = options.placement?.steps
    let chunks =
      plan.preface(epoch: epoch, programs: history.programs()) + [
        plan.chunk(atNanoseconds: plan.recollection.lastNanoseconds)
      ]
    do {
      try origin.store.resume(lease, as: history.definition, chunks: chunks.map(\.bytes))
    } catch {
      giveBack()
      throw error
    }
    let run = WorkflowRun(prepared, options: options, runID: before.id, from: origin)
    try run.start()
    return run
  }

  /// Releases the lease and leaves the run unchanged. If that fails, the run counts as interrupted once this process
  /// has ended.
  package func giveBack() { try? origin.store.giveBack(origin.lease, as: before) }
}
