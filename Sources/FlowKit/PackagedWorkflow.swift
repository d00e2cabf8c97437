import FlowCompiled
import FlowEngine
import FlowModel
import FlowPluginKit

/// A workflow that the build plugin has checked and compiled into the app, with typed inputs and outputs.
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
  /// The compiled workflow, which `WorkflowGraph.init(compiled:)` reads.
  static var compiled: [UInt8] { get }
}

/// The inputs of a run of a ``PackagedWorkflow``.
public protocol WorkflowInputs: Sendable {
  /// The inputs by name. Inputs that are missing have their default values.
  var values: ValueObject { get }
}

/// The outputs of a run of a ``PackagedWorkflow``, or of one of its steps.
public protocol WorkflowOutputs: Sendable {
  /// Reads the outputs from values. An output is nil if it is missing or has the wrong type.
  init(values: ValueObject)
}

/// A step of a ``PackagedWorkflow`` with the type of its outputs.
public struct StepKey<Outputs: WorkflowOutputs>: Sendable, Hashable {
  /// The id of the step.
  public let id: StepID

  /// Creates the key of the step with this id.
  public init(_ id: String) { self.id = StepID(unchecked: id) }
}

/// The outputs of a step without outputs.
public struct NoWorkflowOutputs: WorkflowOutputs {
  /// Creates the value and ignores all outputs.
  public init(values: ValueObject) {}
}

extension ValueObject {
  /// The values of an output of a step with items, in the order of the items. The value of an item that failed or was
  /// skipped is nil.
  public func items<Element: ColumnValue>(_ name: String) -> [Element?]? {
    self[name]?.arrayValue?.map { Element($0) }
  }
}

extension PackagedWorkflow {
  /// The graph of the workflow. Throws only if the app was built with two different versions of this package.
  public static func graph() throws(CompiledWorkflowError) -> WorkflowGraph { try WorkflowGraph(compiled: compiled) }
}

extension Engine {
  /// Starts a run of a compiled workflow. Throws a `PreparedWorkflow.PreparationProblem` if the engine lacks an action,
  /// or if an expression has an invalid value.
  ///
  /// - Parameters:
  ///   - workflow: The workflow, such as `Workflows.launch`.
  ///   - inputs: The inputs of the workflow. Omitted inputs have their default values.
  ///   - options: The folders and other options of the run.
  ///   - events: The detail of ``TypedRun/events``. The start is fastest with `none`.
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
  /// Runs a compiled workflow while `body` runs. Once `body` has returned, the run expects no more outside events, and
  /// the call returns when the run has ended. If the task is cancelled or `body` throws, the run is cancelled.
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

  /// The events of the run, from its start. The sequence ends with the run. A reader that falls more than 10,000 events
  /// behind misses events.
  public var events: RunEvents {
    if let relay { return RunEvents(relay: relay) }
    let relay = EventRelay(detail: .none, passingOnTo: nil)
    relay.end(with: run)
    return RunEvents(relay: relay)
  }

  /// The outcome of the gate. Waits until the gate has opened or the run has ended without opening it.
  public nonisolated(nonsending) var gate: GateOpening {
    get async { await run.gate }
  }

  /// The number of finished steps, and of all steps.
  public var progress: RunProgress { run.progress }

  /// The report. Waits until the run has ended.
  public var report: RunReport {
    get async { await run.report }
  }

  /// The outputs of the run. Waits until the run has ended.
  public var outputs: Workflow.Outputs {
    get async { Workflow.Outputs(values: await run.report.outputs) }
  }

  /// The outputs of a step, with unmasked secrets, or nil if it has not succeeded.
  public func outputs<Outputs>(of step: StepKey<Outputs>) -> Outputs? {
    run.outputs(of: step.id).map { Outputs(values: $0) }
  }

  /// Posts an event from outside. Later posts of the same event have no effect unless it repeats.
  public func post(_ event: some EventName) { run.post(event) }

  /// Posts an event with a value. Throws if the event has no value or one of another type.
  public func post(_ event: some EventName, value: Value) throws(EventValueProblem) {
    try run.post(event.rawValue, value: value)
  }

  /// Declares that no more events are posted from outside. The run may then end when nothing is left to do.
  public func finishPosting() { run.finishPosting() }

  /// Cancels the run: running steps are asked to end, waiting ones are skipped.
  public func cancel() { run.cancel() }
}
