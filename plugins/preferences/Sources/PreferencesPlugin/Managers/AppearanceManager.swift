import FlowModel

/// Chooses the appearance: the saved one, or the system's, or a default (L14).
final class AppearanceManager: Manager {
  static let preference = "appearance"

  /// The value that is saved if the user prefers the system's appearance.
  static let followSystem = "system"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// Returns the saved appearance or, if there is none, the system's or the fallback, and its source.
  func choose(system: Appearance?, fallback: Appearance) -> (appearance: Appearance, source: PreferenceSource) {
    if let saved = saved.current?.stringValue.flatMap(Appearance.init(rawValue:)) { return (saved, .saved) }
    if let system { return (system, .system) }
    return (fallback, .default)
  }

  /// Returns the reason why a value cannot be saved as an appearance, or nil if it can.
  static func problem(with value: Value) -> String? {
    guard let text = value.stringValue, text == followSystem || Appearance(rawValue: text) != nil else {
      return "an appearance is light, dark or system"
    }
    return nil
  }
}
