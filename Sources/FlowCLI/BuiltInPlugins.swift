import FlowPlugin
import FlowPluginKit
import GeocodePlugin
import LocationPlugin
import PreferencesPlugin
import ShellPlugin
import StoragePlugin
import SyncPlugin
import UiPlugin

/// The plugins that are compiled into `flowrun`, one line each.
enum BuiltInPlugins {
  static let all: [any Plugin] = [
    FlowPlugin(),
    GeocodePlugin(),
    LocationPlugin(),
    PreferencesPlugin(),
    ShellPlugin(),
    StoragePlugin(),
    SyncPlugin(),
    UserInterfacePlugin(),
  ]
}
