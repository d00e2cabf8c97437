import FlowSystem

/// Reads a file line by line. A line that is longer than the limit does not take more memory than the limit.
package struct LineReader {
  /// A line of the input, without its line break.
  package enum Line {
    case bytes(ArraySlice<UInt8>)
    /// The line was longer than the limit and has been skipped.
    case tooLong
  }

  private let file: Int32
  private let limit: Int
  private var buffer: [UInt8] = []
  /// The index in ``buffer`` where the next line begins.
  private var start = 0
  /// The index in ``buffer`` at which the search for the next line break starts.
  private var searched = 0
  private var hasEnded = false

  /// Creates a reader for an open file, which is standard input by default. `limit` is the maximum length of a line in
  /// bytes.
  package init(file: Int32 = 0, limit: Int) {
    self.file = file
    self.limit = limit
  }

  /// True if the buffer contains a complete line, so that reading it does not wait.
  package mutating func hasLineReady() -> Bool { lineEnd() != nil }

  /// Returns the next line, or nil at the end of the file.
  package mutating func next() -> Line? {
    var isTooLong = false
    while true {
      if let end = lineEnd() {
        defer { start = end + 1 }
        return isTooLong || end - start > limit ? .tooLong : .bytes(buffer[start..<end])
      }
      if hasEnded {
        guard start < buffer.count || isTooLong else { return nil }
        defer { start = buffer.count }
        return isTooLong || buffer.count - start > limit ? .tooLong : .bytes(buffer[start...])
      }
      if buffer.count - start > limit {
        isTooLong = true
        start = buffer.count
      }
      read()
    }
  }

  private mutating func lineEnd() -> Int? {
    searched = max(searched, start)
    let found = buffer.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress, searched < bytes.count,
        let position = memchr(base + searched, 10, bytes.count - searched)
      else { return nil }
      return UnsafeRawPointer(position) - base
    }
    searched = found ?? buffer.count
    return found
  }

  private mutating func read() {
    if start > 0 {
      buffer.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    let count = buffer.count
    let chunk = 1 << 16
    buffer.append(contentsOf: repeatElement(0, count: chunk))
    let file = file
    let received = buffer.withUnsafeMutableBytes {
      SystemCall.read(file, UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
    }
    buffer.removeLast(chunk - max(0, received))
    if received <= 0 { hasEnded = true }
  }
}
