import FlowDiagnostics

// Texts that commands print. A secret may have colors in it, or be overwritten, and be whole again once these are removed.
extension SecretMask {
  /// Returns a text that a command printed, fit to record, with every secret hidden. Of its escape sequences only colors stay.
  ///
  /// The secrets are searched for in the bytes, in the characters that were printed, and in those that a terminal shows.
  ///
  /// - Parameters:
  ///   - printed: one line or several.
  ///   - isCut: whether the text continues after its end, so that it may end with the beginning of a secret.
  package func masked(printed text: String, isCut: Bool = false) -> String {
    guard CommandText.isNeeded(for: text) else { return masked(text, isCut: isCut) }
    let printed = CommandText(text)
    return printed.text(keepsColors: true, hiding: hiddenPieces(of: printed, in: text, isCut: isCut), by: Self.hidden)
  }

  /// Returns the text that a command has printed of a line, up to where a secret may begin that continues later.
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
