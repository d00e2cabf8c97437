/// Keeps the last lines of a program's output for an error message.
package struct LastLines {
  /// The maximum number of lines that are kept.
  package static let count = 20
  /// The maximum number of bytes kept of each line, and of the part of the line that was overwritten.
  package static let lineBytes = 1000

  private var lines: [[UInt8]] = []
  /// The index of the oldest line after the maximum number has been reached.
  private var oldest = 0

  package init() {}

  /// Adds a line unless it is blank.
  package mutating func append(_ line: UnsafeRawBufferPointer) {
    let start = line.lastIndex(of: UInt8(ascii: "\r")).map { $0 + 1 } ?? 0
    if Self.isBlank(line[start...]) { return }
    let first = max(0, start - Self.lineBytes)
    let kept = Array(line[first...].prefix(start - first + Self.lineBytes))
    if lines.count < Self.count {
      lines.append(kept)
    } else {
      lines[oldest] = kept
      oldest = (oldest + 1) % Self.count
    }
  }

  /// Adds several lines, each with its line break. None of them may contain overwritten text.
  package mutating func append(block: UnsafeRawBufferPointer) {
    var found: [Range<Int>] = []
    var end = block.count
    while end > 0, found.count < Self.count {
      var start = end - 1
      while start > 0, block[start - 1] != UInt8(ascii: "\n") { start -= 1 }
      if !Self.isBlank(block[start..<(end - 1)]) { found.append(start..<(end - 1)) }
      end = start
    }
    for range in found.reversed() { append(UnsafeRawBufferPointer(rebasing: block[range])) }
  }

  private static func isBlank(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  package var isEmpty: Bool { lines.isEmpty }

  /// The lines after a colon, each on its own line. An empty string if there are no lines.
  package var quote: String {
    if lines.isEmpty { return "" }
    return ":" + (lines[oldest...] + lines[..<oldest]).map { "\n  " + String(decoding: $0, as: UTF8.self) }.joined()
  }
}
