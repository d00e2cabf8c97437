/// Sizes and checksums of the tables, from `manifest.tsv`.
struct TableManifest: Sendable {
  /// Bytes that one checksum covers.
  static let blockSize = 65_536

  /// What is known of one file.
  struct Entry: Sendable {
    /// The file's size.
    var byteCount: Int
    /// One checksum for every 64 KiB, the last for what remains.
    var checksums: [UInt64]
  }

  private var entries: [String: Entry] = [:]

  init(_ file: TableFile) throws(TableError) {
    var rows = try TableRows(file, columns: ["file", "bytes", "checksums"])
    while rows.next() {
      let name = try rows.text("file")
      let size = try rows.integer("bytes", in: 1...Int.max)
      let sums = try rows.text("checksums").split(separator: " ").map { UInt64($0, radix: 16) }
      guard sums.count == (size + Self.blockSize - 1) / Self.blockSize, !sums.contains(nil) else {
        throw rows.error("expected a checksum in hexadecimal for every 64 KiB")
      }
      entries[name] = Entry(byteCount: size, checksums: sums.map { $0! })
      try rows.endOfRow()
    }
  }

  /// What is known of a file.
  ///
  /// - Throws: `TableError.corrupt` when the manifest does not mention it.
  func entry(for file: String) throws(TableError) -> Entry {
    guard let entry = entries[file] else {
      throw .corrupt(file: "manifest.tsv", line: nil, problem: "no row for \(file)")
    }
    return entry
  }

  /// A 64-bit sum in four lanes of FNV-1a over eight-byte words; the script that makes the tables computes the same.
  static func checksum(_ block: UnsafeRawBufferPointer) -> UInt64 {
    let prime: UInt64 = 0x100_0000_01B3
    let basis: UInt64 = 0xCBF2_9CE4_8422_2325
    var a = basis
    var b = basis + 1
    var c = basis + 2
    var d = basis + 3
    func word(_ offset: Int) -> UInt64 {
      if offset + 8 <= block.count {
        return UInt64(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      var value: UInt64 = 0
      for index in stride(from: block.count - 1, through: offset, by: -1) { value = value << 8 | UInt64(block[index]) }
      return value
    }
    for offset in stride(from: 0, to: block.count, by: 32) {
      a = (a ^ word(offset)) &* prime
      b = (b ^ word(offset + 8)) &* prime
      c = (c ^ word(offset + 16)) &* prime
      d = (d ^ word(offset + 24)) &* prime
    }
    var sum = UInt64(block.count)
    for lane in [a, b, c, d] { sum = (sum ^ lane) &* prime }
    return sum ^ sum >> 32
  }
}
