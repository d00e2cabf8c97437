import FlowModel

/// An action in the form that an engine runs: a declaration, and a body whose inputs and outputs are objects.
///
/// It is created from the type of a compiled-in action or from the manifest of an external plugin.
public struct RegisteredAction: Sendable {
  package let declaration: ActionDeclaration
  /// Runs the action.
  package let body: Body
  /// Runs the action without preparing inputs and outputs. Nil unless the action is synchronous and has neither.
  package let plainBody: (@Sendable (ActionContext) throws -> Void)?
  /// The body in parts, which releases its thread while the action waits, or nil if the action has none.
  package let bodyInParts: BodyInParts?
  /// The names of the outputs that may be withheld; see ``ActionContext/withholdOutputs(hiding:)``.
  package let withheld: Set<String>
  /// The action's own check of literal inputs.
  package let check: @Sendable (LiteralInput) -> [InputProblem]

  /// The function that runs an action, and where the engine calls it.
  public enum Body: Sendable {
    /// Runs on the step's thread.
    case synchronous(@Sendable (ValueObject, ActionContext) throws -> ValueObject)
    /// Runs in a task.
    case asynchronous(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
    /// Runs in a task, which continues after the service is ready.
    case service(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
  }

  /// Creates an action without a check of literal inputs.
  public init(declaration: ActionDeclaration, body: Body) {
    self.init(declaration: declaration, body: body, check: { _ in [] })
  }

  /// Creates an action with a check of literal inputs.
  package init(
    declaration: ActionDeclaration, body: Body, check: @escaping @Sendable (LiteralInput) -> [InputProblem]
  ) {
    self.init(declaration: declaration, body: body, plainBody: nil, bodyInParts: nil, withheld: [], check: check)
  }

  /// Creates an action that can also run in parts.
  package init(declaration: ActionDeclaration, body: Body, bodyInParts: BodyInParts?) {
    self.init(
      declaration: declaration, body: body, plainBody: nil, bodyInParts: bodyInParts, withheld: [], check: { _ in [] })
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

  /// Creates an action from its Swift type. The declaration is derived from the type by reflection.
  package init(_ type: any ActionType.Type) { self = Self.make(type) }

  /// Runs the action without an engine. If the calling task is cancelled while the body runs in a task, `cancel` is
  /// called, which must cancel the context.
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

  // This uses no casts to find the kind of the action. A program's first cast to a protocol searches all of its
  // conformances, which takes longer than running a small workflow.
  private static func make<A: ActionType>(_ type: A.Type) -> RegisteredAction {
    let (action, details) = (A(), A.details)
    let body = action.makeBody()
    let isService = if case .service = body { true } else { false }
    var declaration = ActionDeclaration(
      name: A.name, summary: A.summary, inputs: A.Input.fieldDeclarations(), outputs: A.Output.fieldDeclarations(),
      outputsFromInput: details.outputsFromInput, events: A.events, eventFromInput: details.eventFromInput,
      provides: A.provides, requires: A.requires, needsProtectedData: details.needsProtectedData,
      isService: isService, errors: A.errors, example: A.example)
    declaration.outputLimitBytes = details.outputLimitBytes
    declaration.calls = details.calls
    declaration.shellTextInput = details.shellTextInput
    declaration.outputFieldsFromInput = details.outputFieldsFromInput
    declaration.effect = A.effect
    declaration.eventValues = details.eventValues
    declaration.follows = details.follows
    declaration.source = details.source
    declaration.isPortable = A.isPortable
    return RegisteredAction(
      declaration: declaration, body: body, plainBody: action.plainBody(), bodyInParts: details.bodyInParts,
      withheld: A.Output.withheld, check: details.check)
  }
}
