import FlowDiagnostics
import FlowModel

// Masks output of commands, in which a secret may be interrupted by colors or overwritten text and appear when these
// are removed.
extension SecretMask {
  /// Returns output of a command for recording, with every secret masked. Of the escape sequences, only colors are
  /// kept.
  ///
  /// Searches the bytes, the printed characters, and the characters that a terminal shows.
  ///
  /// - Parameters:
  ///   - printed: One line or several.
  ///   - isCut: True if the text continues after its end, so that it may end with the beginning of a secret.
  package func masked(printed text: String, isCut: Bool = false) -> String {
    guard CommandText.isNeeded(for: text) else { return masked(text, isCut: isCut) }
    let printed = CommandText(text)
    return printed.text(keepsColors: true, hiding: hiddenPieces(of: printed, in: text, isCut: isCut), by: Self.hidden)
  }

  /// Returns lines of a command with every secret masked, each line as by ``masked(printed:isCut:)``. `isPlain` is false
  /// if ``CommandText`` may change them.
  ///
  /// Most lines contain no secret. They are searched together: a secret in a line is also found in a text that contains
  /// the line.
  package func masked(_ lines: PrintedLines) -> (lines: PrintedLines, isPlain: Bool) {
    let isPlain = !CommandText.isNeeded(for: lines.text)
    let ranges = lines.withBytes { hiddenRanges(in: $0, isCut: false) }
    if isPlain, ranges.isEmpty { return (lines, true) }
    var masked: [String] = []
    masked.reserveCapacity(lines.count)
    var next = ranges.startIndex
    lines.forEach { line, start in
      while next < ranges.endIndex, ranges[next].upperBound <= start { next += 1 }
      let text = String(decoding: line, as: UTF8.self)
      let mayHoldSecret = next < ranges.endIndex && ranges[next].lowerBound < start + line.count
      masked.append(mayHoldSecret || !isPlain ? self.masked(printed: text) : text)
    }
    let result = PrintedLines(masked)
    return (result, isPlain || !CommandText.isNeeded(for: result.text))
  }

  /// Returns the beginning of a printed line, up to a possible secret that may continue later.
  package func withholding(printed text: String) -> String {
    guard CommandText.isNeeded(for: text) else { return withholding(text) }
    let printed = CommandText(text)
    let hidden = hiddenPieces(of: printed, in: text, isCut: false)
    let open = hiddenPieces(of: printed, in: text, isCut: true).subtracting(hidden)
    return printed.text(keepsColors: true, hiding: hidden, by: Self.hidden, upTo: open)
  }

  private func hiddenPieces(of printed: CommandText, in text: String, isCut: Bool) -> Set<Int> {
    var pieces = printed.pieces(of: Array(text.utf8).withUnsafeBufferPointer { hiddenRanges(in: $0, isCut: isCut) })
    for form in [printed.printed, printed.shown] {
      let ranges = form.bytes.withUnsafeBufferPointer { hiddenRanges(in: $0, isCut: isCut) }
      pieces.formUnion(printed.pieces(of: ranges, in: form))
    }
    return pieces
  }
}
