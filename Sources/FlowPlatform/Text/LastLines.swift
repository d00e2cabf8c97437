/// The last lines of a program's output, for the error message.
package struct LastLines {
  /// The number of lines to keep.
  package static let count = 20
  /// The maximum length in bytes of each line, and of the part of a line that was overwritten.
  package static let lineBytes = 1000

  private var lines: [[UInt8]] = []
  /// The index of the oldest line once the maximum is reached.
  private var oldest = 0

  package init() {}

  /// Adds a line, unless it is blank.
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

  package var isEmpty: Bool { lines.isEmpty }

  /// A colon and the lines, each on a separate line. Empty if there are no lines.
  package var quote: String {
    if lines.isEmpty { return "" }
    return ":" + (lines[oldest...] + lines[..<oldest]).map { "\n  " + String(decoding: $0, as: UTF8.self) }.joined()
  }
}
