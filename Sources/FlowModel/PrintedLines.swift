/// Lines that a program has printed at one time. They are stored in a single string, because programs may print
/// millions of lines.
package struct PrintedLines: Sendable, Hashable {
  /// The lines. Each ends with a line break.
  package private(set) var text = ""
  package private(set) var count = 0
  /// An upper bound for the length of the longest line, in bytes.
  package private(set) var longest = 0

  private static let lineBreak = UInt8(ascii: "\n")

  package init() {}

  /// Creates lines from strings that contain no line breaks.
  package init(_ lines: some Collection<String>) {
    for line in lines {
      text += line
      text += "\n"
      longest = max(longest, line.utf8.count)
    }
    count = lines.count
  }

  /// Creates lines from bytes. Each line must end with a line break. Invalid UTF-8 is repaired.
  ///
  /// - Parameter longest: An upper bound for the length of the longest line, in bytes.
  package init(decoding bytes: [UInt8], longest: Int) {
    text = String(decoding: bytes, as: UTF8.self)
    count = bytes.withUnsafeBytes { $0.reduce(0) { $1 == Self.lineBreak ? $0 &+ 1 : $0 } }
    // An invalid byte is replaced by a character of three bytes.
    self.longest = text.utf8.count == bytes.count ? longest : 3 * longest
  }

  private init(text: String, count: Int, longest: Int) {
    (self.text, self.count, self.longest) = (text, count, longest)
  }

  package var isEmpty: Bool { count == 0 }

  /// The size of all lines in bytes, including their line breaks.
  package var byteCount: Int { text.utf8.count }

  /// The lines without their line breaks.
  package var strings: [String] {
    var strings: [String] = []
    strings.reserveCapacity(count)
    forEach { line, _ in strings.append(String(decoding: line, as: UTF8.self)) }
    return strings
  }

  /// The last line without its line break, or nil if there are no lines.
  package var last: String? {
    count > 0 ? suffix(1) : nil
  }

  /// Returns the last `count` lines, or all if there are fewer. The last line has no line break.
  package func suffix(_ count: Int) -> String {
    withBytes { bytes in
      var (start, left) = (max(0, bytes.count - 1), count)
      while start > 0 {
        if bytes[start - 1] == Self.lineBreak {
          left -= 1
          if left == 0 { break }
        }
        start -= 1
      }
      return String(decoding: bytes[start...].dropLast(), as: UTF8.self)
    }
  }

  /// Calls `body` for each line with the line's bytes, without its line break, and the offset of the line in ``text``.
  package func forEach(_ body: (UnsafeBufferPointer<UInt8>, Int) -> Void) {
    withBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = Self.lineEnd(in: bytes, from: start)
        body(UnsafeBufferPointer(rebasing: bytes[start..<end]), start)
        start = end + 1
      }
    }
  }

  /// Calls `body` with the bytes of ``text``.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = text
    return text.withUTF8 { body($0) }
  }

  /// Returns the lines with `prefix` in front of each.
  package func prefixed(by prefix: String) -> PrintedLines {
    var prefix = prefix
    let text = withBytes { bytes in
      prefix.withUTF8 { prefix in
        String(unsafeUninitializedCapacity: bytes.count + count * prefix.count) { result in
          var (start, next) = (0, 0)
          while start < bytes.count {
            let end = Self.lineEnd(in: bytes, from: start) + 1
            _ = UnsafeMutableBufferPointer(rebasing: result[next...]).update(fromContentsOf: prefix)
            next += prefix.count
            _ = UnsafeMutableBufferPointer(rebasing: result[next...])
              .update(fromContentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
            next += end - start
            start = end
          }
          return next
        }
      }
    }
    return PrintedLines(text: text, count: count, longest: longest + prefix.utf8.count)
  }

  /// Returns the number of lines, from the beginning, that are needed to reach a total of `byteCount` bytes, and the
  /// size of these lines. The last line may exceed the total. Returns all lines if they are shorter.
  package func extent(reaching byteCount: Int) -> (count: Int, bytes: Int) {
    if self.byteCount <= byteCount { return (count, self.byteCount) }
    return withBytes { bytes in
      var (lines, start) = (0, 0)
      while start < bytes.count, start < byteCount {
        start = Self.lineEnd(in: bytes, from: start) + 1
        lines += 1
      }
      return (lines, start)
    }
  }

  /// Splits the lines in two. `first` is the number of lines and bytes in the first part.
  package func split(after first: (count: Int, bytes: Int)) -> (PrintedLines, PrintedLines) {
    if first.count == 0 { return (PrintedLines(), self) }
    if first.count == count { return (self, PrintedLines()) }
    return withBytes { bytes in
      let parts = [bytes[..<first.bytes], bytes[first.bytes...]].map { String(decoding: $0, as: UTF8.self) }
      return (
        PrintedLines(text: parts[0], count: first.count, longest: longest),
        PrintedLines(text: parts[1], count: count - first.count, longest: longest)
      )
    }
  }

  /// Returns the index of the first line break from `start` on. The text always ends with one.
  private static func lineEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while bytes[index] != lineBreak { index += 1 }
    return index
  }
}
