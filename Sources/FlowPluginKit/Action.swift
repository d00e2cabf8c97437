import FlowModel

/// The common part of all actions. An action is an ``Action``, an ``AsyncAction`` or a ``StepService``.
///
/// Everything except `name`, `summary`, `Input`, `Output` and `run` has a default. `validate`, `schema` and `plugins
/// show` read these declarations without running anything.
public protocol ActionType: Sendable {
  /// The inputs that a step passes under `with`.
  associatedtype Input: ActionInput = NoInput
  /// The outputs that dependents read under `outputs`.
  associatedtype Output: ActionOutput = NoOutput

  /// The full name, `plugin.action`.
  static var name: String { get }
  /// One sentence about its effect.
  static var summary: String { get }
  /// The handles that it provides with ``ActionContext/provide(_:_:close:)``.
  static var provides: [HandleKey] { get }
  /// The handles that it uses with ``ActionContext/handle(_:as:)``. A step before it must provide each of them.
  static var requires: [HandleKey] { get }
  /// The events that it may post.
  static var events: [String] { get }
  /// The values that it posts events with, named after their events.
  static var eventValues: [FieldDeclaration] { get }
  /// The events that it follows with ``ActionContext/follow(_:into:)``, whether or not the workflow repeats steps for
  /// them.
  static var follows: [String] { get }
  /// The source of the events that a service posts.
  static var source: EventSource { get }
  /// True if it reads data that is unavailable while the device is locked (P6).
  static var needsProtectedData: Bool { get }
  /// The errors that it may end with, each with whether another attempt may help.
  static var errors: [ErrorDeclaration] { get }
  /// An example step, which begins with `uses:`.
  static var example: String { get }
  /// The name of an object input whose keys are also outputs, as in `flow.set`, or nil.
  static var outputsFromInput: String? { get }
  /// The name of an object input that declares outputs by name, as in `shell.run`, or nil.
  static var outputFieldsFromInput: String? { get }
  /// The name of a literal string input that names a posted event, as in `flow.post`, or nil.
  static var eventFromInput: String? { get }
  /// The name of an input whose text a shell reads, so that expressions in it are suspicious, as in `shell.run`, or
  /// nil.
  static var shellTextInput: String? { get }
  /// The inputs that describe the action it calls for each post of an event, as in `flow.on`, or nil.
  static var calls: ActionCall? { get }
  /// The maximum size of its outputs as JSON, in bytes. More than `Limits.outputBytes` only for an action that limits
  /// them itself.
  static var outputLimitBytes: Int { get }

  /// The kind of its effect: `process` if it shows something, registers something or keeps it in memory.
  static var effect: ActionEffect { get }

  /// True if it has the same effect on another machine, to which steps may be sent (`--on`), because it only uses its
  /// inputs, files and commands.
  static var isPortable: Bool { get }

  /// Returns the problems of literal inputs beyond their types. Pure; called by `validate`.
  static func check(_ input: LiteralInput) -> [InputProblem]

  /// Makes the action. Called once per registry, without I/O.
  init()

  /// Returns the function that the engine runs. The defaults of ``Action``, ``AsyncAction`` and ``StepService`` suit
  /// every action.
  func makeBody() -> RegisteredAction.Body

  /// Returns the function that the engine calls for an action without inputs and outputs, or nil for others. The
  /// defaults suit every action.
  func plainBody() -> (@Sendable (ActionContext) throws -> Void)?

  /// Returns the function that the engine calls for an action that releases its thread while it waits. Nil for all
  /// except `shell.run`.
  func bodyInParts() -> BodyInParts?
}

extension ActionType {
  /// No handles.
  public static var provides: [HandleKey] { [] }
  /// No handles.
  public static var requires: [HandleKey] { [] }
  /// No events.
  public static var events: [String] { [] }
  /// No values.
  public static var eventValues: [FieldDeclaration] { [] }
  /// No events.
  public static var follows: [String] { [] }
  /// The run.
  public static var source: EventSource { .run }
  /// False.
  public static var needsProtectedData: Bool { false }
  /// No declared errors: every error may be retried.
  public static var errors: [ErrorDeclaration] { [] }
  /// Only the `uses` line.
  public static var example: String { "uses: \(name)" }
  /// Nil.
  public static var outputsFromInput: String? { nil }
  /// Nil.
  public static var outputFieldsFromInput: String? { nil }
  /// Nil.
  public static var eventFromInput: String? { nil }
  /// Nil.
  public static var shellTextInput: String? { nil }
  /// Nil.
  public static var calls: ActionCall? { nil }
  /// The limit of every action.
  public static var outputLimitBytes: Int { Limits.outputBytes }
  /// False.
  public static var isPortable: Bool { false }
  /// An effect that outlives the process.
  public static var effect: ActionEffect { .durable }
  /// No problems.
  public static func check(_ input: LiteralInput) -> [InputProblem] { [] }
  /// Nil, because inputs must be read or outputs written.
  public func plainBody() -> (@Sendable (ActionContext) throws -> Void)? { nil }
  /// Nil, because the action keeps its thread or awaits.
  public func bodyInParts() -> BodyInParts? { nil }
}

/// An action that works on the step's own thread. This is the usual kind.
///
/// No task is made for it. It may block, which only occupies its own thread.
public protocol Action: ActionType {
  /// Performs the work. Throws an ``ActionError`` or any other error if it fails.
  func run(_ input: Input, in context: ActionContext) throws -> Output
}

extension Action {
  /// Runs the action on the step's thread.
  public func makeBody() -> RegisteredAction.Body {
    let inputs = InputMaker<Input>()
    return .synchronous { values, context in try run(inputs.make(values), in: context).values }
  }
}

extension Action where Input == NoInput, Output == NoOutput {
  /// Calls ``run(_:in:)``. Inlined where the action is compiled, because there may be hundreds of thousands of such
  /// steps.
  @inlinable
  public func plainBody() -> (@Sendable (ActionContext) throws -> Void)? {
    { context in _ = try run(NoInput(), in: context) }
  }
}

/// An action that awaits.
public protocol AsyncAction: ActionType {
  /// Performs the work. Throws an ``ActionError`` or any other error if it fails. Its task is cancelled with the step.
  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output
}

extension AsyncAction {
  /// Runs the action in a task of its own.
  public func makeBody() -> RegisteredAction.Body { .asynchronous(bodyInTask()) }

  fileprivate func bodyInTask() -> @Sendable (ValueObject, ActionContext) async throws -> ValueObject {
    let inputs = InputMaker<Input>()
    return { values, context in try await run(inputs.make(values), in: context).values }
  }
}

/// An action that reports ready with ``ActionContext/ready(_:)`` and then continues until its task is cancelled.
///
/// The step counts as finished for dependents, the gate and its own deadline when it reports ready. The run stops its
/// services when everything else has finished. A service that returns without having reported ready is finished with
/// what it returns.
public protocol StepService: AsyncAction {}

extension StepService {
  /// Runs the action in a task of its own, which continues after it reported ready.
  public func makeBody() -> RegisteredAction.Body { .service(bodyInTask()) }
}
