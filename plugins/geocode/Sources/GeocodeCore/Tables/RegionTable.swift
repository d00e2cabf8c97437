/// The first-level divisions of all countries (provinces, states, …), from `admin1.tsv`: code, name, Chinese name.
///
/// A region's number is its row, in the order of the codes. Codes are GeoNames': the country, a point, and the code within
/// it, which may be empty if the division is unknown or the country has none.
struct RegionTable: Sendable {
  /// A row of the table.
  typealias Number = UInt16

  private let rows: TextTable
  /// The country of each region.
  let countries: MappedArray<CountryBorders.CountryNumber>
  /// The two digits with which the codes of a Chinese region's divisions begin; 0 elsewhere.
  let provinceDigits: MappedArray<UInt8>
  private let seats: MappedArray<UInt32>

  init(_ file: TableFile, _ index: TableIndex) throws(TableError) {
    rows = try TextTable(file, index, rows: .regionRows, columns: ["code", "name", "zh", "others"])
    countries = try index.array(.regionCountries, of: UInt8.self, count: rows.startCount)
    provinceDigits = try index.array(.regionDigits, of: UInt8.self, count: rows.startCount)
    seats = try index.array(.regionSeats, of: UInt32.self, count: rows.startCount)
  }

  /// The number of regions.
  var count: Int { countries.count }

  /// The most populous named place of a region, or nil if there is none.
  @inline(__always)
  func seat(_ region: Int) -> Int? { seats[region] == .max ? nil : Int(seats[region]) }

  /// The region with the given code, or nil.
  func number(ofCode code: some Collection<UInt8>) -> Number? {
    let row = (0..<count).partitionPoint { !rows.bytes($0, field: 0).lexicographicallyPrecedes(code) }
    return row < count && rows.bytes(row, field: 0).elementsEqual(code) ? Number(row) : nil
  }

  /// The region whose divisions' codes begin with two digits, or nil.
  func number(ofProvince digits: UInt8) -> Number? {
    (0..<count).first { provinceDigits[$0] == digits }.map { Number($0) }
  }

  /// The code, `CN.30`.
  func code(_ number: Number) -> String { rows.text(Int(number), field: 0) }
  /// The English name; empty where the sources have none.
  func name(_ number: Number) -> String { rows.text(Int(number), field: 1) }
  /// The Chinese name; empty where the tables have none.
  func chineseName(_ number: Number) -> String { rows.text(Int(number), field: 2) }
  /// The bytes of a name: field 0 English, 1 Chinese, then the other spellings, which are in one field divided by bars.
  func searchable(_ number: Int, field: Int) -> UnsafeRawBufferPointer {
    field < 2 ? rows.bytes(number, field: field + 1) : rows.bytes(number, field: 3, part: field - 2)
  }
}
