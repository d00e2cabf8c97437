/// The administrative divisions of China in `divisions.tsv`. Provinces and prefectures come first, sorted by code.
/// Districts and counties follow in k-d order.
struct DivisionTable: Sendable {
  private struct Numbers: BitwiseCopyable, Sendable {
    var code: Int32
    var latitude: Int32
    var longitude: Int32
    var inhabitants: Int32
  }

  private let rows: TextTable
  private let numbers: MappedArray<Numbers>
  /// The row of the first district or county. The rows before it are sorted by code.
  let firstDistrict: Int

  init(_ file: TableFile, _ index: TableIndex) throws(TableError) {
    rows = try TextTable(file, index, rows: .divisionRows, columns: ["adcode", "name"])
    numbers = try index.array(.divisionNumbers, of: Numbers.self, count: rows.startCount)
    var higher = 0
    while higher < numbers.count, numbers[higher].code % 100 == 0 { higher += 1 }
    firstDistrict = higher
  }

  /// The number of divisions at all levels.
  var count: Int { numbers.count }

  /// Returns the six-digit code: two digits each for the province, the prefecture and the district.
  @inline(__always)
  func code(_ row: Int) -> Int32 { numbers[row].code }
  /// Returns the latitude and longitude in steps of 0.0001°.
  @inline(__always)
  func position(_ row: Int) -> SIMD2<Int32> { SIMD2(numbers[row].latitude, numbers[row].longitude) }

  /// Returns the population of the largest city within about 60 km.
  func inhabitantsNearby(_ row: Int) -> Int { Int(numbers[row].inhabitants) }

  /// Returns the official name, such as 广东省, 深圳市 or 南山区.
  func name(_ row: Int) -> String { rows.text(row, field: 1) }
  /// Returns the UTF-8 bytes of the official name.
  func searchable(_ row: Int) -> UnsafeRawBufferPointer { rows.bytes(row, field: 1) }

  /// Returns the row of the province or prefecture with a code, or nil if there is none.
  func higherRow(code wanted: Int32) -> Int? {
    let row = (0..<firstDistrict).partitionPoint { code($0) >= wanted }
    return row < firstDistrict && code(row) == wanted ? row : nil
  }

  /// Returns the rows of the division and of the province and prefecture around it, the province first.
  func path(_ row: Int) -> [Int] {
    let code = code(row)
    var path: [Int] = []
    for ancestor in [code / 10_000 * 10_000, code / 100 * 100] where ancestor != code {
      if let row = higherRow(code: ancestor) { path.append(row) }
    }
    return path + [row]
  }
}
