/// The end of what a program said, for the message when it fails.
package struct LastLines {
  /// The number of lines that are kept.
  package static let count = 20
  /// The maximum bytes of each, and of what it wrote over before.
  package static let lineBytes = 1000

  private var lines: [[UInt8]] = []
  /// The index of the oldest when there are as many as are kept.
  private var oldest = 0

  /// Nothing yet.
  package init() {}

  /// Keeps a line; one that shows nothing is not kept.
  package mutating func append(_ line: UnsafeRawBufferPointer) {
    let start = line.lastIndex(of: UInt8(ascii: "\r")).map { $0 + 1 } ?? 0
    if line[start...].allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return }
    let first = max(0, start - Self.lineBytes)
    let kept = Array(line[first...].prefix(start - first + Self.lineBytes))
    if lines.count < Self.count {
      lines.append(kept)
    } else {
      lines[oldest] = kept
      oldest = (oldest + 1) % Self.count
    }
  }

  /// Whether nothing has been said.
  package var isEmpty: Bool { lines.isEmpty }

  /// The lines behind a colon, each on a line of its own; nothing where there is none.
  package var quote: String {
    if lines.isEmpty { return "" }
    return ":" + (lines[oldest...] + lines[..<oldest]).map { "\n  " + String(decoding: $0, as: UTF8.self) }.joined()
  }
}
