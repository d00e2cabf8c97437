/// All names in the order of their folded forms, from `search.bin`.
///
/// Layout, little-endian: `flowgeo1`, the number of entries and of entries to a sample (UInt32); the first eight bytes of
/// each sample's folded name as a number whose order is theirs (UInt64); then three bytes an entry: record in the lower 18
/// bits, field in the upper 6.
struct SearchTable: Sendable {
  /// A name: whose it is, and which of its names.
  struct Entry {
    /// A place, region, country or division; see `GeocodeTables.record`.
    var record: Int
    /// Its name: 0 English, 1 Chinese, 2… other spellings.
    var field: Int
  }

  private static let headerSize = 16

  private let file: TableFile
  /// The number of entries.
  let count: Int
  private let stride: Int
  private let samples: [UInt64]
  private let entriesStart: Int

  init(_ file: TableFile, recordCount: Int) throws(TableError) {
    self.file = file
    let bytes = file.bytes
    guard bytes.count >= Self.headerSize, bytes.prefix(8).elementsEqual("flowgeo1".utf8) else {
      throw .corrupt(file: file.name, line: nil, problem: "the file does not begin with flowgeo1")
    }
    let count = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    let stride = max(1, Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))))
    let sampleCount = (count + stride - 1) / stride
    entriesStart = Self.headerSize + 8 * sampleCount
    guard bytes.count == entriesStart + 3 * count else {
      throw .corrupt(file: file.name, line: nil, problem: "\(bytes.count) bytes for \(count) names")
    }
    samples = (0..<sampleCount).map {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: Self.headerSize + 8 * $0, as: UInt64.self))
    }
    self.count = count
    self.stride = stride
    for index in 0..<count where entry(index).record >= recordCount {
      throw .corrupt(file: file.name, line: nil, problem: "name \(index) belongs to no record")
    }
  }

  /// The entry at a position in the order.
  @inline(__always)
  func entry(_ index: Int) -> Entry {
    let offset = entriesStart + 3 * index
    let low = Int(file.bytes[offset]) | Int(file.bytes[offset + 1]) << 8 | Int(file.bytes[offset + 2]) << 16
    return Entry(record: low & 0x3FFFF, field: low >> 18)
  }

  /// The first position whose folded name is not below `key`; `foldedName` gives the folded name of an entry.
  func lowerBound(of key: [UInt8], foldedName: (Entry) -> [UInt8]) -> Int {
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | UInt64(index < key.count ? key[index] : 0) }
    // Everything before the last sample below the prefix is below the key.
    var (low, high) = (0, samples.count)
    while low < high {
      let middle = (low + high) / 2
      if samples[middle] < prefix { low = middle + 1 } else { high = middle }
    }
    var first = max(0, (low - 1) * stride)
    while low < samples.count, samples[low] == prefix { low += 1 }
    var last = min(count, low * stride)
    while first < last {
      let middle = (first + last) / 2
      if foldedName(entry(middle)).lexicographicallyPrecedes(key) { first = middle + 1 } else { last = middle }
    }
    return first
  }
}
