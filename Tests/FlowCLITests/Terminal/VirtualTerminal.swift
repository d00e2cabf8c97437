import FlowDiagnostics

/// A terminal that keeps all of its text. It supports the control sequences that flowrun uses. Any other sequence is
/// recorded as a fault.
struct VirtualTerminal {
  private(set) var columns: Int
  private let rows: Int
  /// All lines above and on the screen, with one cell per column. The second cell of a wide character is empty.
  private var lines: [[String]] = [[]]
  private var row = 0
  private var column = 0
  /// True if the last column has been written, so that the next character begins the next line.
  private var isAtMargin = false
  /// The control characters and sequences that are not supported.
  private(set) var faults: [String] = []
  /// The number of characters that have been wrapped to the next line.
  private(set) var wraps = 0

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// All lines including those that have scrolled away, without spaces at their ends and empty lines at the end.
  var text: [String] {
    var texts = lines.map { cells -> String in
      var text = cells.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
    while texts.last == "" { texts.removeLast() }
    return texts
  }

  /// The lines that are on the screen, without those that have scrolled away.
  var screen: [String] { Array(text.dropFirst(max(0, lines.count - rows))) }

  /// Shows the output of a program. As in most terminals, a line feed also returns to the first column.
  mutating func show(_ output: String) {
    var rest = Substring(output).unicodeScalars
    while let scalar = rest.first {
      switch scalar {
      case "\u{1B}": sequence(&rest)
      case "\n":
        rest.removeFirst()
        lineFeed()
        column = 0
      case "\r":
        rest.removeFirst()
        column = 0
        isAtMargin = false
      case _ where scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value:
        rest.removeFirst()
        faults.append("control U+\(String(scalar.value, radix: 16))")
      default:
        let character = String(Substring(rest).first!)
        rest.removeFirst(character.unicodeScalars.count)
        put(character)
      }
    }
  }

  private mutating func put(_ character: String) {
    let width = TerminalText.columns(of: character)
    if isAtMargin || column + width > columns {
      wraps += 1
      lineFeed()
      column = 0
    }
    while lines[row].count < column + width { lines[row].append(" ") }
    // If half of a wide character is overwritten, the other half is cleared.
    if lines[row][column].isEmpty, column > 0 { lines[row][column - 1] = " " }
    let end = column + width
    if end < lines[row].count, lines[row][end].isEmpty { lines[row][end] = " " }
    lines[row][column] = character
    if width == 2 { lines[row][column + 1] = "" }
    column += width
    isAtMargin = column == columns
    if isAtMargin { column -= 1 }
  }

  private mutating func lineFeed() {
    isAtMargin = false
    row += 1
    if row == lines.count { lines.append([]) }
  }

  /// Interprets the sequences `ESC [ n A`, `ESC [ J` and `ESC [ K`, and colors.
  private mutating func sequence(_ rest: inout Substring.UnicodeScalarView) {
    rest.removeFirst()
    var text = ""
    guard rest.popFirst() == "[" else { return faults.append("an escape sequence") }
    while let scalar = rest.popFirst() {
      text.unicodeScalars.append(scalar)
      if 0x40...0x7E ~= scalar.value { break }
    }
    switch text.last {
    case "A":
      // The cursor cannot move above the top of the screen.
      row = max(max(0, lines.count - rows), row - (Int(text.dropLast()) ?? 1))
      isAtMargin = false
    case "J" where text == "J":
      lines[row].removeLast(max(0, lines[row].count - column))
      lines.removeLast(lines.count - row - 1)
    case "K" where text == "K": lines[row].removeLast(max(0, lines[row].count - column))
    case "m": break
    default: faults.append("the sequence [\(text)")
    }
  }

  /// Makes the terminal narrower. Longer lines are wrapped, as in real terminals.
  mutating func narrow(to columns: Int) {
    self.columns = columns
    var wrapped: [[String]] = []
    for (index, line) in lines.enumerated() {
      var rest = line[...]
      while rest.count > columns {
        wrapped.append(Array(rest.prefix(columns)))
        rest = rest.dropFirst(columns)
      }
      if index == row { row = wrapped.count }
      wrapped.append(Array(rest))
    }
    lines = wrapped
  }
}
