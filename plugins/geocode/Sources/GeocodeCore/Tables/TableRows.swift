import FlowPlatform

/// Reads a table of tab-separated values byte by byte, without creating strings. The first line contains the names of
/// the columns, and each row has as many fields.
///
/// Fields are read in order. Each call names the column for error messages, which also contain the file and the line.
struct TableRows {
  private let file: TableFile
  // Valid as long as this value, which retains the file.
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  /// The offset of the next byte to read.
  private(set) var offset = 0

  /// Checks the first line and starts after it.
  ///
  /// - Throws: `TableError.corrupt` if the first line does not contain these columns, or if the last line does not end
  ///   with a newline.
  init(_ file: TableFile, columns: [String]) throws(TableError) {
    self.file = file
    bytes = file.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    count = file.bytes.count
    let header = columns.joined(separator: "\t") + "\n"
    guard count >= header.utf8.count, file.bytes.prefix(header.utf8.count).elementsEqual(header.utf8) else {
      throw .corrupt(file: file.name, line: 1, problem: "expected the columns \(columns.joined(separator: ", "))")
    }
    guard bytes[count - 1] == UInt8(ascii: "\n") else {
      throw .corrupt(file: file.name, line: file.line(at: count), problem: "the last row ends in the middle")
    }
    offset = header.utf8.count
  }

  /// True if the current offset is not at the end of the table.
  @inline(__always)
  func next() -> Bool { offset < count }

  /// Creates an error for the current line.
  func error(_ problem: String) -> TableError {
    .corrupt(file: file.name, line: file.line(at: offset), problem: problem)
  }

  @inline(__always)
  private static func endsField(_ byte: UInt8) -> Bool { byte == 9 || byte == 10 }

  /// Skips the tab after a field. After the last field, `endOfRow` reads the newline.
  @inline(__always)
  private mutating func finishField() {
    if bytes[offset] == 9 { offset += 1 }
  }

  /// Reads a decimal number as an integer scaled by `decimals` digits: with four decimals, `-12.3400` becomes −123,400.
  @inline(__always)
  mutating func decimal(_ column: StaticString, decimals: Int, limit: Int) throws(TableError) -> Int {
    let start = offset
    var value = 0
    var isNegative = false
    if bytes[offset] == UInt8(ascii: "-") {
      isNegative = true
      offset += 1
    }
    var behindPoint = -1
    while true {
      let byte = bytes[offset]
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        value = value &* 10 &+ Int(digit)
        if behindPoint >= 0 { behindPoint += 1 }
      } else if byte == UInt8(ascii: "."), behindPoint < 0, decimals > 0 {
        behindPoint = 0
      } else {
        break
      }
      offset += 1
    }
    guard Self.endsField(bytes[offset]), offset - start <= 18, offset > start, max(behindPoint, 0) == decimals,
      value <= limit
    else {
      throw corrupt(column, start: start, expected: decimals > 0 ? "a number with \(decimals) decimals" : "a number")
    }
    finishField()
    return isNegative ? -value : value
  }

  /// Reads a whole number within `range`.
  @inline(__always)
  mutating func integer(_ column: StaticString, in range: ClosedRange<Int>) throws(TableError) -> Int {
    let start = offset
    let value = try decimal(column, decimals: 0, limit: range.upperBound)
    guard range.contains(value) else {
      throw corrupt(column, start: start, expected: "a number of \(range.lowerBound) … \(range.upperBound)")
    }
    return value
  }

  /// Skips a field and returns the range of its bytes.
  @inline(__always)
  mutating func field() -> Range<Int> {
    let start = offset
    while !Self.endsField(bytes[offset]) { offset += 1 }
    let end = offset
    finishField()
    return start..<end
  }

  /// Reads a field as text. Throws if it is not valid UTF-8.
  mutating func text(_ column: StaticString) throws(TableError) -> String {
    let range = field()
    guard let text = String(validating: file.bytes[range], as: UTF8.self) else {
      throw corrupt(column, start: range.lowerBound, expected: "valid UTF-8")
    }
    return text
  }

  /// Returns the bytes of a field that was skipped with `field()`.
  @inline(__always)
  func bytes(of range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// Skips the rest of the row, including its newline.
  @inline(__always)
  mutating func skipRow() {
    // The last byte of a table is a newline, so `memchr` always finds one.
    offset = memchr(bytes + offset, 10, count - offset)! - UnsafeMutableRawPointer(mutating: bytes) + 1
  }

  /// Skips the newline at the end of the row. Throws if there are more fields.
  @inline(__always)
  mutating func endOfRow() throws(TableError) {
    guard bytes[offset] == 10 else { throw error("more fields than columns") }
    offset += 1
  }

  private func corrupt(_ column: StaticString, start: Int, expected: String) -> TableError {
    var end = start
    while end < count, !Self.endsField(bytes[end]), end - start < 40 { end += 1 }
    let found = String(decoding: file.bytes[start..<end], as: UTF8.self)
    return .corrupt(
      file: file.name, line: file.line(at: start), problem: "\(column) is '\(found)', expected \(expected)")
  }
}
