import FlowModel

/// The declarations that all actions have in common. An action conforms to one of ``Action``, ``AsyncAction`` and
/// ``StepService``.
///
/// Everything has a default except `name`, `summary`, `run`, and the types of inputs and outputs if there are any.
/// `validate`, `schema` and `plugins show` read these declarations without running the action.
public protocol ActionType: Sendable {
  /// The type of the inputs, which a step sets under `with`.
  associatedtype Input: ActionInput = NoInput
  /// The type of the outputs, which later steps read under `outputs`.
  associatedtype Output: ActionOutput = NoOutput

  /// The full name of the action, such as `storage.open`. The part before the dot is the name of the plugin.
  static var name: String { get }
  /// A description of the action in one sentence.
  static var summary: String { get }
  /// The handles that the action provides with ``ActionContext/provide(_:_:close:)``.
  static var provides: [HandleKey] { get }
  /// The handles that the action uses with ``ActionContext/handle(_:as:)``. A step upstream, or a plugin for every run,
  /// must provide each of them.
  static var requires: [HandleKey] { get }
  /// The events that the action may post.
  static var events: [String] { get }
  /// The errors that the action may throw, and for each of them whether another attempt may succeed.
  static var errors: [ErrorDeclaration] { get }
  /// An example of a step in YAML, which starts with `uses:`.
  static var example: String { get }

  /// The lifetime of the action's effect. Use `process` if the action shows something, registers something, or keeps
  /// something in memory.
  static var effect: ActionEffect { get }

  /// True if the action has the same result on another machine (`--on`), because it uses only its inputs, files and
  /// commands.
  static var isPortable: Bool { get }

  /// The declarations of actions that are a part of flowrun. Other actions must not implement this property.
  static var details: ActionDetails { get }

  /// Creates the action. It is called once for each registry and must not have side effects.
  init()

  /// Returns the function that the engine calls. ``Action``, ``AsyncAction`` and ``StepService`` implement it.
  func makeBody() -> RegisteredAction.Body

  /// Returns a simpler function for an action without inputs and outputs, or nil. The default implementation suffices.
  func plainBody() -> (@Sendable (ActionContext) throws -> Void)?
}

extension ActionType {
  /// No handles by default.
  public static var provides: [HandleKey] { [] }
  /// No handles by default.
  public static var requires: [HandleKey] { [] }
  /// No events by default.
  public static var events: [String] { [] }
  /// No declared errors. The engine may retry any error.
  public static var errors: [ErrorDeclaration] { [] }
  /// The default: an example without inputs.
  public static var example: String { "uses: \(name)" }
  /// False by default.
  public static var isPortable: Bool { false }
  /// The default: an effect that outlives the process.
  public static var effect: ActionEffect { .durable }
  /// No details.
  public static var details: ActionDetails { ActionDetails() }
  /// Nil, because the action has inputs or outputs, or runs in a task.
  public func plainBody() -> (@Sendable (ActionContext) throws -> Void)? { nil }
}

/// An action that runs on the thread of its step. Most actions are of this kind.
///
/// It needs no task. It may block, because its thread runs nothing else.
public protocol Action: ActionType {
  /// Runs the action. It fails by throwing an ``ActionError`` or any other error.
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
  /// Returns a function that calls ``run(_:in:)`` without inputs. It is inlined into the action's module, because a run
  /// may have hundreds of thousands of such steps.
  @inlinable
  public func plainBody() -> (@Sendable (ActionContext) throws -> Void)? {
    { context in _ = try run(NoInput(), in: context) }
  }
}

/// An action that runs asynchronously in a task.
public protocol AsyncAction: ActionType {
  /// Runs the action. It fails by throwing an ``ActionError`` or any other error. Its task is cancelled together with
  /// the step.
  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output
}

extension AsyncAction {
  /// Runs the action in a task.
  public func makeBody() -> RegisteredAction.Body { .asynchronous(bodyInTask()) }

  fileprivate func bodyInTask() -> @Sendable (ValueObject, ActionContext) async throws -> ValueObject {
    let inputs = InputMaker<Input>()
    return { values, context in try await run(inputs.make(values), in: context).values }
  }
}

/// A service: an action that calls ``ActionContext/ready(_:)`` and continues to run until its task is cancelled.
///
/// Once it is ready, it counts as finished for its dependents, the gate and its deadline. The run stops its services
/// when all other steps have finished. A service that returns without being ready counts as a normal step with the
/// outputs that it returns.
public protocol StepService: AsyncAction {}

extension StepService {
  /// Runs the service in a task, which continues after the service is ready.
  public func makeBody() -> RegisteredAction.Body { .service(bodyInTask()) }
}
