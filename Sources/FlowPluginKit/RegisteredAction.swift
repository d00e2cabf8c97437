import FlowModel

/// An action in the form that an engine runs: a declaration, and a body whose inputs and outputs are objects.
///
/// It is created from the type of a compiled-in action, or from the manifest of an external plugin.
public struct RegisteredAction: Sendable {
  /// The declaration of the action.
  public let declaration: ActionDeclaration
  /// The function that runs the action.
  public let body: Body
  /// A simpler function for an action without inputs and outputs that is synchronous, or nil.
  package let plainBody: (@Sendable (ActionContext) throws -> Void)?
  /// A function that releases its thread while the action waits, or nil.
  package let bodyInParts: BodyInParts?
  /// The names of the outputs that a step may withhold (``ActionContext/withholdOutputs(hiding:)``).
  package let withheld: Set<String>
  /// The action's own check of literal inputs.
  public let check: @Sendable (LiteralInput) -> [InputProblem]

  /// The ways of running an action.
  public enum Body: Sendable {
    /// Runs on the step's thread.
    case synchronous(@Sendable (ValueObject, ActionContext) throws -> ValueObject)
    /// Runs in a task.
    case asynchronous(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
    /// Runs in a task, which continues after the service is ready.
    case service(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
  }

  /// Creates an action.
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

  /// Creates an action from its type.
  public init(_ type: any ActionType.Type) { self = Self.make(type) }

  /// Runs the action outside of an engine. If the calling task is cancelled, `cancel` is called, which must cancel the
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

  // No casts are used to find the kind of the action. The first cast to a protocol searches all conformances of the
  // program, which takes longer than a small workflow.
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
