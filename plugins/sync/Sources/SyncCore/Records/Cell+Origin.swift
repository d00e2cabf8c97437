extension Cell {
  /// The tag of the extension that stores a record's first incarnation.
  private static let originTag: UInt64 = 1

  /// The incarnation in which the record was first created. It is above 0 if the zone has forgotten deleted records
  /// with the same key. Writes and copies of earlier incarnations belong to those records.
  package var origin: Int64 {
    guard let bytes = extensions.first(where: { $0.tag == Self.originTag })?.bytes, bytes.count == 8 else { return 0 }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Stores the incarnation in which the record is created. When copies are merged, the extension with the larger bytes
  /// wins. The number is stored in big-endian order so that its bytes sort like numbers.
  mutating func setOrigin(_ incarnation: Int64) {
    let own = Extension(tag: Self.originTag, bytes: withUnsafeBytes(of: incarnation.bigEndian) { [UInt8]($0) })
    // Extensions are sorted by tag.
    var place = 0
    while place < extensions.count, extensions[place].tag < own.tag { place += 1 }
    if place < extensions.count, extensions[place].tag == own.tag {
      extensions[place] = own
    } else {
      extensions.insert(own, at: place)
    }
  }
}
