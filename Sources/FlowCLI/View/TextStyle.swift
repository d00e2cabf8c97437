import FlowDiagnostics

/// Formats text for a terminal, with colors if they are enabled.
package struct TextStyle {
  let isColored: Bool

  package init(isColored: Bool) { self.isColored = isColored }

  package func bold(_ text: String) -> String { wrap(text, "1") }
  package func dim(_ text: String) -> String { wrap(text, "2") }
  package func red(_ text: String) -> String { wrap(text, "31") }
  package func green(_ text: String) -> String { wrap(text, "32") }
  package func yellow(_ text: String) -> String { wrap(text, "33") }
  package func cyan(_ text: String) -> String { wrap(text, "36") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// Returns the text with spaces appended up to a width in columns.
  package func padded(to width: Int) -> String {
    let columns = TerminalText.columns(of: self)
    return columns >= width ? self : self + String(repeating: " ", count: width - columns)
  }

  /// Returns the text with spaces in front of it up to a width in columns.
  package func leftPadded(to width: Int) -> String {
    let columns = TerminalText.columns(of: self)
    return columns >= width ? self : String(repeating: " ", count: width - columns) + self
  }
}
