/// The first-level divisions of all countries, such as provinces and states, from `admin1.tsv`.
///
/// A region's number is its row. The rows are sorted by code. A code is GeoNames': the country, a period, and a code
/// within the country. The latter is empty if the division is unknown or the country has no divisions.
struct RegionTable: Sendable {
  /// The number of a region: its row.
  typealias Number = UInt16

  private let rows: TextTable
  /// The number of each region's country.
  let countries: MappedArray<CountryBorders.CountryNumber>
  /// For a Chinese region, the first two digits of its divisions' codes. 0 for regions of other countries.
  let provinceDigits: MappedArray<UInt8>
  private let seats: MappedArray<UInt32>

  init(_ file: TableFile, _ index: TableIndex) throws(TableError) {
    rows = try TextTable(file, index, rows: .regionRows, columns: ["code", "name", "zh", "others"])
    countries = try index.array(.regionCountries, of: UInt8.self, count: rows.startCount)
    provinceDigits = try index.array(.regionDigits, of: UInt8.self, count: rows.startCount)
    seats = try index.array(.regionSeats, of: UInt32.self, count: rows.startCount)
  }

  var count: Int { countries.count }

  /// Returns the most populous place of a region, or nil if there is none.
  @inline(__always)
  func seat(_ region: Int) -> Int? { seats[region] == .max ? nil : Int(seats[region]) }

  /// Returns the number of the region with a code, or nil if there is none.
  func number(ofCode code: some Collection<UInt8>) -> Number? {
    let row = (0..<count).partitionPoint { !rows.bytes($0, field: 0).lexicographicallyPrecedes(code) }
    return row < count && rows.bytes(row, field: 0).elementsEqual(code) ? Number(row) : nil
  }

  /// Returns the region whose divisions have codes that start with `digits`, or nil if there is none.
  func number(ofProvince digits: UInt8) -> Number? {
    (0..<count).first { provinceDigits[$0] == digits }.map { Number($0) }
  }

  /// Returns the code, such as `CN.30`.
  func code(_ number: Number) -> String { rows.text(Int(number), field: 0) }
  /// Returns the English name, or an empty string if the sources have none.
  func name(_ number: Number) -> String { rows.text(Int(number), field: 1) }
  /// Returns the Chinese name, or an empty string if the sources have none.
  func chineseName(_ number: Number) -> String { rows.text(Int(number), field: 2) }
  /// Returns the bytes of a name. Field 0 is the English name, 1 the Chinese one, and higher fields are other
  /// spellings. The file stores those in one field, separated by bars.
  func searchable(_ number: Int, field: Int) -> UnsafeRawBufferPointer {
    field < 2 ? rows.bytes(number, field: field + 1) : rows.bytes(number, field: 3, part: field - 2)
  }
}
