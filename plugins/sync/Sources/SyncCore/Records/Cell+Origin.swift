extension Cell {
  /// The tag under which the first incarnation of a record is kept.
  private static let originTag: UInt64 = 1

  /// The incarnation in which a record was first made; above 0 where a zone had forgotten earlier records under its
  /// key. A write or a copy of an earlier incarnation is about one of those.
  public var origin: Int64 {
    guard let bytes = extensions.first(where: { $0.tag == Self.originTag })?.bytes, bytes.count == 8 else { return 0 }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Notes that the record is made in this incarnation. Of two copies the larger counts, so the bytes are in the order
  /// of numbers.
  mutating func setOrigin(_ incarnation: Int64) {
    let own = Extension(tag: Self.originTag, bytes: withUnsafeBytes(of: incarnation.bigEndian) { [UInt8]($0) })
    // They are in the order of their tags.
    var place = 0
    while place < extensions.count, extensions[place].tag < own.tag { place += 1 }
    if place < extensions.count, extensions[place].tag == own.tag {
      extensions[place] = own
    } else {
      extensions.insert(own, at: place)
    }
  }
}
