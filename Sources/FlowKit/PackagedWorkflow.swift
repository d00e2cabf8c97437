import FlowCompiled
import FlowEngine
import FlowModel
import FlowPluginKit

/// A workflow that the build plugin has checked and compiled into the app, with types for its inputs and outputs.
///
/// ```swift
/// let run = try engine.start(Workflows.launch, .init(user: "ada"), options: options)
/// let gate = await run.gate
/// run.post(Events.mapFirstUse)
/// print(await run.outputs.greeting ?? "")
/// ```
public protocol PackagedWorkflow: Sendable {
  /// The type of the workflow's inputs.
  associatedtype Inputs: WorkflowInputs
  /// The type of the workflow's outputs.
  associatedtype Outputs: WorkflowOutputs
  /// The compiled workflow, in the format that `WorkflowGraph.init(compiled:)` reads.
  static var compiled: [UInt8] { get }
}

/// The inputs of a ``PackagedWorkflow``.
public protocol WorkflowInputs: Sendable {
  /// The inputs by name. Missing inputs get their default values.
  var values: ValueObject { get }
}

/// The outputs of a ``PackagedWorkflow``, or of one of its steps.
public protocol WorkflowOutputs: Sendable {
  /// Creates outputs from values. An output is nil if its value is missing or has the wrong type.
  init(values: ValueObject)
}

/// Identifies a step of a ``PackagedWorkflow``, and the type of its outputs.
public struct StepKey<Outputs: WorkflowOutputs>: Sendable, Hashable {
  /// The id of the step, as in the workflow file.
  public let id: StepID

  /// Creates the key of a step from its id, which is not checked.
  public init(_ id: String) { self.id = StepID(unchecked: id) }
}

/// The type of the outputs of a step that has none.
public struct NoWorkflowOutputs: WorkflowOutputs {
  /// Creates empty outputs. All values are ignored.
  public init(values: ValueObject) {}
}

extension ValueObject {
  /// Returns the values of an output of a step with items, in the order of the items. The value of an item that failed
  /// or was skipped is nil. Returns nil if the step has no such output.
  public func items<Element: ColumnValue>(_ name: String) -> [Element?]? {
    self[name]?.arrayValue?.map { Element($0) }
  }
}

extension PackagedWorkflow {
  /// Returns the graph of the workflow. Throws an error only if the app was built with two different versions of this
  /// package.
  public static func graph() throws(CompiledWorkflowError) -> WorkflowGraph { try WorkflowGraph(compiled: compiled) }
}

extension Engine {
  /// Starts a run of a compiled workflow. Throws a `PreparedWorkflow.PreparationProblem` if the engine lacks an action
  /// or an expression has an invalid value, and the errors of ``PackagedWorkflow/graph()``.
  ///
  /// - Parameters:
  ///   - workflow: The workflow, such as `Workflows.launch`.
  ///   - inputs: The inputs of the workflow. Inputs that are left out get their default values.
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
  /// Runs a compiled workflow while `body` runs. When `body` has returned, the run no longer waits for events from
  /// outside the run. The call returns when the run has ended. If the task is cancelled or `body` throws an error, the
  /// run is cancelled. An error of `body` is thrown again after the run has ended.
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

/// A run of a ``PackagedWorkflow``, with types for its inputs and outputs.
public struct TypedRun<Workflow: PackagedWorkflow>: Sendable {
  /// The underlying run, for everything that does not depend on the workflow's types.
  public let run: WorkflowRun

  let relay: EventRelay?

  /// The events of the run from its start. The sequence ends when the run ends. A reader that starts after, or falls
  /// behind by, more than 10,000 events misses events.
  public var events: RunEvents {
    if let relay { return RunEvents(relay: relay) }
    let relay = EventRelay(detail: .none, passingOnTo: nil)
    relay.end(with: run)
    return RunEvents(relay: relay)
  }

  /// The outcome and time of the gate. Waits until the gate has opened, or until the run has ended without opening it.
  public nonisolated(nonsending) var gate: GateOpening {
    get async { await run.gate }
  }

  /// The number of finished steps and the number of all steps.
  public var progress: RunProgress { run.progress }

  /// The report of the run. Waits until the run has ended.
  public var report: RunReport {
    get async { await run.report }
  }

  /// The outputs of the workflow. Waits until the run has ended.
  public var outputs: Workflow.Outputs {
    get async { Workflow.Outputs(values: await run.report.outputs) }
  }

  /// Returns the outputs of a step, with secrets in plain text, or nil if the step has not succeeded.
  public func outputs<Outputs>(of step: StepKey<Outputs>) -> Outputs? {
    run.outputs(of: step.id).map { Outputs(values: $0) }
  }

  /// Posts an event from outside the run. Later posts of the same event have no effect unless it repeats.
  public func post(_ event: some EventName) { run.post(event) }

  /// Posts an event with a value. Throws an error if the event cannot have a value from outside the run, or if the
  /// value has the wrong type or is too large.
  public func post(_ event: some EventName, value: Value) throws(EventValueProblem) {
    try run.post(event.rawValue, value: value)
  }

  /// Declares that no more events will be posted from outside the run. The run may then end when nothing is left to do.
  public func finishPosting() { run.finishPosting() }

  /// Cancels the run: running steps are asked to end, and waiting steps are skipped.
  public func cancel() { run.cancel() }
}
