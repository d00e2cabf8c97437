/// Formats diagnostics as human-readable text. The location, message and code are followed by the lines of the file,
/// with carets below them.
///
/// ```
/// nightly.yaml:12:13: error: step 'publish' needs 'fetchh', which is not a step [unknown-step]
///    |
///  4 |   fetch:
///    |   ----- 'fetch' is defined here
///    ⋮
/// 12 |     needs: [fetchh, transform]
///    |             ^^^^^^
///    = help: did you mean 'fetch'?
/// ```
package struct DiagnosticRenderer: Sendable {
  /// True if the text has colors for a terminal.
  package var usesColor: Bool
  private let source: SourceText
  private let lines: LineTable

  package init(_ source: SourceText, usesColor: Bool = false) {
    self.source = source
    self.usesColor = usesColor
    lines = LineTable(source)
  }

  /// Returns the line and column of the byte at `offset`.
  package func location(of offset: Int) -> TextLocation { lines.location(of: offset) }

  /// Formats diagnostics, with an empty line between them. Each ends with a line break.
  package func render(_ diagnostics: [Diagnostic]) -> String {
    diagnostics.map(render).joined(separator: "\n")
  }

  /// Formats a diagnostic. The text ends with a line break.
  package func render(_ diagnostic: Diagnostic) -> String {
    let location = lines.location(of: diagnostic.span.start)
    let severityStyle: Style = diagnostic.isError ? .error : .warning
    var output = paint("\(TerminalText.visible(source.file)):\(location.line):\(location.column): ", .strong)
    output += paint("\(diagnostic.severity.rawValue): ", severityStyle)
    output += paint(TerminalText.visible(diagnostic.message), .strong) + " [\(diagnostic.code.rawValue)]\n"
    output += excerpt(for: diagnostic, style: severityStyle)
    return output
  }

  private func excerpt(for diagnostic: Diagnostic, style: Style) -> String {
    var marks = [Excerpt.Mark(span: diagnostic.span, label: "", isPrimary: true)]
    marks += diagnostic.related.filter { $0.source == nil }.map {
      Excerpt.Mark(span: $0.span, label: $0.label, isPrimary: false)
    }
    let byLine = Dictionary(grouping: marks) { lines.line(of: min($0.span.start, source.bytes.count)) }
    let shownLines = byLine.keys.sorted()
    let others = diagnostic.related.compactMap { location in
      location.source.map { (location: location, lines: LineTable($0)) }
    }
    let numbers = shownLines + others.map { $0.lines.line(of: $0.location.span.start) }
    let gutterWidth = max(2, String(numbers.max() ?? 1).count)
    let empty = String(repeating: " ", count: gutterWidth)
    var output = paint("\(empty) |", .gutter) + "\n"
    var previous: Int?
    for line in shownLines {
      if let previous, line > previous + 1 { output += paint("\(empty) ⋮", .gutter) + "\n" }
      previous = line
      let marks = (byLine[line] ?? []).sorted { ($0.span, $0.isPrimary ? 0 : 1) < ($1.span, $1.isPrimary ? 0 : 1) }
      output += row(line, of: lines, source, marks, gutterWidth, style)
    }
    for (location, lines) in others {
      guard let other = location.source else { continue }
      let start = lines.location(of: location.span.start)
      output += paint("\(empty) ::: ", .gutter) + "\(TerminalText.visible(other.file)):\(start.line):\(start.column)\n"
      let mark = Excerpt.Mark(span: location.span, label: location.label, isPrimary: false)
      output += row(start.line, of: lines, other, [mark], gutterWidth, style)
    }
    if let help = diagnostic.help {
      output += paint("\(empty) = ", .gutter) + paint("help: ", .related) + TerminalText.visible(help) + "\n"
    }
    return output
  }

  /// Formats a source line together with the marks below it.
  private func row(
    _ line: Int, of lines: LineTable, _ source: SourceText, _ marks: [Excerpt.Mark], _ gutterWidth: Int, _ style: Style
  ) -> String {
    let content = lines.span(ofLine: line)
    let start = max(content.start, lines.visibleStart(ofLine: line))
    let excerpt = Excerpt(bytes: source.bytes[start..<max(start, content.end)], start: start, marks: marks)
    let number = String(repeating: " ", count: gutterWidth - String(line).count) + "\(line)"
    var output = paint("\(number) |", .gutter) + (excerpt.text.isEmpty ? "" : " " + excerpt.text) + "\n"
    for row in excerpt.markerRows {
      output += paint(String(repeating: " ", count: gutterWidth) + " |", .gutter) + " " + row.indent
      output += paint(row.marker, row.isPrimary ? style : .related) + "\n"
    }
    return output
  }

  private enum Style: String {
    case error = "1;31"
    case warning = "1;33"
    case related = "1;36"
    case gutter = "34"
    case strong = "1"
  }

  private func paint(_ text: String, _ style: Style) -> String {
    usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
