/// The named places, from `places.tsv`, whose rows lie in k-d order; a place's number is its row.
///
/// Numbers are kept in columns; names stay in the file and are read when asked for.
struct PlaceTable: Sendable {
  private let file: TableFile
  /// Latitude and longitude in steps of 0.0001°.
  private(set) var positions: [SIMD2<Int32>] = []
  /// Inhabitants.
  private(set) var populations: [UInt32] = []
  /// The region each lies in.
  private(set) var regions: [RegionTable.Number] = []
  /// Where the name begins; Chinese name and other spellings follow behind tabs.
  private var nameOffsets: [UInt32] = []

  init(_ file: TableFile, regions table: RegionTable) throws(TableError) {
    self.file = file
    var rows = try TableRows(
      file, columns: ["latitude", "longitude", "population", "region", "name", "zh", "others"])
    let room = rows.remaining / 40
    positions.reserveCapacity(room)
    populations.reserveCapacity(room)
    regions.reserveCapacity(room)
    nameOffsets.reserveCapacity(room)
    var lastCode = 0..<0
    var lastRegion: RegionTable.Number = 0
    while rows.next() {
      let latitude = try rows.decimal("latitude", decimals: 4, limit: 900_000)
      let longitude = try rows.decimal("longitude", decimals: 4, limit: 1_800_000)
      let population = try rows.integer("population", in: 0...Int(UInt32.max))
      let code = rows.field()
      // Neighbours in k-d order are mostly in one region.
      if !rows.isSame(code, lastCode) {
        guard let region = table.number(ofCode: rows.bytes(of: code)) else {
          throw rows.error("expected a region code that admin1.tsv has")
        }
        lastRegion = region
        lastCode = code
      }
      positions.append(SIMD2(Int32(latitude), Int32(longitude)))
      populations.append(UInt32(population))
      regions.append(lastRegion)
      nameOffsets.append(UInt32(rows.offset))
      rows.skipRow()
    }
  }

  /// The number of places.
  var count: Int { positions.count }

  /// The bytes of a name: field 0 English, 1 Chinese, then the other spellings.
  @inline(__always)
  func searchable(_ number: Int, field: Int) -> UnsafeRawBufferPointer {
    let bytes = file.bytes
    var start = Int(nameOffsets[number])
    for _ in 0..<min(field, 2) { start = end(of: start, where: 9) + 1 }
    // Other spellings stand in one field behind the second tab, divided by bars.
    if field > 2 {
      for _ in 2..<field { start = end(of: start, where: UInt8(ascii: "|")) + 1 }
    }
    let stop = end(of: start, where: field >= 2 ? UInt8(ascii: "|") : 9)
    return UnsafeRawBufferPointer(rebasing: bytes[min(start, stop)..<stop])
  }

  /// The offset of the next `mark` or newline.
  @inline(__always)
  private func end(of start: Int, where mark: UInt8) -> Int {
    var offset = start
    while offset < file.bytes.count, file.bytes[offset] != mark, file.bytes[offset] != 10 { offset += 1 }
    return offset
  }

  /// The English name.
  func name(_ number: Int) -> String { String(decoding: searchable(number, field: 0), as: UTF8.self) }
  /// The Chinese name; empty where the sources have none.
  func chineseName(_ number: Int) -> String { String(decoding: searchable(number, field: 1), as: UTF8.self) }
}
