import FlowModel

/// An action as the engine runs it: its declaration and a body that takes and gives plain values.
///
/// Made from a compiled-in action's type, or by the plugin host from a manifest.
public struct RegisteredAction: Sendable {
  /// Everything there is to know without running it.
  public let declaration: ActionDeclaration
  /// What runs.
  public let body: Body
  /// The same as a synchronous ``body``, where there are no inputs and no outputs to pass; nil where there may be.
  package let plainBody: (@Sendable (ActionContext) throws -> Void)?
  /// The action's own check of literal inputs.
  public let check: @Sendable (LiteralInput) -> [InputProblem]

  /// The three ways in which an action runs.
  public enum Body: Sendable {
    /// Inline on the step's slot.
    case synchronous(@Sendable (ValueObject, ActionContext) throws -> ValueObject)
    /// In a task of its own.
    case asynchronous(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
    /// In a task of its own that goes on after it reported ready.
    case service(@Sendable (ValueObject, ActionContext) async throws -> ValueObject)
  }

  /// An action of these parts.
  public init(
    declaration: ActionDeclaration, body: Body,
    check: @escaping @Sendable (LiteralInput) -> [InputProblem] = { _ in [] }
  ) {
    self.init(declaration: declaration, body: body, plainBody: nil, check: check)
  }

  private init(
    declaration: ActionDeclaration, body: Body, plainBody: (@Sendable (ActionContext) throws -> Void)?,
    check: @escaping @Sendable (LiteralInput) -> [InputProblem]
  ) {
    self.declaration = declaration
    self.body = body
    self.plainBody = plainBody
    self.check = check
  }

  /// Derives declaration and body from an action's type.
  public init(_ type: any ActionType.Type) { self = Self.make(type) }

  private static func make<A: ActionType>(_ type: A.Type) -> RegisteredAction {
    let declaration = ActionDeclaration(
      name: A.name, summary: A.summary, inputs: A.Input.fieldDeclarations(), outputs: A.Output.fieldDeclarations(),
      outputsFromInput: A.outputsFromInput, events: A.events, eventFromInput: A.eventFromInput,
      provides: A.provides, requires: A.requires, needsProtectedData: A.needsProtectedData,
      isService: A.self is any Service.Type, errors: A.errors, example: A.example)
    let action = A()
    return RegisteredAction(
      declaration: declaration, body: body(of: action), plainBody: (action as? any Action)?.plainBody(),
      check: { A.check($0) })
  }

  private static func body(of action: any ActionType) -> Body {
    switch action {
    case let action as any Service: asynchronous(action, isService: true)
    case let action as any AsyncAction: asynchronous(action, isService: false)
    case let action as any Action: synchronous(action)
    default:
      preconditionFailure("\(type(of: action)) must be an Action, an AsyncAction or a Service")
    }
  }

  private static func synchronous<A: Action>(_ action: A) -> Body {
    let inputs = InputMaker<A.Input>()
    return .synchronous { values, context in try action.run(inputs.make(values), in: context).values }
  }

  private static func asynchronous<A: AsyncAction>(_ action: A, isService: Bool) -> Body {
    let inputs = InputMaker<A.Input>()
    let run: @Sendable (ValueObject, ActionContext) async throws -> ValueObject = { values, context in
      try await action.run(inputs.make(values), in: context).values
    }
    return isService ? .service(run) : .asynchronous(run)
  }
}
