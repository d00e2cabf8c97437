import FlowPluginKit

/// Loads and saves the user's preferences: account, language, brand color and appearance.
///
/// ```swift
/// PreferencesPlugin()                        // the system's preferences from the environment
/// PreferencesPlugin(system: DevicePreferences())  // an app's own
/// ```
public struct PreferencesPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "preferences"

  /// The handles through which steps reach the system's preferences and the managers.
  public let handles: [PluginHandle]

  /// Creates the plugin. `system` provides the preferences that the user has not set in the application.
  public init(system: any SystemPreferences = EnvironmentPreferences()) {
    handles = [
      PluginHandle(.systemPreferences, system), PluginHandle(ManagerRoster.key, ManagerRoster()),
    ]
  }

  /// The actions whose names begin with `preferences.`.
  public var actions: [any ActionType.Type] {
    [
      CheckAccount.self, ChooseLanguage.self, ChooseBrandColor.self, ChooseAppearance.self, LoadPreferences.self,
      SetPreference.self,
    ]
  }

  /// Maps the earlier name of an action to its new name in the plugin of the Footprint app.
  public var details: PluginDetails {
    PluginDetails(movedNames: ["preferences.country-list": "footprint.country-list"])
  }
}
