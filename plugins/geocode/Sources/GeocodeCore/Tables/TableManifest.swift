import FlowBytes

/// The sizes and checksums of the tables, from `manifest.tsv`.
struct TableManifest: Sendable {
  /// The number of bytes covered by one checksum.
  static let blockSize = 8_192

  /// The size and the checksums of one file.
  struct FileChecksums: Sendable {
    /// The size of the file in bytes.
    var byteCount: Int
    /// One checksum per block of 8 KiB. Only the last block may be shorter.
    var checksums: [UInt64]
  }

  private var entries: [String: FileChecksums] = [:]

  init(_ file: TableFile) throws(TableError) {
    var rows = try TableRows(file, columns: ["file", "bytes", "checksums"])
    while rows.next() {
      let start = rows.offset
      let name = try rows.text("file")
      let size = try rows.integer("bytes", in: 1...Int(Int32.max))
      let sums = Self.checksums(rows.bytes(of: rows.field()))
      guard let sums, sums.count == (size + Self.blockSize - 1) / Self.blockSize || name == file.name else {
        throw rows.error("expected a checksum of 16 hexadecimal digits for every 8 KiB")
      }
      try rows.endOfRow()
      entries[name] = FileChecksums(byteCount: size, checksums: sums)
      // The last row contains the checksum of all rows before it.
      guard name == file.name else { continue }
      guard size == start, !rows.next(),
        Self.checksum(UnsafeRawBufferPointer(rebasing: file.bytes[..<start])) == sums.first
      else { break }
      return
    }
    throw .corrupt(file: file.name, line: nil, problem: "its last row is not the sum of the rows before it")
  }

  /// Parses hexadecimal numbers of 16 digits each. Returns nil for any other text.
  private static func checksums(_ text: UnsafeBufferPointer<UInt8>) -> [UInt64]? {
    guard text.count % 16 == 0 else { return nil }
    var sums: [UInt64] = []
    sums.reserveCapacity(text.count / 16)
    var sum: UInt64 = 0
    for (index, byte) in text.enumerated() {
      let digit = byte &- UInt8(ascii: "0")
      let letter = byte &- UInt8(ascii: "a")
      guard digit < 10 || letter < 6 else { return nil }
      sum = sum << 4 | UInt64(digit < 10 ? digit : letter + 10)
      if index % 16 == 15 { sums.append(sum) }
    }
    return sums
  }

  /// Returns the size and the checksums of a file.
  ///
  /// - Throws: `TableError.corrupt` if the manifest does not list the file.
  func entry(for file: String) throws(TableError) -> FileChecksums {
    guard let entry = entries[file] else {
      throw .corrupt(file: "manifest.tsv", line: nil, problem: "no row for \(file)")
    }
    return entry
  }

  /// Returns a 64-bit hash of a block: four interleaved FNV-1a hashes of eight-byte words. The script that creates the
  /// tables computes the same value.
  static func checksum(_ block: UnsafeRawBufferPointer) -> UInt64 {
    let (prime, basis) = (FNV1a64.prime, FNV1a64().value)
    var (a, b, c, d) = (basis, basis + 1, basis + 2, basis + 3)
    let whole = block.count / 32 * 32
    var offset = 0
    // Reading words through a typed pointer is fast even in debug builds.
    if let start = block.baseAddress, UInt(bitPattern: start) % 8 == 0 {
      let words = start.assumingMemoryBound(to: UInt64.self)
      while offset < whole {
        let index = offset >> 3
        a = (a ^ UInt64(littleEndian: words[index])) &* prime
        b = (b ^ UInt64(littleEndian: words[index + 1])) &* prime
        c = (c ^ UInt64(littleEndian: words[index + 2])) &* prime
        d = (d ^ UInt64(littleEndian: words[index + 3])) &* prime
        offset += 32
      }
    }
    func word(_ offset: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in stride(from: min(block.count, offset + 8) - 1, through: offset, by: -1) {
        value = value << 8 | UInt64(block[index])
      }
      return value
    }
    while offset < block.count {
      a = (a ^ word(offset)) &* prime
      b = (b ^ word(offset + 8)) &* prime
      c = (c ^ word(offset + 16)) &* prime
      d = (d ^ word(offset + 24)) &* prime
      offset += 32
    }
    var sum = UInt64(block.count)
    for lane in [a, b, c, d] { sum = (sum ^ lane) &* prime }
    return sum ^ sum >> 32
  }
}
