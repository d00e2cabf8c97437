import FlowDiagnostics
import FlowModel

// Masks secrets in the output of commands. A secret may be interrupted by colors or by overwritten text, so that it
// appears only when these are removed.
extension SecretMask {
  /// Returns a command's output for recording, with all secrets masked. Escape sequences are removed, except for
  /// colors.
  ///
  /// Three forms are searched: the bytes, the printed characters, and the characters that a terminal shows.
  ///
  /// - Parameters:
  ///   - printed: One or more lines.
  ///   - isCut: True if the text was cut off, so that it may end with the beginning of a secret.
  package func masked(printed text: String, isCut: Bool = false) -> String {
    guard CommandText.isNeeded(for: text) else { return masked(text, isCut: isCut) }
    let printed = CommandText(text)
    return printed.text(keepsColors: true, hiding: hiddenPieces(of: printed, in: text, isCut: isCut), by: Self.hidden)
  }

  /// Returns lines of a command's output with all secrets masked, as ``masked(printed:isCut:)`` does for each line.
  /// `isPlain` is false if ``CommandText`` may change them.
  ///
  /// Most lines contain no secret, so all of them are searched together first. A secret in a line is also found in a
  /// text that contains the line.
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

  /// Returns a printed line up to the beginning of a secret that may continue in later output.
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
