/// The countries and territories in `countries.tsv`. A country's number is its row. The rows are sorted by code.
struct CountryTable: Sendable {
  /// The columns in the order of the file.
  enum Column: Int {
    /// The two-letter ISO 3166 code.
    case code
    /// The three-letter ISO 3166 code.
    case code3
    /// The English name.
    case name
    /// The simplified Chinese name. Empty for the two codes that are no longer in use.
    case chineseName
    /// The name of the capital. Empty if there is none.
    case capital
    /// GeoNames' continent code: AF, AN, AS, EU, NA, OC, SA.
    case continent
    /// The codes of the neighboring countries, separated by commas.
    case neighbors
  }

  private let rows: TextTable
  private let seats: MappedArray<SIMD2<Int32>>

  init(_ file: TableFile, _ index: TableIndex) throws(TableError) {
    rows = try TextTable(
      file, index, rows: .countryRows,
      columns: ["iso2", "iso3", "name", "zh", "capital", "continent", "neighbors", "latitude", "longitude"])
    seats = try index.array(.countrySeats, of: SIMD2<Int32>.self, count: rows.startCount)
    guard count < Int(CountryBorders.none) else {
      throw .corrupt(file: file.name, line: nil, problem: "\(count) countries, expected fewer than 255")
    }
  }

  var count: Int { seats.count }

  /// Returns the text of one column for a country.
  func text(_ country: Int, _ column: Column) -> String { rows.text(country, field: column.rawValue) }

  /// The number of searchable fields that contain names rather than codes.
  static let nameCount = 2

  /// Returns the bytes of a searchable field. The fields are the English name, the Chinese name, the two-letter code
  /// and the three-letter code.
  func searchable(_ country: Int, field: Int) -> UnsafeRawBufferPointer {
    let columns: [Column] = [.name, .chineseName, .code, .code3]
    return rows.bytes(country, field: columns[min(field, 3)].rawValue)
  }

  /// Returns the position of the capital in steps of 0.0001°. Returns that of the country's largest place if the tables
  /// do not have the capital, and nil if the country has no place at all.
  func seat(_ country: Int) -> SIMD2<Int32>? {
    seats[country] == SIMD2(repeating: -1) ? nil : seats[country]
  }

  /// Returns the country with a code of two or three letters, or nil if there is none. Ignores case.
  func number(ofCode code: String) -> CountryBorders.CountryNumber? {
    let upper = code.uppercased()
    guard upper.utf8.count == 2 || upper.utf8.count == 3 else { return nil }
    let column = upper.utf8.count == 2 ? Column.code : .code3
    return (0..<count).first { rows.bytes($0, field: column.rawValue).elementsEqual(upper.utf8) }.map { UInt8($0) }
  }
}
