import FlowModel
import FlowPluginKit

/// Chooses the language of the application: the saved one, or the system's, or a fallback (L11).
final class LanguageManager: Manager {
  static let preference = "language"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// The chosen language and its source.
  struct Choice: Hashable {
    var language: String
    var source: PreferenceSource
    /// The most preferred language if the application does not support it; otherwise nil.
    var unsupported: String?
  }

  /// Returns the first preferred language that the application supports, or the fallback. The override is preferred to
  /// the saved language, and both to the system's languages.
  func choose(override: String?, system: [String], supported: [String], fallback: String) -> Choice {
    var wishes: [(tag: String, source: PreferenceSource)] = []
    if let override, !override.isEmpty { wishes.append((override, .override)) }
    if let tag = saved.current?.stringValue, !tag.isEmpty { wishes.append((tag, .saved)) }
    wishes += system.map { ($0, .system) }
    for wish in wishes {
      guard let language = LanguageMatch.best(for: wish.tag, among: supported) else { continue }
      let first = wishes[0].tag
      return Choice(language: language, source: wish.source, unsupported: first == wish.tag ? nil : first)
    }
    return Choice(language: fallback, source: .default, unsupported: wishes.first?.tag)
  }

  /// Returns the reason why a value cannot be saved as a language, or nil if it can.
  static func problem(with value: Value) -> String? {
    guard let tag = value.stringValue, LanguageTag.isValid(tag) else {
      return "a language is a tag such as zh-Hans or en"
    }
    return nil
  }
}
