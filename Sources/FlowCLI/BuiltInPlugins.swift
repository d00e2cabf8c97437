import ArgumentParser
import BasicsPlugin
import FlowPluginKit
import FootprintPlugin
import GeocodePlugin
import LocationPlugin
import NotificationCommands
import NotificationPlugin
import PomodoroPlugin
import PreferencesPlugin
import RouterCommands
import RouterPlugin
import ShellPlugin
import StoragePlugin
import SyncCommands
import SyncPlugin
import SyncYAML
import UserInterfacePlugin

/// The plugins compiled into `flowrun`, each with its subcommands.
package enum BuiltInPlugins {
  private static let lines: [(plugin: any Plugin, commands: [any ParsableCommand.Type])] = [
    (BasicsPlugin(), []),
    (FootprintPlugin(), []),
    (GeocodePlugin(), []),
    (LocationPlugin(), []),
    (NotificationPlugin(), [NotificationsCommand.self]),
    (PomodoroPlugin(), []),
    (PreferencesPlugin(), []),
    (RouterPlugin(), [RoutesCommand.self]),
    (ShellPlugin(), []),
    (StoragePlugin(), []),
    (SyncPlugin(reader: YAMLSchemas()), [SyncCommand.self]),
    (UserInterfacePlugin(), []),
  ]

  package static let all = lines.map(\.plugin)
  static let commands = lines.flatMap(\.commands)
}
