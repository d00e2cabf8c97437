import FlowBytes

/// All names in the order of their folded forms, stored in the index.
///
/// A sample is the first eight bytes of every sixteenth folded name, as a number of the same order. An entry has three
/// bytes: the record in the lower 18 bits and the field in the upper 6. A mark is a byte computed from the whole folded
/// name. Marks find a name among names with the same beginning without folding all of them.
struct SearchTable: Sendable {
  struct NameReference {
    /// The number of the record; see `GeocodeTables.record`.
    var record: Int
    /// The field with the name: 0 for English, 1 for Chinese, 2 and higher for other spellings.
    var field: Int
  }

  private static let stride = 16

  private let samples: MappedArray<UInt64>
  private let entries: MappedArray<UInt8>
  private let marks: MappedArray<UInt8>
  /// The number of entries.
  let count: Int

  init(_ index: TableIndex) throws(TableError) {
    entries = try index.array(.searchEntries, of: UInt8.self)
    count = entries.count / 3
    marks = try index.array(.searchMarks, of: UInt8.self, count: count)
    samples = try index.array(.searchSamples, of: UInt64.self, count: (count + Self.stride - 1) / Self.stride)
  }

  /// Returns the entry at a position.
  @inline(__always)
  func entry(_ index: Int) -> NameReference {
    let low = Int(entries[3 * index]) | Int(entries[3 * index + 1]) << 8 | Int(entries[3 * index + 2]) << 16
    return NameReference(record: low & 0x3FFFF, field: low >> 18)
  }

  /// Returns the mark of a folded name: eight bits of its FNV-1a hash. The script that creates the tables computes the
  /// same value.
  static func mark(of key: FoldedName) -> UInt8 {
    var hash = FNV1a32()
    for index in 0..<key.count { hash.add(key[index]) }
    let sum = hash.value
    return UInt8(truncatingIfNeeded: sum ^ sum >> 8 ^ sum >> 16 ^ sum >> 24)
  }

  @inline(__always)
  func mark(_ index: Int) -> UInt8 { marks[index] }

  /// Returns the positions of the names that start with the key's first eight bytes, and some around them. All names
  /// equal to the key are within the range, and no name that starts with the key comes before it.
  func bucket(of key: FoldedName) -> Range<Int> {
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | UInt64(index < key.count ? key[index] : 0) }
    // All entries before the last sample that is below the prefix are below the key.
    let sample = (0..<samples.count).partitionPoint { samples[$0] >= prefix }
    let first = max(0, (sample - 1) * Self.stride)
    let end = (sample..<samples.count).partitionPoint { samples[$0] > prefix }
    return first..<max(first, min(count, end * Self.stride))
  }
}
