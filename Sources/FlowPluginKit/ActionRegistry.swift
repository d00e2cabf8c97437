import FlowModel

/// The installed actions, which an engine can run.
package struct ActionRegistry: ActionCatalog {
  private struct RegisteredPlugin {
    var name: String
    /// The origin of the plugin: `built in`, `closures`, or the path of its manifest.
    var origin: String
    var actions: ListedActions
    /// Returns the current names of renamed actions, inputs and outputs, by their old names. Called only for an unknown
    /// name.
    var movedNames: @Sendable () -> KeyValuePairs<String, String> = { [:] }
  }

  /// The plugins, sorted by name. It is an array, because there are few plugins. Creating a process's first dictionary
  /// with string keys takes as long as reading a small workflow.
  private var entries: [RegisteredPlugin] = []
  /// The handles that plugins provide to every run.
  package private(set) var handles: [PluginHandle] = []

  /// The error for two plugins that have the same name.
  package struct Conflict: Error, Sendable, Hashable, CustomStringConvertible {
    package let name: String
    /// The origin of the first plugin: `built in`, `closures`, or the path of its manifest.
    package let first: String
    /// The origin of the second plugin.
    package let second: String
    package var description: String { "two plugins are named '\(name)': \(first) and \(second)" }
  }

  package init() {}

  /// Creates a registry of compiled-in plugins, whose names must differ.
  package init(_ plugins: [any Plugin]) {
    for plugin in plugins {
      do {
        try register(plugin)
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  /// Adds a compiled-in plugin. The names of its actions must start with its name. Each action is created when it is
  /// first needed.
  package mutating func register(_ plugin: some Plugin) throws(Conflict) {
    try register(
      RegisteredPlugin(name: type(of: plugin).name, origin: "built in", actions: ListedActions(plugin)) {
        plugin.details.movedNames
      })
    handles += plugin.handles
  }

  /// Adds a plugin and its actions. `origin` is the path of its manifest, or `closures` for actions of an app.
  package mutating func register(name: String, origin: String, actions: [RegisteredAction]) throws(Conflict) {
    try register(RegisteredPlugin(name: name, origin: origin, actions: ListedActions(actions, of: name)))
  }

  private mutating func register(_ entry: RegisteredPlugin) throws(Conflict) {
    let index = entries.firstIndex { $0.name >= entry.name } ?? entries.endIndex
    if index < entries.endIndex, entries[index].name == entry.name {
      throw Conflict(name: entry.name, first: entries[index].origin, second: entry.origin)
    }
    entries.insert(entry, at: index)
  }

  /// The keys of the handles that plugins provide to every run.
  package var runHandles: [HandleKey] { handles.map(\.key) }

  /// The name and origin of each plugin, sorted by name.
  package var plugins: [(name: String, origin: String)] { entries.map { ($0.name, $0.origin) } }

  /// Returns the action with this full name, or nil if it is not installed.
  package func action(named name: String) -> RegisteredAction? {
    guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let plugin = name[..<dot]
    return entries.first { $0.name == plugin }?.actions.action(named: name)?.action
  }

  /// The declarations of all actions, sorted by name.
  package var declarations: [ActionDeclaration] {
    entries.flatMap(\.actions.all).map(\.action.action.declaration).sorted { $0.name < $1.name }
  }

  /// Returns the declaration of the action with this full name, or nil if the action is not installed.
  package func declaration(named name: String) -> ActionDeclaration? { action(named: name)?.declaration }

  /// Returns the problems that an action's own check finds in literal inputs.
  package func problems(with input: LiteralInput, of action: String) -> [InputProblem] {
    self.action(named: action)?.check(input) ?? []
  }

  /// Returns the current name of an action, input or output that was renamed, or nil if it was not.
  package func newName(of name: String) -> String? {
    let plugin = name.prefix { $0 != "." }
    return entries.first { $0.name == plugin }?.movedNames().first { $0.key == name }?.value
  }
}
