import FlowModel

/// What all actions have in common; an action is an ``Action``, an ``AsyncAction`` or a ``StepService``.
///
/// Everything but `name`, `summary`, `Input`, `Output` and `run` has a default. What is declared here is read by
/// `validate`, `schema` and `plugins show` without running anything.
public protocol ActionType: Sendable {
  /// What a step gives under `with`.
  associatedtype Input: ActionInput = NoInput
  /// What dependents read under `outputs`.
  associatedtype Output: ActionOutput = NoOutput

  /// The full name, `plugin.action`.
  static var name: String { get }
  /// One sentence: what it does.
  static var summary: String { get }
  /// Handles it makes with ``ActionContext/provide(_:_:close:)``.
  static var provides: [HandleKey] { get }
  /// Handles it takes with ``ActionContext/handle(_:as:)``; a step before it must provide each.
  static var requires: [HandleKey] { get }
  /// Events it may post.
  static var events: [String] { get }
  /// The values that it posts events with, each under the name of its event.
  static var eventValues: [FieldDeclaration] { get }
  /// The events that it takes with ``ActionContext/follow(_:into:)`` whether or not the workflow has them repeat.
  static var follows: [String] { get }
  /// The source of the events that a service posts.
  static var source: EventSource { get }
  /// Whether it reads data that is unavailable while the device is locked (P6).
  static var needsProtectedData: Bool { get }
  /// The errors it may end with, and which are worth another attempt.
  static var errors: [ErrorDeclaration] { get }
  /// An example step, beginning with `uses:`.
  static var example: String { get }
  /// The name of an object input whose keys are outputs too; nil for all but actions such as `flow.set`.
  static var outputsFromInput: String? { get }
  /// The name of an object input that declares outputs, a field by name; nil for all but `shell.run`.
  static var outputFieldsFromInput: String? { get }
  /// The name of a literal string input that names an event it posts; nil for all but actions such as `flow.post`.
  static var eventFromInput: String? { get }
  /// The name of an input whose text a shell reads, so that expressions in it are doubtful; nil for all but `shell.run`.
  static var shellTextInput: String? { get }
  /// Which of its inputs say what it calls for each post of an event; nil for all but `flow.on`.
  static var calls: ActionCall? { get }
  /// Bytes that its outputs may have, as JSON; more than `Limits.outputBytes` only for an action that bounds them itself.
  static var outputLimitBytes: Int { get }

  /// What its work is done to: to the process, for what shows something, registers something or keeps it in memory.
  static var effect: ActionEffect { get }

  /// Whether it does the same on another machine, where steps may be sent (`--on`): it works on its inputs, files and
  /// commands alone.
  static var isPortable: Bool { get }

  /// What is wrong with the literal inputs beyond their types. Pure; called by `validate`.
  static func check(_ input: LiteralInput) -> [InputProblem]

  /// Made once for every registry, without I/O.
  init()

  /// How the engine runs it. The defaults of ``Action``, ``AsyncAction`` and ``StepService`` are right for every action.
  func makeBody() -> RegisteredAction.Body

  /// What the engine calls where the action takes nothing and gives nothing; nil for all others. The defaults are right
  /// for every action.
  func plainBody() -> (@Sendable (ActionContext) throws -> Void)?

  /// What the engine calls where the action returns to its thread while it waits; nil for all but `shell.run`.
  func bodyInParts() -> BodyInParts?
}

extension ActionType {
  /// None.
  public static var provides: [HandleKey] { [] }
  /// None.
  public static var requires: [HandleKey] { [] }
  /// None.
  public static var events: [String] { [] }
  /// None.
  public static var eventValues: [FieldDeclaration] { [] }
  /// None.
  public static var follows: [String] { [] }
  /// From the run.
  public static var source: EventSource { .run }
  /// No.
  public static var needsProtectedData: Bool { false }
  /// None declared: every error can be retried.
  public static var errors: [ErrorDeclaration] { [] }
  /// Just the `uses` line.
  public static var example: String { "uses: \(name)" }
  /// None.
  public static var outputsFromInput: String? { nil }
  /// None.
  public static var outputFieldsFromInput: String? { nil }
  /// None.
  public static var eventFromInput: String? { nil }
  /// None.
  public static var shellTextInput: String? { nil }
  /// Nothing.
  public static var calls: ActionCall? { nil }
  /// What every action may have.
  public static var outputLimitBytes: Int { Limits.outputBytes }
  /// No.
  public static var isPortable: Bool { false }
  /// To what outlives the process.
  public static var effect: ActionEffect { .durable }
  /// Nothing.
  public static func check(_ input: LiteralInput) -> [InputProblem] { [] }
  /// None: inputs must be read, or outputs written.
  public func plainBody() -> (@Sendable (ActionContext) throws -> Void)? { nil }
  /// None: it holds its thread or awaits.
  public func bodyInParts() -> BodyInParts? { nil }
}

/// An action that does its work on the step's own thread; the usual kind.
///
/// No task is made for it. It may block: it then costs only its own thread.
public protocol Action: ActionType {
  /// Does the work; throws an ``ActionError`` (or any error) when it fails.
  func run(_ input: Input, in context: ActionContext) throws -> Output
}

extension Action {
  /// Inline on the step's thread.
  public func makeBody() -> RegisteredAction.Body {
    let inputs = InputMaker<Input>()
    return .synchronous { values, context in try run(inputs.make(values), in: context).values }
  }
}

extension Action where Input == NoInput, Output == NoOutput {
  /// Just ``run(_:in:)``. Inlined where the action is compiled, since such steps may come by the hundred thousand.
  @inlinable
  public func plainBody() -> (@Sendable (ActionContext) throws -> Void)? {
    { context in _ = try run(NoInput(), in: context) }
  }
}

/// An action that awaits.
public protocol AsyncAction: ActionType {
  /// Does the work; throws an ``ActionError`` (or any error) when it fails. Its task is cancelled with the step.
  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output
}

extension AsyncAction {
  /// In a task of its own.
  public func makeBody() -> RegisteredAction.Body { .asynchronous(bodyInTask()) }

  fileprivate func bodyInTask() -> @Sendable (ValueObject, ActionContext) async throws -> ValueObject {
    let inputs = InputMaker<Input>()
    return { values, context in try await run(inputs.make(values), in: context).values }
  }
}

/// An action that reports ready with ``ActionContext/ready(_:)`` and then continues until its task is cancelled.
///
/// For dependents, the gate and its own deadline the step is finished when it reports ready. The run stops its services
/// when everything else is over. One that returns without having reported ready is finished by what it returns.
public protocol StepService: AsyncAction {}

extension StepService {
  /// In a task of its own that continues after it reported ready.
  public func makeBody() -> RegisteredAction.Body { .service(bodyInTask()) }
}
