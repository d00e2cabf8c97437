/// The bytes of a file, and its name in messages.
package struct SourceText: Sendable, Hashable {
  /// The name of the file in messages: the path that the user gave, or the absolute path of an included file.
  package let file: String
  /// The content of the file, unchanged. It may be invalid UTF-8.
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  package init(_ text: String, file: String) { self.init(Array(text.utf8), file: file) }

  /// Returns the text of `span`. Invalid UTF-8 is replaced by U+FFFD.
  package func text(of span: TextSpan) -> String {
    let start = min(span.start, bytes.count)
    return String(decoding: bytes[start..<max(start, min(span.end, bytes.count))], as: UTF8.self)
  }
}

/// A location as people and editors write it: line and column.
package struct TextLocation: Sendable, Hashable {
  /// The line, counted from 1.
  package var line: Int
  /// The column in code points, counted from 1.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// The starts of all lines in a text. They are found once, so that each lookup is only a binary search.
///
/// A line ends with LF, CRLF or a single CR, as in YAML. The text is searched as bytes, because CRLF is a single Swift
/// `Character`.
package struct LineTable: Sendable {
  private let source: SourceText
  private let starts: [Int]

  /// Finds the starts of all lines in `source`.
  package init(_ source: SourceText) {
    self.source = source
    var starts = [0]
    source.bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        if byte == 0x0A {
          starts.append(position)
        } else if byte == 0x0D, position == bytes.count || bytes[position] != 0x0A {
          starts.append(position)
        }
      }
    }
    self.starts = starts
  }

  /// The number of lines. If a text ends with a line break, its last line is empty.
  package var count: Int { starts.count }

  /// Returns the line of the byte at `offset`, counted from 1. An offset after the end means the end.
  package func line(of offset: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Returns the range of a line, counted from 1, without its line break.
  package func span(ofLine line: Int) -> TextSpan {
    let start = starts[line - 1]
    var end = line < starts.count ? starts[line] : source.bytes.count
    while end > start, source.bytes[end - 1] == 0x0A || source.bytes[end - 1] == 0x0D { end -= 1 }
    return TextSpan(start, end)
  }

  /// Returns the line and column of the byte at `offset`. A byte order mark does not take a column.
  package func location(of offset: Int) -> TextLocation {
    let offset = min(max(0, offset), source.bytes.count)
    let line = line(of: offset)
    let start = visibleStart(ofLine: line)
    return TextLocation(line: line, column: 1 + codePoints(from: start, to: max(start, offset)))
  }

  /// Counts the bytes that begin a code point. Eight bytes are counted at a time, because a line may be as long as the
  /// file.
  private func codePoints(from start: Int, to end: Int) -> Int {
    source.bytes.withUnsafeBytes { bytes in
      var position = start
      var count = 0
      while position + 8 <= end {
        let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        // In a continuation byte, the highest bit is set and the next one is clear.
        count += 8 - (word & ~(word << 1) & 0x8080_8080_8080_8080).nonzeroBitCount
        position += 8
      }
      while position < end {
        if bytes[position] & 0xC0 != 0x80 { count += 1 }
        position += 1
      }
      return count
    }
  }

  /// Returns the offset of the first visible byte of a line, after a byte order mark if there is one.
  func visibleStart(ofLine line: Int) -> Int {
    let start = starts[line - 1]
    return start == 0 && source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : start
  }
}
