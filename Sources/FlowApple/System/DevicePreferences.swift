import Foundation
import PreferencesPlugin

/// The languages of the device, and the appearance that the app was launched with, for ``PreferencesPlugin``.
public struct DevicePreferences: SystemPreferences {
  /// The languages as BCP 47 tags, the preferred one first.
  public let languages: [String]
  /// Dark or light; nil if it is not known.
  public let appearance: Appearance?

  /// The languages of the system, unless others are given.
  public init(languages: [String] = Locale.preferredLanguages, appearance: Appearance? = nil) {
    self.languages = languages
    self.appearance = appearance
  }
}
