/// The output of a command, interpreted like a terminal does.
///
/// A carriage return restarts the line, a backspace overwrites, and sequences that move the cursor within the line or
/// erase a part of it are applied. Colors are kept. All other escape sequences are removed.
package struct CommandText {
  /// A character or a control sequence in the text.
  private struct Piece {
    /// The characters that a terminal shows for the piece. Empty if it shows none.
    var shown: String
    /// True for a printable character, false for a control character or sequence.
    var isPrinted: Bool
    /// The number of bytes that the piece takes in the text.
    var byteCount: Int
  }

  /// A character on the line, and the color sequences before it.
  private struct Cell {
    var colors = ""
    /// The index of the piece, or nil for a blank that a cursor move or an erasure has left.
    var piece: Int?
  }

  /// A form of the text that can be searched.
  package struct Form {
    /// The characters of the form in UTF-8.
    package private(set) var bytes: [UInt8] = []
    /// For each byte, the index of the piece that it comes from, or -1 for a blank.
    fileprivate var pieces: [Int32] = []

    fileprivate mutating func append(_ text: String, of piece: Int) {
      bytes.append(contentsOf: text.utf8)
      pieces.append(contentsOf: repeatElement(Int32(piece), count: text.utf8.count))
    }
  }

  /// The maximum number of blanks that a cursor move may leave.
  private static let mostBlanks = 1_000

  private var pieces: [Piece] = []
  private var cells: [Cell] = []
  private var lineStart = 0
  private var cursor = 0
  /// The color sequences before the next character.
  private var colors = ""
  private var isColored = false
  /// True after a carriage return. The next character then restarts the line.
  private var isReturned = false

  /// Returns true if a terminal may show something other than `text`.
  package static func isNeeded(for text: String) -> Bool {
    TerminalText.mayHoldControls(text, besideLines: true)
      && text.unicodeScalars.contains { $0 != "\n" && $0 != "\t" && TerminalText.picture(of: $0) != nil }
  }

  /// Interprets each line of `text` separately.
  package init(_ text: String) {
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.first {
      if EscapeSequence.isStart(scalar) {
        let sequence = EscapeSequence(at: rest)
        pieces.append(Piece(shown: "", isPrinted: false, byteCount: Substring(sequence.text).utf8.count))
        obey(sequence)
        rest = rest[sequence.end...]
        continue
      }
      rest.removeFirst()
      add(scalar)
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    let byteCount = UTF8.width(scalar)
    func piece(_ shown: String, isPrinted: Bool) -> Piece {
      Piece(shown: shown, isPrinted: isPrinted, byteCount: byteCount)
    }
    switch scalar {
    case "\n":
      pieces.append(piece("\n", isPrinted: true))
      cells.append(Cell(colors: colors, piece: pieces.count - 1))
      (colors, lineStart, cursor, isReturned) = ("", cells.count, cells.count, false)
    case "\r":
      pieces.append(piece("", isPrinted: false))
      (cursor, isReturned) = (lineStart, true)
    case "\u{8}":
      pieces.append(piece("", isPrinted: false))
      cursor = max(lineStart, cursor - 1)
    default:
      let picture = scalar == "\t" ? nil : TerminalText.picture(of: scalar)
      pieces.append(piece(picture ?? String(Character(scalar)), isPrinted: picture == nil))
      write(pieces.count - 1)
    }
  }

  private mutating func write(_ piece: Int) {
    if isReturned { cells.removeLast(cells.count - lineStart) }
    isReturned = false
    while cells.count < cursor { cells.append(Cell()) }
    if cursor < cells.count {
      cells[cursor].colors += colors
      cells[cursor].piece = piece
    } else {
      cells.append(Cell(colors: colors, piece: piece))
    }
    colors = ""
    cursor += 1
  }

  private mutating func obey(_ sequence: EscapeSequence) {
    if sequence.isColor {
      colors += String(Substring(sequence.text))
      isColored = true
      return
    }
    switch sequence.action {
    case "C": move(to: cursor + min(max(1, sequence.count(default: 1)), Self.mostBlanks))
    case "D": move(to: cursor - max(1, sequence.count(default: 1)))
    case "G", "`": move(to: lineStart + max(1, sequence.count(default: 1)) - 1)
    case "K": erase(sequence.count(default: 0))
    default: break
    }
  }

  private mutating func move(to column: Int) {
    cursor = max(lineStart, min(column, max(cells.count, cursor) + Self.mostBlanks))
    isReturned = false
  }

  private mutating func erase(_ part: Int) {
    switch part {
    case 0:
      guard cursor < cells.count else { break }
      colors = cells[cursor...].map(\.colors).joined() + colors
      cells.removeLast(cells.count - cursor)
    case 1: for index in lineStart..<max(lineStart, min(cursor + 1, cells.count)) { cells[index].piece = nil }
    case 2: for index in lineStart..<cells.count { cells[index].piece = nil }
    default: break
    }
  }

  // MARK: Forms

  /// The printable characters in the order in which they were printed, without control sequences.
  package var printed: Form {
    var form = Form()
    for (index, piece) in pieces.enumerated() where piece.isPrinted { form.append(piece.shown, of: index) }
    return form
  }

  /// The characters that a terminal shows after the whole text.
  package var shown: Form {
    var form = Form()
    for cell in trimmedCells { form.append(cell.piece.map { pieces[$0].shown } ?? " ", of: cell.piece ?? -1) }
    return form
  }

  /// Returns the indices of the pieces that have bytes in `ranges` of a form.
  package func pieces(of ranges: [Range<Int>], in form: Form) -> Set<Int> {
    Set(ranges.lazy.flatMap { form.pieces[$0] }.filter { $0 >= 0 }.map { Int($0) })
  }

  /// Returns the indices of the pieces that have bytes in `ranges` of the original text. The ranges must be in order.
  package func pieces(of ranges: [Range<Int>]) -> Set<Int> {
    var found: Set<Int> = []
    var start = 0
    var next = ranges.startIndex
    for (index, piece) in pieces.enumerated() {
      let end = start + piece.byteCount
      while next < ranges.endIndex, ranges[next].upperBound <= start { next += 1 }
      if next < ranges.endIndex, ranges[next].lowerBound < end { found.insert(index) }
      start = end
    }
    return found
  }

  /// The cells without the blanks at the end of the text.
  private var trimmedCells: ArraySlice<Cell> {
    cells[..<((cells.lastIndex { $0.piece != nil }).map { $0 + 1 } ?? 0)]
  }

  /// Returns the text to show.
  ///
  /// - Parameters:
  ///   - keepsColors: True to keep color sequences.
  ///   - hidden: The indices of the pieces to hide.
  ///   - replacement: The text that replaces each sequence of hidden pieces.
  ///   - withheld: The indices of pieces. The text ends before the first of them.
  package func text(
    keepsColors: Bool, hiding hidden: Set<Int> = [], by replacement: String = "", upTo withheld: Set<Int> = []
  ) -> String {
    var text = ""
    var isHiding = false
    for cell in trimmedCells {
      if let piece = cell.piece, withheld.contains(piece) {
        return isColored && keepsColors ? text + "\u{1B}[0m" : text
      }
      if keepsColors { text += cell.colors }
      let isHidden = cell.piece.map(hidden.contains) ?? false
      if !isHidden { text += cell.piece.map { pieces[$0].shown } ?? " " } else if !isHiding { text += replacement }
      isHiding = isHidden
    }
    return isColored && keepsColors ? text + colors + "\u{1B}[0m" : text
  }
}
