import FlowModel

/// The actions that one engine can run; it belongs to that engine, never to the process.
public struct ActionRegistry: ActionCatalogue {
  private var actions: [String: DeferredAction] = [:]
  private var origins: [String: String] = [:]
  /// Handles that plugins bring into every run.
  public private(set) var resources: [PluginResource] = []

  /// Two plugins of one name.
  public struct Conflict: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name both have.
    public let name: String
    /// Where the first comes from: `built in`, or a manifest's path.
    public let first: String
    /// Where the second comes from.
    public let second: String
    /// Names both.
    public var description: String { "two plugins are named '\(name)': \(first) and \(second)" }
  }

  /// An empty registry.
  public init() {}

  /// A registry of these compiled-in plugins, which must differ in name.
  public init(_ plugins: [any Plugin]) {
    for plugin in plugins {
      do {
        try register(plugin)
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  /// Adds a compiled-in plugin. Its actions' names must begin with its own; an action is made when it is first asked for.
  public mutating func register(_ plugin: some Plugin) throws(Conflict) {
    try register(
      name: type(of: plugin).name, origin: "built in",
      actions: plugin.actions.map { (name: $0.name, action: DeferredAction($0)) })
    resources += plugin.resources
  }

  /// Adds a plugin by its parts, as the plugin host does for a manifest at `origin`.
  public mutating func register(name: String, origin: String, actions newActions: [RegisteredAction]) throws(Conflict) {
    try register(
      name: name, origin: origin, actions: newActions.map { (name: $0.declaration.name, action: DeferredAction($0)) })
  }

  private mutating func register(
    name: String, origin: String, actions newActions: [(name: String, action: DeferredAction)]
  ) throws(Conflict) {
    if let first = origins[name] { throw Conflict(name: name, first: first, second: origin) }
    origins[name] = origin
    for (actionName, action) in newActions {
      precondition(actionName.hasPrefix(name + "."), "action '\(actionName)' must begin with '\(name).'")
      actions[actionName] = action
    }
  }

  /// The keys of the handles that plugins bring into every run.
  public var runResources: [ResourceKey] { resources.map(\.key) }

  /// The names of the plugins with where each comes from, sorted by name.
  public var plugins: [(name: String, origin: String)] {
    origins.sorted { $0.key < $1.key }.map { (name: $0.key, origin: $0.value) }
  }

  /// The action of this full name, or nil.
  public func action(named name: String) -> RegisteredAction? { actions[name]?.action }

  /// Every action's declaration, sorted by name.
  public var declarations: [ActionDeclaration] {
    actions.values.map(\.action.declaration).sorted { $0.name < $1.name }
  }

  /// The declaration of the action of this full name, or nil.
  public func declaration(named name: String) -> ActionDeclaration? { actions[name]?.action.declaration }

  /// What the action itself finds wrong with literal inputs.
  public func problems(with input: LiteralInput, of action: String) -> [InputProblem] {
    actions[action]?.action.check(input) ?? []
  }
}
