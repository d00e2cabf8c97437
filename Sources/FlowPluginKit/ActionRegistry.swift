import FlowModel

/// The actions that one engine can run; it belongs to that engine, never to the process.
public struct ActionRegistry: ActionCatalog {
  private struct RegisteredPlugin {
    var name: String
    /// `built in`, or a manifest's path.
    var origin: String
    var actions: ListedActions
    /// Asked for only when a name is not installed.
    var movedNames: @Sendable () -> KeyValuePairs<String, String> = { [:] }
  }

  /// The plugins, sorted by name. A list and no dictionary: plugins are few, and a program's first dictionary with text
  /// as its keys costs as much as reading a small workflow.
  private var entries: [RegisteredPlugin] = []
  /// Handles that plugins bring into every run.
  public private(set) var handles: [PluginHandle] = []

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
      RegisteredPlugin(name: type(of: plugin).name, origin: "built in", actions: ListedActions(plugin)) {
        plugin.movedNames
      })
    handles += plugin.handles
  }

  /// Adds a plugin by its parts, as the plugin host does for a manifest at `origin`.
  public mutating func register(name: String, origin: String, actions: [RegisteredAction]) throws(Conflict) {
    try register(RegisteredPlugin(name: name, origin: origin, actions: ListedActions(actions, of: name)))
  }

  private mutating func register(_ entry: RegisteredPlugin) throws(Conflict) {
    let index = entries.firstIndex { $0.name >= entry.name } ?? entries.endIndex
    if index < entries.endIndex, entries[index].name == entry.name {
      throw Conflict(name: entry.name, first: entries[index].origin, second: entry.origin)
    }
    entries.insert(entry, at: index)
  }

  /// The keys of the handles that plugins bring into every run.
  public var runHandles: [HandleKey] { handles.map(\.key) }

  /// The names of the plugins with where each comes from, sorted by name.
  public var plugins: [(name: String, origin: String)] { entries.map { ($0.name, $0.origin) } }

  /// The action of this full name, or nil.
  public func action(named name: String) -> RegisteredAction? {
    guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let plugin = name[..<dot]
    return entries.first { $0.name == plugin }?.actions.action(named: name)?.action
  }

  /// Every action's declaration, sorted by name.
  public var declarations: [ActionDeclaration] {
    entries.flatMap(\.actions.all).map(\.action.action.declaration).sorted { $0.name < $1.name }
  }

  /// The declaration of the action of this full name, or nil.
  public func declaration(named name: String) -> ActionDeclaration? { action(named: name)?.declaration }

  /// What the action itself finds wrong with literal inputs.
  public func problems(with input: LiteralInput, of action: String) -> [InputProblem] {
    self.action(named: action)?.check(input) ?? []
  }

  /// The present name of something that was renamed, as its plugin lists it.
  public func newName(of name: String) -> String? {
    let plugin = name.prefix { $0 != "." }
    return entries.first { $0.name == plugin }?.movedNames().first { $0.key == name }?.value
  }
}
