import Synchronization

/// The actions of one plugin, listed on first use. A run uses few of the installed plugins, and naming an action's type
/// loads all of its conformances.
final class ListedActions: Sendable {
  private let pluginName: String
  /// Lists the actions of a compiled-in plugin.
  private let list: (@Sendable () -> [Listed])?
  /// The actions sorted by name, once they are listed.
  private let listed: Mutex<[Listed]?>

  /// A struct instead of a tuple, whose array type the runtime would have to create at each start.
  struct Listed {
    var name: String
    var action: DeferredAction
  }

  /// The actions of a compiled-in plugin.
  init<Compiled: Plugin>(_ plugin: Compiled) {
    pluginName = Compiled.name
    list = {
      plugin.actions.map { Listed(name: $0.name, action: DeferredAction($0)) }
        + plugin.boundActions.map { Listed(name: $0.declaration.name, action: DeferredAction($0)) }
    }
    listed = Mutex(nil)
  }

  /// Actions that are already listed.
  init(_ actions: [RegisteredAction], of pluginName: String) {
    self.pluginName = pluginName
    list = nil
    listed = Mutex(
      Self.sorted(actions.map { Listed(name: $0.declaration.name, action: DeferredAction($0)) }, of: pluginName))
  }

  /// All actions, sorted by name.
  var all: [Listed] {
    listed.withLock { listed in
      if let listed { return listed }
      guard let list else { preconditionFailure("actions are known or come from a plugin") }
      let actions = Self.sorted(list(), of: pluginName)
      listed = actions
      return actions
    }
  }

  /// Returns the action with this full name, or nil.
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
    for action in actions {
      precondition(action.name.hasPrefix(plugin + "."), "action '\(action.name)' must begin with '\(plugin).'")
    }
    return actions.sorted { $0.name < $1.name }
  }
}
