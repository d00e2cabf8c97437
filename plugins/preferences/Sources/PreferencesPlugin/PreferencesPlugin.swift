import FlowPluginKit

/// What the user has chosen: account, language, countries, brand color and appearance.
///
/// ```swift
/// PreferencesPlugin()                        // the system's preferences from the environment
/// PreferencesPlugin(system: DevicePreferences())  // an app's own
/// ```
public struct PreferencesPlugin: Plugin {
  /// `preferences`.
  public static let name = "preferences"

  /// What the system says, and the managers of each run.
  public let handles: [PluginHandle]

  /// The plugin, asking `system` what the user has not chosen in the application.
  public init(system: any SystemPreferences = EnvironmentPreferences()) {
    handles = [
      PluginHandle(.systemPreferences, system), PluginHandle(ManagerRoster.key, ManagerRoster()),
    ]
  }

  /// Everything that begins with `preferences.`.
  public var actions: [any ActionType.Type] {
    [
      CheckAccount.self, ChooseLanguage.self, ListCountries.self, ChooseBrandColor.self, ChooseAppearance.self,
      LoadPreferences.self, SetPreference.self,
    ]
  }
}
