import FlowModel

/// Dark or light: the saved preference, else the system's, else a default (L14).
final class AppearanceManager: Manager {
  static let preference = "appearance"

  /// The choice of a user who wants the application to follow the system.
  static let followSystem = "system"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// The appearance and its source.
  func choose(system: Appearance?, fallback: Appearance) -> (appearance: Appearance, source: PreferenceSource) {
    if let saved = saved.current?.stringValue.flatMap(Appearance.init(rawValue:)) { return (saved, .saved) }
    if let system { return (system, .system) }
    return (fallback, .default)
  }

  /// The problem of a value to save, or nil.
  static func problem(with value: Value) -> String? {
    guard let text = value.stringValue, text == followSystem || Appearance(rawValue: text) != nil else {
      return "an appearance is light, dark or system"
    }
    return nil
  }
}
