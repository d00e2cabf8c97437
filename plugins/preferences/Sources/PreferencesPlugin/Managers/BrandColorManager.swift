import FlowModel

/// The color of the application: the user's choice from a palette, else the palette's first color (L13).
final class BrandColorManager: Manager {
  static let preference = "brand-color"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// A color with its name in the palette; the name of a custom color is its code.
  struct Color: Hashable {
    var name: String
    /// The code, `#RRGGBB`.
    var code: String
  }

  /// The default palette.
  static let palette: ValueObject = [
    "footprint": "#F75C62", "sunset": "#F28C38", "meadow": "#3FA34D", "ocean": "#1B75BC", "orchid": "#8E4EC6",
  ]

  /// The color to use, and its source.
  func choose(from palette: [Color], fallback: Color) -> (color: Color, source: PreferenceSource) {
    guard let wish = saved.current?.stringValue else { return (fallback, .default) }
    if let named = palette.first(where: { $0.name == wish }) { return (named, .saved) }
    return Self.isCode(wish) ? (Color(name: wish, code: wish), .saved) : (fallback, .default)
  }

  /// True if `text` is `#RRGGBB`.
  static func isCode(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  /// The problem of a value to save, or nil.
  static func problem(with value: Value) -> String? {
    guard let text = value.stringValue, isCode(text) || (!text.isEmpty && !text.hasPrefix("#")) else {
      return "a brand color is the name of one in the palette, or #RRGGBB"
    }
    return nil
  }
}
