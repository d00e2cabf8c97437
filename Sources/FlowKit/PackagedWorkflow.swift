import FlowCompiled
import FlowEngine
import FlowModel
import FlowPluginKit

/// A workflow that the build plugin has checked and compiled into the app, with the types of its inputs and outputs.
///
/// ```swift
/// let run = try engine.start(Workflows.launch, .init(user: "ada"), options: options)
/// let gate = await run.gate
/// run.post(Events.mapFirstUse)
/// print(await run.outputs.greeting ?? "")
/// ```
public protocol PackagedWorkflow: Sendable {
  /// The inputs of a run.
  associatedtype Inputs: WorkflowInputs
  /// The outputs of a run.
  associatedtype Outputs: WorkflowOutputs
  /// The compiled workflow, as `WorkflowGraph.init(compiled:)` reads it.
  static var compiled: [UInt8] { get }
}

/// The inputs of a run of a ``PackagedWorkflow``.
public protocol WorkflowInputs: Sendable {
  /// The inputs by name; those that are missing have their defaults.
  var values: ValueObject { get }
}

/// The outputs of a run of a ``PackagedWorkflow``, or of one of its steps.
public protocol WorkflowOutputs: Sendable {
  /// Reads the outputs from values; an output that is missing or does not fit is nil.
  init(values: ValueObject)
}

/// A step of a ``PackagedWorkflow`` with the type of its outputs.
public struct StepKey<Outputs: WorkflowOutputs>: Sendable, Hashable {
  /// The id of the step.
  public let id: StepID

  /// The step with this id.
  public init(_ id: String) { self.id = StepID(unchecked: id) }
}

/// The outputs of a step that has none.
public struct NoWorkflowOutputs: WorkflowOutputs {
  /// No outputs.
  public init(values: ValueObject) {}
}

extension ValueObject {
  /// An output of a step that runs for several items: one for each item, with nil where the item failed or was skipped.
  public func items<Element: ColumnValue>(_ name: String) -> [Element?]? {
    self[name]?.arrayValue?.map { Element($0) }
  }
}

extension PackagedWorkflow {
  /// The workflow as the engine takes it. Throws only where the build of the app mixed two versions of this package.
  public static func graph() throws(CompiledWorkflowError) -> WorkflowGraph { try WorkflowGraph(compiled: compiled) }
}

extension Engine {
  /// Starts a run of a compiled workflow. Throws a `PreparedWorkflow.PreparationProblem` when the engine lacks an action of it, or an
  /// expression gives something unexpected.
  ///
  /// - Parameters:
  ///   - workflow: the workflow, such as `Workflows.launch`.
  ///   - inputs: its inputs; those that are left out have their defaults.
  ///   - options: the folders of the run, and what else it is given.
  ///   - events: the events in ``TypedRun/events``. `none` makes the start fastest.
  public func start<Workflow: PackagedWorkflow>(
    _ workflow: Workflow, _ inputs: Workflow.Inputs, options: RunOptions, events: RunDetail = .full
  ) throws -> TypedRun<Workflow> {
    var options = options
    options.inputs = inputs.values
    let relay = events == .none ? nil : EventRelay(detail: events, passingOnTo: options.observer)
    if let relay { options.observer = relay }
    options.threads.prepare()
    let graph = try Workflow.graph()
    options.threads.prepare(for: graph)
    let run = try start(graph, options: options)
    relay?.end(with: run)
    return TypedRun(run: run, relay: relay)
  }
}

extension Engine {
  /// Runs a compiled workflow as long as `body` takes: when `body` returns, no more events come from outside, and the call
  /// returns when the run has ended. When the task is cancelled or `body` throws, the run is cancelled.
  ///
  /// ```swift
  /// let report = try await engine.run(Workflows.launch, .init(user: "ada"), options: options) { run in
  ///   show(await run.gate)
  /// }
  /// ```
  @discardableResult
  public nonisolated(nonsending) func run<Workflow: PackagedWorkflow>(
    _ workflow: Workflow, _ inputs: Workflow.Inputs, options: RunOptions, events: RunDetail = .full,
    _ body: nonisolated(nonsending) (TypedRun<Workflow>) async throws -> Void = { _ in }
  ) async throws -> RunReport {
    let run = try start(workflow, inputs, options: options, events: events)
    return try await withTaskCancellationHandler {
      do {
        try await body(run)
      } catch {
        run.cancel()
        _ = await run.report
        throw error
      }
      run.finishPosting()
      return await run.report
    } onCancel: {
      run.cancel()
    }
  }
}

/// A run of a ``PackagedWorkflow``.
public struct TypedRun<Workflow: PackagedWorkflow>: Sendable {
  /// The run, with everything that does not depend on the workflow's types.
  public let run: WorkflowRun

  let relay: EventRelay?

  /// The events of the run, from the first on; the sequence ends with the run. A reader that is more than 10,000 events
  /// behind misses those after them.
  public var events: RunEvents {
    if let relay { return RunEvents(relay: relay) }
    let relay = EventRelay(detail: .none, passingOnTo: nil)
    relay.end(with: run)
    return RunEvents(relay: relay)
  }

  /// How the gate opened; returns when it has, or when it never will.
  public nonisolated(nonsending) var gate: GateOpening {
    get async { await run.gate }
  }

  /// The number of steps that have finished, of how many.
  public var progress: RunProgress { run.progress }

  /// The report; returns when the run has ended.
  public var report: RunReport {
    get async { await run.report }
  }

  /// The outputs of the run; returns when the run has ended.
  public var outputs: Workflow.Outputs {
    get async { Workflow.Outputs(values: await run.report.outputs) }
  }

  /// The outputs of a step, with secrets as they are; nil while it has not succeeded.
  public func outputs<Outputs>(of step: StepKey<Outputs>) -> Outputs? {
    run.outputs(of: step.id).map { Outputs(values: $0) }
  }

  /// Posts an event from outside. Later posts of the same event do nothing, unless it repeats.
  public func post(_ event: some EventName) { run.post(event) }

  /// Posts an event with a value; throws when the event carries no value, or one of another type.
  public func post(_ event: some EventName, value: Value) throws(EventValueProblem) {
    try run.post(event.rawValue, value: value)
  }

  /// Says that no more events come from outside: the run may end when nothing is left to do.
  public func finishPosting() { run.finishPosting() }

  /// Cancels the run: running steps are stopped, waiting ones are skipped.
  public func cancel() { run.cancel() }
}
