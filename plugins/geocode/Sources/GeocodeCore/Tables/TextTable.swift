/// A memory-mapped table of tab-separated values, from which single fields are read. The index contains the starts of
/// rows.
struct TextTable: Sendable {
  private let file: TableFile
  private let index: TableIndex
  private let starts: MappedArray<UInt32>
  /// The number of rows per entry in `starts`.
  private let step: Int

  /// - Parameters:
  ///   - file: the table, whose checksums must have been verified.
  ///   - rows: the section with the offset of every `step`th row.
  ///   - columns: the column names expected in the first line.
  /// - Throws: `TableError.corrupt` if the first line is wrong, if the last one does not end with a newline, or if the
  ///   section has the wrong size.
  init(
    _ file: TableFile, _ index: TableIndex, rows: TableIndex.Section, every step: Int = 1, columns: [String]
  ) throws(TableError) {
    _ = try TableRows(file, columns: columns)
    self.file = file
    self.index = index
    self.step = step
    starts = try index.array(rows, of: UInt32.self)
  }

  /// The number of row starts in the index, one per `step` rows.
  var startCount: Int { starts.count }

  /// Returns the bytes of a field. They are empty if the row has fewer fields.
  @inline(__always)
  func bytes(_ row: Int, field: Int) -> UnsafeRawBufferPointer {
    let bytes = file.bytes
    var start = Int(starts[row / step])
    for _ in 0..<row % step { start = end(of: start, at: 10) + 1 }
    for _ in 0..<field {
      start = end(of: start, at: 9)
      guard start < bytes.count, bytes[start] == 9 else {
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start])
      }
      start += 1
    }
    return UnsafeRawBufferPointer(rebasing: bytes[min(start, bytes.count)..<end(of: start, at: 9)])
  }

  /// Returns one of several names in a field, which are separated by bars. The bytes are empty if there are fewer
  /// names.
  func bytes(_ row: Int, field: Int, part: Int) -> UnsafeRawBufferPointer {
    let all = bytes(row, field: field)
    var start = 0
    var left = part
    while start < all.count, left > 0 {
      if all[start] == UInt8(ascii: "|") { left -= 1 }
      start += 1
    }
    var end = start
    while end < all.count, all[end] != UInt8(ascii: "|") { end += 1 }
    return UnsafeRawBufferPointer(rebasing: all[start..<end])
  }

  /// Returns the offset of the next `mark` or newline, whichever comes first.
  @inline(__always)
  private func end(of start: Int, at mark: UInt8) -> Int {
    let bytes = file.bytes
    var offset = min(start, bytes.count)
    while offset < bytes.count, bytes[offset] != mark, bytes[offset] != 10 { offset += 1 }
    return offset
  }

  func text(_ row: Int, field: Int) -> String { String(decoding: bytes(row, field: field), as: UTF8.self) }
}
