/// One line of a source as a terminal shows it, with the marks that stand below it.
///
/// Tabs go to the next multiple of four, wide characters take two columns and combining ones none; what would move the
/// cursor or turn the reading direction is shown as a picture. Of a long line only the part around the marks is shown.
struct Excerpt {
  /// What is marked.
  struct Mark {
    var span: Span
    var label: String
    var isPrimary: Bool
  }

  /// A line of markers.
  struct Row {
    var indent: String
    var marker: String
    var isPrimary: Bool
  }

  /// The line without its line break, made visible.
  let text: String
  /// The rows below it, one a mark.
  let markerRows: [Row]

  private static let widest = 160
  private static let tabWidth = 4

  /// Lays out the line of `bytes` that begins at the offset `start`.
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
        marker: mark.label.isEmpty ? marker : "\(marker) \(Self.visible(mark.label))", isPrimary: mark.isPrimary)
    }
  }

  /// Text that can be printed without moving the cursor: control characters as pictures.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { picture(of: $0) != nil }) else { return text }
    return text.unicodeScalars.map { picture(of: $0) ?? String($0) }.joined()
  }

  /// Of a line of many kilobytes the part around `focus`, from one code point to another.
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
      // Broken bytes decode to U+FFFD, three bytes for one or more: such a line keeps its columns, not its offsets.
      let length = character.utf8.count
      var cell = Cell(offset: offset, end: offset + length, column: column, width: 0, text: "")
      if character == "\t" {
        cell.width = tabWidth - column % tabWidth
        cell.text = String(repeating: " ", count: cell.width)
      } else if character.unicodeScalars.contains(where: { picture(of: $0) != nil }) {
        cell.text = visible(String(character))
        cell.width = cell.text.count
      } else {
        cell.text = String(character)
        cell.width = character.unicodeScalars.map(width).max() ?? 0
      }
      cells.append(cell)
      offset += length
      column += cell.width
    }
    return cells
  }

  /// What stands for a scalar that a terminal would not show: control and direction characters.
  private static func picture(of scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x00...0x08, 0x0A...0x1F: String(Unicode.Scalar(0x2400 + scalar.value)!)
    case 0x7F: "␡"
    case 0x80...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: "\u{FFFD}"
    default: nil
    }
  }

  /// How many columns a terminal gives a scalar.
  private static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    // The blocks that Unicode's East Asian Width (UAX #11) calls wide, and the emoji that are shown wide.
    case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0, 0x23F3, 0x25FD...0x25FE,
      0x2614...0x2615, 0x2648...0x2653, 0x267F, 0x2693, 0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
      0x26CE, 0x26D4, 0x26EA, 0x26F2...0x26F3, 0x26F5, 0x26FA, 0x26FD, 0x2705, 0x270A...0x270B, 0x2728, 0x274C,
      0x274E, 0x2753...0x2755, 0x2757, 0x2795...0x2797, 0x27B0, 0x27BF, 0x2B1B...0x2B1C, 0x2B50, 0x2B55,
      0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F004, 0x1F0CF, 0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
      0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4, 0x1F3F8...0x1F43E,
      0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A, 0x1F595...0x1F596,
      0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF,
      0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
      0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      return 1
    }
  }
}
