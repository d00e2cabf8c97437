import FlowModel

/// Chooses the color of the application: the user's, from a palette or custom, or a default (L13).
final class BrandColorManager: Manager {
  static let preference = "brand-color"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// A color of the palette, or a custom color, whose name is its code.
  struct Color: Hashable {
    var name: String
    /// The color in the form `#RRGGBB`.
    var code: String
  }

  /// The palette of a step that does not specify one.
  static let palette: ValueObject = [
    "footprint": "#F75C62", "sunset": "#F28C38", "meadow": "#3FA34D", "ocean": "#1B75BC", "orchid": "#8E4EC6",
  ]

  /// The chosen color and its source.
  struct Choice {
    var color: Color
    var source: PreferenceSource
    /// The saved text if it is neither a name in the palette nor a code; otherwise nil.
    var unknown: String?
  }

  /// Returns the saved color if the palette contains it or it is a code, and otherwise the fallback.
  func choose(from palette: [Color], fallback: Color) -> Choice {
    guard let wish = saved.current?.stringValue else { return Choice(color: fallback, source: .default) }
    if let named = palette.first(where: { $0.name == wish }) { return Choice(color: named, source: .saved) }
    guard !Self.isCode(wish) else { return Choice(color: Color(name: wish, code: wish), source: .saved) }
    return Choice(color: fallback, source: .default, unknown: wish)
  }

  /// True if the text is a color in the form `#RRGGBB`.
  static func isCode(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  /// Returns the reason why a value cannot be saved as a brand color, or nil if it can.
  static func problem(with value: Value) -> String? {
    guard let text = value.stringValue, isCode(text) || (!text.isEmpty && !text.hasPrefix("#")) else {
      return "a brand color is the name of one in the palette, or #RRGGBB"
    }
    return nil
  }
}
