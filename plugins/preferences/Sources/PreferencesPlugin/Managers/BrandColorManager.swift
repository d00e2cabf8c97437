import FlowModel

/// The color of the application: the user's choice from a palette, else the palette's first (L13).
final class BrandColorManager: Manager {
  static let preference = "brand-color"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// A color with its name in the palette; one of the user's own has its code as its name.
  struct Color: Hashable {
    var name: String
    /// `#RRGGBB`.
    var code: String
  }

  /// What the application offers unless a workflow states otherwise.
  static let palette: ValueObject = [
    "footprint": "#F75C62", "sunset": "#F28C38", "meadow": "#3FA34D", "ocean": "#1B75BC", "orchid": "#8E4EC6",
  ]

  /// The color to use, and whether the user chose it.
  func choose(from palette: [Color], fallback: Color) -> (color: Color, source: PreferenceSource) {
    guard let wish = saved.current?.stringValue else { return (fallback, .default) }
    if let named = palette.first(where: { $0.name == wish }) { return (named, .saved) }
    return Self.isCode(wish) ? (Color(name: wish, code: wish), .saved) : (fallback, .default)
  }

  /// Whether `text` is `#RRGGBB`.
  static func isCode(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  /// The problem of a value to save; nil: none.
  static func problem(with value: Value) -> String? {
    guard let text = value.stringValue, isCode(text) || (!text.isEmpty && !text.hasPrefix("#")) else {
      return "a brand color is the name of one in the palette, or #RRGGBB"
    }
    return nil
  }
}
