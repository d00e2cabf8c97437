import Foundation
import PreferencesPlugin

/// The languages of the device and the appearance at launch, for ``PreferencesPlugin``.
public struct DevicePreferences: SystemPreferences {
  /// The languages as BCP 47 tags, the preferred one first.
  public let languages: [String]
  /// The appearance, or nil if it is unknown.
  public let appearance: Appearance?

  /// Creates preferences, by default with the system's languages.
  public init(languages: [String] = Locale.preferredLanguages, appearance: Appearance? = nil) {
    self.languages = languages
    self.appearance = appearance
  }
}
