/// The administrative divisions of China, from `divisions.tsv`: provinces and prefectures by code, then districts and
/// counties in k-d order.
struct DivisionTable: Sendable {
  private let file: TableFile
  /// The six-digit code of each row: two digits for the province, two for the prefecture, two for the district.
  private(set) var codes: [Int32] = []
  /// Latitude and longitude in steps of 0.0001°.
  private(set) var positions: [SIMD2<Int32>] = []
  private var names: [Range<Int32>] = []
  /// The rows before this one are provinces and prefectures, in ascending order of their codes.
  private(set) var firstDistrict = 0

  init(_ file: TableFile) throws(TableError) {
    self.file = file
    var rows = try TableRows(file, columns: ["adcode", "latitude", "longitude", "name"])
    while rows.next() {
      let code = try rows.integer("adcode", in: 110_000...999_999)
      let latitude = try rows.decimal("latitude", decimals: 4, limit: 900_000)
      let longitude = try rows.decimal("longitude", decimals: 4, limit: 1_800_000)
      if code % 100 == 0 {
        guard firstDistrict == codes.count, codes.last.map({ $0 < code }) ?? true else {
          throw rows.error("provinces and prefectures come first, in the order of their codes")
        }
        firstDistrict += 1
      }
      codes.append(Int32(code))
      positions.append(SIMD2(Int32(latitude), Int32(longitude)))
      names.append(Range(rows.field()))
      try rows.endOfRow()
    }
  }

  /// The number of divisions.
  var count: Int { codes.count }

  /// The name as officially written: 广东省, 深圳市, 南山区.
  func name(_ row: Int) -> String { file.text(names[row]) }
  /// The bytes of the name.
  func searchable(_ row: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: file.bytes[Range(names[row])])
  }

  /// The row of a province or prefecture, or nil.
  func higherRow(code: Int32) -> Int? {
    var (low, high) = (0, firstDistrict)
    while low < high {
      let middle = (low + high) / 2
      if codes[middle] < code { low = middle + 1 } else { high = middle }
    }
    return low < firstDistrict && codes[low] == code ? low : nil
  }

  /// Province, prefecture and district, as far as the row has them.
  func path(_ row: Int) -> [Int] {
    let code = codes[row]
    var path: [Int] = []
    for ancestor in [code / 10_000 * 10_000, code / 100 * 100] where ancestor != code {
      if let row = higherRow(code: ancestor) { path.append(row) }
    }
    return path + [row]
  }
}
