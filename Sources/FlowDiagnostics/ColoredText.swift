/// Splits the colored output of a program into pieces of uniform look, so that it can be shown outside a terminal.
///
/// Line breaks and tabs are kept. Color sequences determine the look of pieces. Everything else has the same effect as
/// on a terminal: a carriage return restarts the line, a backspace overwrites, and titles are removed.
package enum ColoredText {
  /// The color and weight of a piece.
  package struct Look: Sendable, Hashable {
    /// One of the eight colors of a terminal, from 0 (black) to 7 (white), or nil for the default color.
    package var color: Int?
    package var isBold = false

    package init() {}
  }

  /// A piece of text with a uniform look.
  package struct Piece: Sendable, Hashable {
    /// The text of the piece. It is safe to show.
    package var text: String
    package var look: Look
  }

  /// Splits `text` into pieces with a uniform look.
  package static func pieces(of text: String) -> [Piece] {
    let shown = TerminalText.visibleLines(TerminalText.commandText(text, keepsColors: true), keepsColors: true)
    var pieces: [Piece] = []
    var look = Look()
    // All remaining escape characters begin color sequences: `ESC [`, parameters and `m`.
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

  /// Returns the text as shown, without colors.
  package static func plain(_ text: String) -> String { pieces(of: text).map(\.text).joined() }
}

extension ColoredText.Look {
  /// Applies the parameters of a color sequence, such as `1;31`.
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
        // The color is either one of 256, the first of which are those of the terminal, or any RGB color.
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
