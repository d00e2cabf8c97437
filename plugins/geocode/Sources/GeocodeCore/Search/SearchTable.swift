import FlowBytes

/// All names, in the order of their folded forms.
///
/// A sample is the first eight bytes of every sixteenth folded name, as a big-endian number. An entry has three bytes:
/// the record in the lower 18 bits and the field in the upper 6. A mark is one byte of a hash of the folded name. With
/// marks, a name can be found among names with the same beginning without folding all of them.
struct SearchTable: Sendable {
  struct NameReference {
    /// The number of the record, as in `GeocodeTables.record`.
    var record: Int
    /// The field that contains the name: 0 for English, 1 for Chinese, 2 and above for other spellings.
    var field: Int
  }

  private static let stride = 16

  private let samples: MappedArray<UInt64>
  private let entries: MappedArray<UInt8>
  private let marks: MappedArray<UInt8>
  /// The number of names.
  let count: Int

  init(_ index: TableIndex) throws(TableError) {
    entries = try index.array(.searchEntries, of: UInt8.self)
    count = entries.count / 3
    marks = try index.array(.searchMarks, of: UInt8.self, count: count)
    samples = try index.array(.searchSamples, of: UInt64.self, count: (count + Self.stride - 1) / Self.stride)
  }

  /// Returns the entry at a position in the order of names.
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

  /// Returns the positions of the names that start with the key's first eight bytes, and some positions around them.
  /// The range contains all names equal to the key, and no name before it starts with the key.
  func bucket(of key: FoldedName) -> Range<Int> {
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | UInt64(index < key.count ? key[index] : 0) }
    // All entries before the last sample below the prefix come before the key.
    let sample = (0..<samples.count).partitionPoint { samples[$0] >= prefix }
    let first = max(0, (sample - 1) * Self.stride)
    let end = (sample..<samples.count).partitionPoint { samples[$0] > prefix }
    return first..<max(first, min(count, end * Self.stride))
  }
}
