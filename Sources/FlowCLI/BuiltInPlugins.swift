import FlowPlugin
import FlowPluginKit
import NotificationPlugin
import PreferencesPlugin
import RouterPlugin
import ShellPlugin
import StoragePlugin
import SyncPlugin
import UiPlugin

/// The plugins that are compiled into `flowrun`, one line each.
enum BuiltInPlugins {
  static let all: [any Plugin] = [
    FlowPlugin(),
    NotificationPlugin(),
    PreferencesPlugin(),
    RouterPlugin(),
    ShellPlugin(),
    StoragePlugin(),
    SyncPlugin(),
    UserInterfacePlugin(),
  ]
}
