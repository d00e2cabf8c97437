import FlowModel

/// An action as the engine runs it: its declaration and a body that takes and gives plain values.
///
/// Made from a compiled-in action's type, or by the plugin host from a manifest.
public struct RegisteredAction: Sendable {
  /// Everything there is to know without running it.
  public let declaration: ActionDeclaration
  /// What runs.
  public let body: Body
  /// The same as a synchronous ``body``, where there are no inputs and no outputs to pass; nil if there may be.
  package let plainBody: (@Sendable (ActionContext) throws -> Void)?
  /// The same as a synchronous ``body``, where it returns to its thread while it waits; nil if it does not.
  package let bodyInParts: BodyInParts?
  /// The action's own check of literal inputs.
  public let check: @Sendable (LiteralInput) -> [InputProblem]

  /// The three ways in which an action runs.
  public enum Body: Sendable {
    /// Inline on the step's thread.
    case synchronous(@Sendable (ValueObject, ActionContext) throws -> ValueObject)
    /// In a task of its own.
    case asynchronous(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
    /// In a task of its own that continues after it reported ready.
    case service(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
  }

  /// An action of these parts.
  public init(
    declaration: ActionDeclaration, body: Body,
    check: @escaping @Sendable (LiteralInput) -> [InputProblem] = { _ in [] }
  ) {
    self.init(declaration: declaration, body: body, plainBody: nil, bodyInParts: nil, check: check)
  }

  private init(
    declaration: ActionDeclaration, body: Body, plainBody: (@Sendable (ActionContext) throws -> Void)?,
    bodyInParts: BodyInParts?, check: @escaping @Sendable (LiteralInput) -> [InputProblem]
  ) {
    self.declaration = declaration
    self.body = body
    self.plainBody = plainBody
    self.bodyInParts = bodyInParts
    self.check = check
  }

  /// Derives declaration and body from an action's type.
  public init(_ type: any ActionType.Type) { self = Self.make(type) }

  /// Runs it on its own, as an engine does; cancelling the calling task calls `cancel`, which is to cancel the context.
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

  // Neither the kind of the action nor its parts are asked for by casts: each cast to a protocol goes once through all
  // conformances of the program, which takes longer than the rest of a small workflow.
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
      check: { A.check($0) })
  }
}
