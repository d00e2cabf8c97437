/// A line of a source text, prepared for a terminal, with the marks below it.
///
/// Tabs advance to the next multiple of four. Wide characters take two columns, combining ones none. Characters that
/// move the cursor or change the reading direction are replaced by visible ones. Of a long line, only the part around
/// the primary mark is shown.
struct Excerpt {
  /// A marked range of the line with its label.
  struct Mark {
    var span: TextSpan
    var label: String
    var isPrimary: Bool
  }

  /// A line below the source line, with the marker of one range.
  struct Row {
    var indent: String
    var marker: String
    var isPrimary: Bool
  }

  /// The line without its line break, or the part of it that is shown, with `…` where it is cut. Invisible characters
  /// are replaced by visible ones.
  let text: String
  /// The lines below the source line, one for each mark.
  let markerRows: [Row]

  private static let widest = 160
  private static let tabWidth = 4

  /// Formats a line. `lineStart` is the offset of its first byte in the text.
  init(bytes line: ArraySlice<UInt8>, start lineStart: Int, marks: [Mark]) {
    let focus = (marks.first(where: \.isPrimary) ?? marks.first)?.span.start ?? lineStart
    let (bytes, start) = Self.part(of: line, start: lineStart, around: focus)
    let cells = Self.cells(of: bytes, start: start)
    let total = cells.last.map { $0.column + $0.width } ?? 0
    func column(of offset: Int) -> Int { cells.first { $0.offset >= offset }?.column ?? total }
    func range(of mark: Mark) -> Range<Int> {
      let from = cells.last { $0.offset <= mark.span.start && mark.span.start < $0.end }?.column
      let lower = from ?? column(of: mark.span.start)
      return lower..<max(lower + 1, column(of: mark.span.end))
    }

    var window = 0..<max(total, 1)
    if total > Self.widest, let first = marks.first(where: \.isPrimary) ?? marks.first {
      let middle = range(of: first).lowerBound
      let lower = max(0, min(middle - Self.widest / 3, total - Self.widest))
      window = lower..<lower + Self.widest
    }
    let shown = cells.filter { window.contains($0.column) && $0.column + $0.width <= window.upperBound }
    let cutsFront = start > lineStart || (shown.first?.column ?? 0) > 0
    let cutsBack = bytes.endIndex < line.endIndex || (shown.last.map { $0.column + $0.width } ?? 0) < total
    let origin = shown.first?.column ?? 0
    var text = (cutsFront ? "…" : "") + shown.map(\.text).joined() + (cutsBack ? "…" : "")
    while text.last == " " { text.removeLast() }
    self.text = text
    let end = (shown.last.map { $0.column + $0.width } ?? 0) - origin
    markerRows = marks.map { mark in
      let columns = range(of: mark)
      let lower = min(max(0, columns.lowerBound - origin), max(0, end))
      let upper = max(lower + 1, min(columns.upperBound - origin, max(end, lower + 1)))
      let marker = String(repeating: mark.isPrimary ? "^" : "-", count: upper - lower)
      return Row(
        indent: String(repeating: " ", count: lower + (cutsFront ? 1 : 0)),
        marker: mark.label.isEmpty ? marker : "\(marker) \(TerminalText.visible(mark.label))", isPrimary: mark.isPrimary
      )
    }
  }

  /// Returns the line or, if it has more than 8 KiB, the part of it around `focus`. Code points are not cut.
  private static func part(
    of line: ArraySlice<UInt8>, start: Int, around focus: Int
  ) -> (bytes: ArraySlice<UInt8>, start: Int) {
    let reach = 2_048
    guard line.count > 4 * reach else { return (line, start) }
    let middle = line.startIndex + min(max(0, focus - start), line.count)
    var lower = max(line.startIndex, middle - reach)
    var upper = min(line.endIndex, middle + reach)
    while lower > line.startIndex, line[lower] & 0xC0 == 0x80 { lower -= 1 }
    while upper < line.endIndex, line[upper] & 0xC0 == 0x80 { upper += 1 }
    return (line[lower..<upper], start + lower - line.startIndex)
  }

  private struct Cell {
    var offset: Int
    var end: Int
    var column: Int
    var width: Int
    var text: String
  }

  private static func cells(of bytes: ArraySlice<UInt8>, start: Int) -> [Cell] {
    var cells: [Cell] = []
    var offset = start
    var column = 0
    for character in String(decoding: bytes, as: UTF8.self) {
      // Invalid UTF-8 is decoded as U+FFFD, which has three bytes. The columns in such a line are correct, but the
      // offsets are not.
      let length = character.utf8.count
      var cell = Cell(offset: offset, end: offset + length, column: column, width: 0, text: "")
      if character == "\t" {
        cell.width = tabWidth - column % tabWidth
        cell.text = String(repeating: " ", count: cell.width)
      } else {
        cell.text = TerminalText.visible(String(character))
        cell.width = TerminalText.columns(of: cell.text)
      }
      cells.append(cell)
      offset += length
      column += cell.width
    }
    return cells
  }
}
