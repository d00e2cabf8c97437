/// The end of what a failed command said, for its error message.
struct LastLines {
  /// How many lines are kept.
  static let count = 20
  /// How many bytes of each.
  static let lineBytes = 500

  private var lines: [[UInt8]] = []
  /// Where the oldest stands when there are as many as are kept.
  private var oldest = 0

  /// Keeps a line; one that shows nothing is not kept.
  mutating func append(_ line: UnsafeRawBufferPointer) {
    if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return }
    let kept = Array(line.prefix(Self.lineBytes))
    if lines.count < Self.count {
      lines.append(kept)
    } else {
      lines[oldest] = kept
      oldest = (oldest + 1) % Self.count
    }
  }

  /// The lines behind a colon, each on a line of its own; nothing where there is none.
  var quote: String {
    if lines.isEmpty { return "" }
    return ":" + (lines[oldest...] + lines[..<oldest]).map { "\n  " + String(decoding: $0, as: UTF8.self) }.joined()
  }
}
