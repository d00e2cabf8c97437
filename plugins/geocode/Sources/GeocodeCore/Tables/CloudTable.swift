/// The nameless places, from `cloud.bin`: only where they are and in which region, in the cells of the named.
///
/// They settle country and province between the named places, and lie in the order of these: first those in the cell of
/// the first eight named places, and so on. Layout, little-endian: `flowgeo1`, count and number of regions (UInt32); for
/// each eight named places the number of nameless ones with them (UInt16); then three columns of UInt16: latitude + 90°
/// in steps of 0.0028°, longitude + 180° in steps of 0.0056°, region.
struct CloudTable: Sendable {
  private static let headerSize = 16

  private let file: TableFile
  /// The number of places.
  let count: Int

  private let columnsStart: Int
  private let leafCount: Int

  init(_ file: TableFile, regions: RegionTable, placeCount: Int) throws(TableError) {
    self.file = file
    leafCount = (placeCount + PointTree.blockSize - 1) / PointTree.blockSize
    columnsStart = Self.headerSize + 2 * leafCount
    let size = file.bytes.count
    guard size >= Self.headerSize, file.bytes.prefix(8).elementsEqual("flowgeo1".utf8) else {
      throw .corrupt(file: file.name, line: nil, problem: "the file does not begin with flowgeo1")
    }
    count = Int(UInt32(littleEndian: file.bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    let regionCount = Int(UInt32(littleEndian: file.bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
    guard size == columnsStart + 6 * count, regionCount == regions.count else {
      throw .corrupt(
        file: file.name, line: nil,
        problem: "\(size) bytes for \(count) places of \(regionCount) regions, where admin1.tsv has \(regions.count)")
    }
    guard (0..<leafCount).reduce(0, { $0 + followerCount($1) }) == count else {
      throw .corrupt(file: file.name, line: nil, problem: "the cells do not hold \(count) places together")
    }
    for place in 0..<count where region(place) >= regionCount {
      throw .corrupt(file: file.name, line: nil, problem: "place \(place) is in region \(region(place))")
    }
  }

  @inline(__always)
  private func word(_ offset: Int) -> Int {
    Int(UInt16(littleEndian: file.bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }

  /// How many places lie with the eight named places of a leaf.
  func followerCount(_ leaf: Int) -> Int { word(Self.headerSize + 2 * leaf) }

  @inline(__always)
  private func value(column: Int, _ place: Int) -> Int {
    word(columnsStart + 2 * (column * count + place))
  }

  /// Latitude in steps of 0.0001°.
  @inline(__always)
  func latitudeSteps(_ place: Int) -> Int { value(column: 0, place) * 28 - 900_000 }
  /// Longitude in steps of 0.0001°.
  @inline(__always)
  func longitudeSteps(_ place: Int) -> Int { value(column: 1, place) * 56 - 1_800_000 }
  /// The region it lies in.
  @inline(__always)
  func region(_ place: Int) -> RegionTable.Number { RegionTable.Number(value(column: 2, place)) }
}
