import BasicsPlugin
import FlowPluginKit
import GeocodePlugin
import LocationPlugin
import NotificationPlugin
import PreferencesPlugin
import RouterPlugin
import ShellPlugin
import StoragePlugin
import SyncPlugin
import UserInterfacePlugin

/// The plugins that are compiled into `flowrun`, one line each.
enum BuiltInPlugins {
  static let all: [any Plugin] = [
    BasicsPlugin(),
    GeocodePlugin(),
    LocationPlugin(),
    NotificationPlugin(),
    PreferencesPlugin(),
    RouterPlugin(),
    ShellPlugin(),
    StoragePlugin(),
    SyncPlugin(),
    UserInterfacePlugin(),
  ]
}
