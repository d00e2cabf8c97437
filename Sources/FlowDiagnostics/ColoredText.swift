/// Text with the colors that a program gave it, as pieces of one look each: what a terminal would show, for other places.
///
/// Line breaks and tabs stay. Sequences that only set colors become the look of a piece; control characters become pictures, as
/// ``TerminalText`` shows them.
package enum ColoredText {
  /// The look of a piece.
  package struct Look: Sendable, Hashable {
    /// One of the eight colors of a terminal, from 0 (black) to 7 (white); nil: the usual one.
    package var color: Int?
    /// Whether it is bold.
    package var isBold = false

    /// The usual look.
    package init() {}
  }

  /// A part of a text with one look.
  package struct Piece: Sendable, Hashable {
    /// Its text, fit to show.
    package var text: String
    /// Its look.
    package var look: Look
  }

  /// The pieces of a text.
  package static func pieces(of text: String) -> [Piece] {
    let joined = text.utf8.contains(0x0D) ? text.replacing("\r\n", with: "\n") : text
    let shown = TerminalText.visibleLines(joined, keepsColors: true)
    var pieces: [Piece] = []
    var look = Look()
    // Of what is left, an escape begins a sequence that sets colors: `ESC [`, parameters and `m`.
    for (number, part) in shown.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated() {
      var plain = part
      if number > 0, let end = part.unicodeScalars.firstIndex(of: "m") {
        look.apply(part[part.index(after: part.startIndex)..<end])
        plain = part[part.unicodeScalars.index(after: end)...]
      }
      if !plain.isEmpty { pieces.append(Piece(text: String(plain), look: look)) }
    }
    return pieces
  }

  /// The text of the pieces, without colors.
  package static func plain(_ text: String) -> String { pieces(of: text).map(\.text).joined() }
}

extension ColoredText.Look {
  /// Applies the parameters of a sequence, such as `1;31`.
  fileprivate mutating func apply(_ parameters: Substring) {
    let codes = parameters.split(separator: ";", omittingEmptySubsequences: false).map {
      Int($0.prefix { $0 != ":" }) ?? 0
    }
    var at = 0
    while at < codes.count {
      switch codes[at] {
      case 0: self = Self()
      case 1: isBold = true
      case 22: isBold = false
      case 30...37: color = codes[at] - 30
      case 39: color = nil
      case 90...97: color = codes[at] - 90
      case 38:
        // One of 256 colors, of which the first are those of a terminal, or any color.
        let isIndexed = at + 1 < codes.count && codes[at + 1] == 5
        if isIndexed, at + 2 < codes.count { color = codes[at + 2] < 16 ? codes[at + 2] % 8 : nil }
        at += isIndexed ? 2 : 4
      case 48: at += at + 1 < codes.count && codes[at + 1] == 5 ? 2 : 4
      default: break
      }
      at += 1
    }
  }
}
