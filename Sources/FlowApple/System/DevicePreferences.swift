import Foundation
import PreferencesPlugin

/// The languages and the appearance of the device at launch, for ``PreferencesPlugin``.
public struct DevicePreferences: SystemPreferences {
  /// The preferred languages as BCP 47 tags, the most preferred first.
  public let languages: [String]
  /// The appearance, light or dark, or nil if it is unknown.
  public let appearance: Appearance?

  /// Creates preferences. By default, the languages are those of the system.
  public init(languages: [String] = Locale.preferredLanguages, appearance: Appearance? = nil) {
    self.languages = languages
    self.appearance = appearance
  }
}
