import Synchronization

/// The actions of one plugin, listed when one of them is first asked for: a run uses few of the plugins that are
/// installed, and naming an action's type brings in all that the type conforms to.
final class ListedActions: Sendable {
  private let pluginName: String
  private let plugin: (any Plugin)?
  /// Sorted by name, once they are listed.
  private let listed: Mutex<[(name: String, action: DeferredAction)]?>

  /// The actions of a compiled-in plugin.
  init<Compiled: Plugin>(_ plugin: Compiled) {
    pluginName = Compiled.name
    self.plugin = plugin
    listed = Mutex(nil)
  }

  /// Actions that are known.
  init(_ actions: [RegisteredAction], of pluginName: String) {
    self.pluginName = pluginName
    plugin = nil
    listed = Mutex(Self.sorted(actions.map { ($0.declaration.name, DeferredAction($0)) }, of: pluginName))
  }

  /// All of them, sorted by name.
  var all: [(name: String, action: DeferredAction)] {
    listed.withLock { listed in
      if let listed { return listed }
      guard let plugin else { preconditionFailure("actions are known or come from a plugin") }
      let actions = Self.sorted(
        plugin.actions.map { ($0.name, DeferredAction($0)) }
          + plugin.boundActions.map { ($0.declaration.name, DeferredAction($0)) }, of: pluginName)
      listed = actions
      return actions
    }
  }

  /// The action of this full name, or nil.
  func action(named name: String) -> DeferredAction? {
    let all = all
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].name == name ? all[low].action : nil
  }

  private static func sorted(
    _ actions: [(name: String, action: DeferredAction)], of plugin: String
  ) -> [(name: String, action: DeferredAction)] {
    for action in actions {
      precondition(action.name.hasPrefix(plugin + "."), "action '\(action.name)' must begin with '\(plugin).'")
    }
    return actions.sorted { $0.name < $1.name }
  }
}
