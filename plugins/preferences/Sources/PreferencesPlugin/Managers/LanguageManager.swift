import FlowModel

/// Which of the application's languages it speaks: the saved one, else the system's, else a fallback (L11).
final class LanguageManager: Manager {
  static let preference = "language"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// The language and where it comes from.
  struct Choice: Hashable {
    var language: String
    var source: PreferenceSource
    /// The wish that came first but is not supported; nil: it is the one chosen.
    var unsupported: String?
  }

  /// Goes through the wishes in order and takes the first that the application supports.
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

  /// The problem of a value to save; nil: none.
  static func problem(with value: Value) -> String? {
    guard let tag = value.stringValue, LanguageMatch.isTag(tag) else {
      return "a language is a tag such as zh-Hans or en"
    }
    return nil
  }
}
