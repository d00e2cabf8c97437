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
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: incarnation >> (56 - 8 * $0)) }
    extensions.removeAll { $0.tag == Self.originTag }
    let place = extensions.firstIndex { $0.tag > Self.originTag } ?? extensions.endIndex
    extensions.insert(Extension(tag: Self.originTag, bytes: bytes), at: place)
  }
}
