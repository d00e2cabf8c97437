import FlowEngine
import FlowModel
import FlowPluginKit

/// A part of an engine: a plugin, or an action defined by a closure.
public struct EnginePart: Sendable {
  enum Kind: Sendable {
    case plugin(any Plugin)
    case action(RegisteredAction)
  }

  let kind: Kind
}

/// Creates an action without inputs and outputs from a closure. The closure may be isolated to an actor, as in
/// `action("my-app.open") { @MainActor _ in window.open() }`.
public func action(
  _ name: String, _ summary: String = "", _ body: @escaping @Sendable (ActionContext) async throws -> Void
) -> EnginePart {
  let run: @Sendable (ValueObject, ActionContext) async throws -> ValueObject = { _, context in
    try await body(context)
    return [:]
  }
  return EnginePart(
    kind: .action(
      RegisteredAction(declaration: ActionDeclaration(name: name, summary: summary), body: .asynchronous(run))))
}

/// Builds the parts of an engine from the statements of a closure.
@resultBuilder public enum EngineBuilder {
  /// Adds a plugin to the engine.
  public static func buildExpression(_ plugin: any Plugin) -> [EnginePart] { [EnginePart(kind: .plugin(plugin))] }
  /// Adds an action to the engine.
  public static func buildExpression(_ part: EnginePart) -> [EnginePart] { [part] }
  /// Combines the parts of all statements in a block.
  public static func buildBlock(_ first: [EnginePart] = [], _ others: [EnginePart]...) -> [EnginePart] {
    // With the first statement in the array, too, the runtime would create the array's type during each launch.
    if others.isEmpty { return first }
    return others.reduce(first, +)
  }
  /// Supports `if` without `else`.
  public static func buildOptional(_ parts: [EnginePart]?) -> [EnginePart] { parts ?? [] }
  /// Supports `if` with `else` and `switch`.
  public static func buildEither(first parts: [EnginePart]) -> [EnginePart] { parts }
  /// Supports `if` with `else` and `switch`.
  public static func buildEither(second parts: [EnginePart]) -> [EnginePart] { parts }
  /// Supports `for` loops.
  public static func buildArray(_ parts: [[EnginePart]]) -> [EnginePart] { parts.flatMap { $0 } }
}

extension Engine {
  /// Creates an engine from plugins and from actions defined by closures. The name of a closure's action is
  /// `plugin.action`, where `plugin` is not the name of any of the plugins. Two plugins with the same name are a
  /// programming error and stop the program.
  ///
  /// ```swift
  /// let engine = Engine {
  ///   BasicsPlugin()
  ///   action("my-app.open") { @MainActor _ in window.open() }
  /// }
  /// ```
  public init(@EngineBuilder _ parts: () -> [EnginePart]) {
    var registry = ActionRegistry()
    var closures: [(plugin: String, actions: [RegisteredAction])] = []
    do {
      for part in parts() {
        switch part.kind {
        case .plugin(let plugin): try registry.register(plugin)
        case .action(let action):
          let plugin = action.declaration.pluginName
          if let index = closures.firstIndex(where: { $0.plugin == plugin }) {
            closures[index].actions.append(action)
          } else {
            closures.append((plugin, [action]))
          }
        }
      }
      for (plugin, actions) in closures { try registry.register(name: plugin, origin: "closures", actions: actions) }
    } catch {
      preconditionFailure("\(error)")
    }
    self.init(registry: registry)
  }
}
