/// The administrative divisions of China, from `divisions.tsv`: provinces and prefectures by code, then districts and
/// counties in k-d order.
struct DivisionTable: Sendable {
  private struct Numbers: BitwiseCopyable, Sendable {
    var code: Int32
    var latitude: Int32
    var longitude: Int32
    var inhabitants: Int32
  }

  private let rows: TextTable
  private let numbers: MappedArray<Numbers>
  /// The rows before this one are provinces and prefectures, in ascending order of their codes.
  let firstDistrict: Int

  init(_ file: TableFile, _ index: TableIndex) throws(TableError) {
    rows = try TextTable(file, index, rows: .divisionRows, columns: ["adcode", "name"])
    numbers = try index.array(.divisionNumbers, of: Numbers.self, count: rows.startCount)
    var higher = 0
    while higher < numbers.count, numbers[higher].code % 100 == 0 { higher += 1 }
    firstDistrict = higher
  }

  /// The number of divisions.
  var count: Int { numbers.count }

  /// The six-digit code: two digits for the province, two for the prefecture, two for the district.
  @inline(__always)
  func code(_ row: Int) -> Int32 { numbers[row].code }
  /// Latitude and longitude in steps of 0.0001°.
  @inline(__always)
  func position(_ row: Int) -> SIMD2<Int32> { SIMD2(numbers[row].latitude, numbers[row].longitude) }

  /// Inhabitants of the largest city within about 60 km.
  func inhabitantsNearby(_ row: Int) -> Int { Int(numbers[row].inhabitants) }

  /// The name as officially written: 广东省, 深圳市, 南山区.
  func name(_ row: Int) -> String { rows.text(row, field: 1) }
  /// The bytes of the name.
  func searchable(_ row: Int) -> UnsafeRawBufferPointer { rows.bytes(row, field: 1) }

  /// The row of a province or prefecture, or nil.
  func higherRow(code wanted: Int32) -> Int? {
    let row = (0..<firstDistrict).partitionPoint { code($0) >= wanted }
    return row < firstDistrict && code(row) == wanted ? row : nil
  }

  /// Province, prefecture and district, as far as the row has them.
  func path(_ row: Int) -> [Int] {
    let code = code(row)
    var path: [Int] = []
    for ancestor in [code / 10_000 * 10_000, code / 100 * 100] where ancestor != code {
      if let row = higherRow(code: ancestor) { path.append(row) }
    }
    return path + [row]
  }
}
