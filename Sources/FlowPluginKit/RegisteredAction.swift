import FlowModel

/// An action as the engine runs it: its declaration, and a body with plain values as inputs and outputs.
///
/// Made from the type of a compiled-in action, or by the plugin host from a manifest.
public struct RegisteredAction: Sendable {
  /// The declaration, available without running the action.
  public let declaration: ActionDeclaration
  /// The function to run.
  public let body: Body
  /// The function of a synchronous ``body`` for an action without inputs and outputs, or nil for others.
  package let plainBody: (@Sendable (ActionContext) throws -> Void)?
  /// The function of a synchronous ``body`` that releases its thread while it waits, or nil if it does not.
  package let bodyInParts: BodyInParts?
  /// The outputs that a step may withhold, see ``ActionContext/withholdOutputs(hiding:)``.
  package let withheld: Set<String>
  /// The action's own check of literal inputs.
  public let check: @Sendable (LiteralInput) -> [InputProblem]

  /// The three ways to run an action.
  public enum Body: Sendable {
    /// On the step's thread.
    case synchronous(@Sendable (ValueObject, ActionContext) throws -> ValueObject)
    /// In a task of its own.
    case asynchronous(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
    /// In a task of its own, which continues after it reported ready.
    case service(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
  }

  /// Makes an action of these parts.
  public init(
    declaration: ActionDeclaration, body: Body,
    check: @escaping @Sendable (LiteralInput) -> [InputProblem] = { _ in [] }
  ) {
    self.init(declaration: declaration, body: body, plainBody: nil, bodyInParts: nil, withheld: [], check: check)
  }

  private init(
    declaration: ActionDeclaration, body: Body, plainBody: (@Sendable (ActionContext) throws -> Void)?,
    bodyInParts: BodyInParts?, withheld: Set<String>, check: @escaping @Sendable (LiteralInput) -> [InputProblem]
  ) {
    self.declaration = declaration
    self.body = body
    self.plainBody = plainBody
    self.bodyInParts = bodyInParts
    self.withheld = withheld
    self.check = check
  }

  /// Makes an action from its type.
  public init(_ type: any ActionType.Type) { self = Self.make(type) }

  /// Runs the action by itself, as an engine does. Cancelling the calling task calls `cancel`, which must cancel the
  /// context.
  package func run(
    _ inputs: ValueObject, in context: ActionContext, cancel: @escaping @Sendable () -> Void
  ) async throws -> ValueObject {
    switch body {
    case .synchronous(let body): return try body(inputs, context)
    case .asynchronous(let body), .service(let body):
      let task = Task { try await body(inputs, context) }
      context.onCancel { task.cancel() }
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        cancel()
      }
    }
  }

  // The kind of the action and its parts are determined without casts. Each cast to a protocol searches all
  // conformances of the program once, which takes longer than the rest of a small workflow.
  private static func make<A: ActionType>(_ type: A.Type) -> RegisteredAction {
    let action = A()
    let body = action.makeBody()
    let isService = if case .service = body { true } else { false }
    var declaration = ActionDeclaration(
      name: A.name, summary: A.summary, inputs: A.Input.fieldDeclarations(), outputs: A.Output.fieldDeclarations(),
      outputsFromInput: A.outputsFromInput, events: A.events, eventFromInput: A.eventFromInput,
      provides: A.provides, requires: A.requires, needsProtectedData: A.needsProtectedData,
      isService: isService, errors: A.errors, example: A.example)
    declaration.outputLimitBytes = A.outputLimitBytes
    declaration.calls = A.calls
    declaration.shellTextInput = A.shellTextInput
    declaration.outputFieldsFromInput = A.outputFieldsFromInput
    declaration.effect = A.effect
    declaration.eventValues = A.eventValues
    declaration.follows = A.follows
    declaration.source = A.source
    declaration.isPortable = A.isPortable
    return RegisteredAction(
      declaration: declaration, body: body, plainBody: action.plainBody(), bodyInParts: action.bodyInParts(),
      withheld: A.Output.withheld, check: { A.check($0) })
  }
}
