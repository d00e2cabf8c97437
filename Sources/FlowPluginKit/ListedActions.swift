import Synchronization

/// The actions of a plugin, which are listed when they are first needed. A run uses few of the installed plugins, and
/// referring to an action's type loads all of its conformances.
final class ListedActions: Sendable {
  private let pluginName: String
  /// Lists the actions of a compiled-in plugin. Nil if the actions are known from the start.
  private let list: (@Sendable () -> [Listed])?
  /// The actions, sorted by name, or nil if they have not been listed.
  private let listed: Mutex<[Listed]?>

  /// An action with its name. It is not a tuple, because the runtime would create the type of the array at each start.
  struct Listed {
    var name: String
    var action: DeferredAction
  }

  init<Compiled: Plugin>(_ plugin: Compiled) {
    pluginName = Compiled.name
    list = {
      plugin.actions.map { Listed(name: $0.name, action: DeferredAction($0)) }
        + plugin.boundActions.map { Listed(name: $0.declaration.name, action: DeferredAction($0)) }
    }
    listed = Mutex(nil)
  }

  init(_ actions: [RegisteredAction], of pluginName: String) {
    self.pluginName = pluginName
    list = nil
    listed = Mutex(
      Self.sorted(actions.map { Listed(name: $0.declaration.name, action: DeferredAction($0)) }, of: pluginName))
  }

  /// All actions, sorted by name. The first access lists them.
  var all: [Listed] {
    listed.withLock { listed in
      if let listed { return listed }
      guard let list else { preconditionFailure("actions are known or come from a plugin") }
      let actions = Self.sorted(list(), of: pluginName)
      listed = actions
      return actions
    }
  }

  func action(named name: String) -> DeferredAction? {
    let all = all
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].name == name ? all[low].action : nil
  }

  private static func sorted(_ actions: [Listed], of plugin: String) -> [Listed] {
    let prefix = plugin + "."
    for action in actions {
      precondition(action.name.hasPrefix(prefix), "action '\(action.name)' must begin with '\(prefix)'")
    }
    return actions.count > 1 ? actions.sorted { $0.name < $1.name } : actions
  }
}
