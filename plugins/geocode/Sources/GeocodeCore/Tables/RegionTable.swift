/// The first-level divisions of all countries (provinces, states, …), from `admin1.tsv`: code, name, Chinese name.
///
/// A region's number is its row; rows are in the order of the codes. Codes are GeoNames': the country, a point, and a
/// code within the country, which is empty if the division is unknown or the country has none.
struct RegionTable: Sendable {
  /// The number of a region.
  typealias Number = UInt16

  private let rows: TextTable
  /// The country of each region.
  let countries: MappedArray<CountryBorders.CountryNumber>
  /// The first two digits of the codes of a Chinese region's divisions, or 0 in other countries.
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

  /// Returns the most populous place of a region, or nil if there is none.
  @inline(__always)
  func seat(_ region: Int) -> Int? { seats[region] == .max ? nil : Int(seats[region]) }

  /// Returns the region with a code, or nil.
  func number(ofCode code: some Collection<UInt8>) -> Number? {
    let row = (0..<count).partitionPoint { !rows.bytes($0, field: 0).lexicographicallyPrecedes(code) }
    return row < count && rows.bytes(row, field: 0).elementsEqual(code) ? Number(row) : nil
  }

  /// Returns the region whose divisions' codes start with these two digits, or nil.
  func number(ofProvince digits: UInt8) -> Number? {
    (0..<count).first { provinceDigits[$0] == digits }.map { Number($0) }
  }

  /// Returns the code, such as `CN.30`.
  func code(_ number: Number) -> String { rows.text(Int(number), field: 0) }
  /// Returns the English name, which is empty if the sources have none.
  func name(_ number: Number) -> String { rows.text(Int(number), field: 1) }
  /// Returns the Chinese name, which is empty if the sources have none.
  func chineseName(_ number: Number) -> String { rows.text(Int(number), field: 2) }
  /// Returns the bytes of a name. Field 0 is English, 1 is Chinese, and higher ones are other spellings, which the file
  /// has in one field separated by bars.
  func searchable(_ number: Int, field: Int) -> UnsafeRawBufferPointer {
    field < 2 ? rows.bytes(number, field: field + 1) : rows.bytes(number, field: 3, part: field - 2)
  }
}
