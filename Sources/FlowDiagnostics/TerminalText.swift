/// Makes text safe for a terminal, and measures its width in columns.
package enum TerminalText {
  /// Returns the text as a single line. Each character that would move the cursor, begin a terminal sequence or change
  /// the reading direction is replaced by a visible one, such as `␛`, `␊` or `\u{202E}`.
  package static func visible(_ text: String) -> String {
    guard mayHoldControls(text) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if let picture = picture(of: scalar) { result += picture } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// Returns several lines with characters replaced as in ``visible(_:)``, except that line breaks and tabs are kept.
  /// Colors are kept if `keepsColors` is true.
  package static func visibleLines(_ text: String, keepsColors: Bool = false) -> String {
    guard mayHoldControls(text, besideLines: true) else { return text }
    var result = ""
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.first {
      if scalar == "\u{1B}", keepsColors {
        let sequence = EscapeSequence(at: rest)
        if sequence.isColor {
          result.unicodeScalars += sequence.text
          rest = rest[sequence.end...]
          continue
        }
      }
      rest.removeFirst()
      if scalar != "\n", scalar != "\t", let picture = picture(of: scalar) {
        result += picture
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns the width of `text` in columns. Wide characters have two; combining characters and colors have none.
  package static func columns(of text: String) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return cells(of: text).reduce(0) { $0 + $1.columns }
  }

  /// Returns the text, shortened to `columns` columns if it is wider. A shortened text ends with `…`.
  package static func fitted(_ text: String, columns: Int) -> String {
    guard self.columns(of: text) > columns else { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var used = 0
    var isColored = false
    for cell in cells(of: text) {
      guard used + cell.columns <= columns - 1 else { break }
      used += cell.columns
      result += cell.text
      if cell.isColor { isColored = true }
    }
    return result + "…" + (isColored ? "\u{1B}[0m" : "")
  }

  /// Returns a line of a command's output as a terminal finally shows it. Escape sequences are removed, except for
  /// colors if `keepsColors` is true.
  package static func commandLine(_ line: String, keepsColors: Bool = false) -> String {
    guard mayHoldControls(line) else { return line }
    let text = commandText(line, keepsColors: keepsColors)
    return text.utf8.contains(0x0A) ? String(text.unicodeScalars.map { $0 == "\n" ? "␊" : Character($0) }) : text
  }

  /// Returns several lines in the form of ``commandLine(_:keepsColors:)``, such as an error message that quotes the
  /// output of a command.
  package static func commandText(_ text: String, keepsColors: Bool = false) -> String {
    CommandText.isNeeded(for: text) ? CommandText(text).text(keepsColors: keepsColors) : text
  }

  /// Returns the text without escape sequences. Control characters are kept.
  package static func withoutSequences(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x1B || $0 == 0xC2 }) else { return text }
    var result = ""
    var rest = Substring(text).unicodeScalars
    while let start = rest.firstIndex(where: EscapeSequence.isStart) {
      result.unicodeScalars += rest[..<start]
      rest = rest[EscapeSequence(at: rest[start...]).end...]
    }
    result.unicodeScalars += rest
    return result
  }

  /// Returns the first `count` bytes of `text`, without an incomplete character or escape sequence at the end.
  package static func prefix(of text: String, bytes count: Int) -> String {
    guard text.utf8.count > count else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: count)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    let beginning = text[..<end]
    guard let escape = beginning.unicodeScalars.lastIndex(of: "\u{1B}"),
      EscapeSequence(at: text.unicodeScalars[escape...]).end > end
    else { return String(beginning) }
    return String(text[..<escape])
  }

  /// A character with its width, or a color sequence.
  private struct Cell {
    var text: String
    var columns: Int
    var isColor = false
  }

  private static func cells(of text: String) -> [Cell] {
    var cells: [Cell] = []
    var rest = Substring(text)
    while let character = rest.first {
      if character == "\u{1B}" {
        let sequence = EscapeSequence(at: rest.unicodeScalars)
        cells.append(Cell(text: String(Substring(sequence.text)), columns: 0, isColor: sequence.isColor))
        rest = rest[sequence.end...]
      } else {
        rest.removeFirst()
        cells.append(Cell(text: String(character), columns: columns(of: character)))
      }
    }
    return cells
  }

  private static func columns(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    let widest = scalars.map(columns).max() ?? 0
    guard scalars.count > 1, let first = scalars.first else { return widest }
    // A flag consists of two letters. A character with emoji presentation (U+FE0F) is as wide as an emoji.
    let isFlag = 0x1F1E6...0x1F1FF ~= first.value
    let isPictograph = first.properties.isEmoji && scalars.contains { $0.value == 0xFE0F }
    return isFlag || isPictograph ? 2 : widest
  }

  /// Returns true if `text` may contain characters to replace. Only bytes are checked, which suffices for most texts.
  static func mayHoldControls(_ text: String, besideLines: Bool = false) -> Bool {
    func isControl(_ byte: UInt8) -> Bool {
      byte < 0x20 && !(besideLines && (byte == 0x0A || byte == 0x09)) || byte == 0x7F || byte == 0xC2 || byte == 0xD8
        || byte == 0xE2 || byte == 0xEF
    }
    guard besideLines else { return text.utf8.contains(where: isControl) }
    return text.utf8.withContiguousStorageIfAvailable { bytes in
      let words = bytes.count / 8
      for index in 0..<words
      where hasRareByte(UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        && bytes[(8 * index)..<(8 * index + 8)].contains(where: isControl)
      {
        return true
      }
      return bytes[(8 * words)...].contains(where: isControl)
    } ?? text.utf8.contains(where: isControl)
  }

  /// Returns true if any of eight bytes is neither printable ASCII nor a line break. For most words this is false, so
  /// that their bytes need not be checked one by one.
  private static func hasRareByte(_ word: UInt64) -> Bool {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // After each of these additions, the highest bit of a byte shows whether its lower seven bits are at least 0x20,
    // differ from 0x7F, or differ from 0x0A.
    let lower = word & ~highs
    let isPrintable = lower &+ 0x60 * ones
    let isNotDelete = (lower ^ 0x7F * ones) &+ 0x7F * ones
    let isNotLineBreak = (lower ^ 0x0A * ones) &+ 0x7F * ones
    return (word | ~(isPrintable & isNotDelete | ~isNotLineBreak)) & highs != 0
  }

  /// Returns the replacement for a control or direction character, or nil for a visible character.
  static func picture(of scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x00...0x1F: String(Unicode.Scalar(0x2400 + scalar.value)!)
    case 0x7F: "␡"
    case 0x80...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    default: nil
    }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    // The wide blocks according to Unicode's East Asian Width (UAX #11), and wide emoji.
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
