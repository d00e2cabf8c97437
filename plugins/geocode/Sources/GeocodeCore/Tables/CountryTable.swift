/// Countries and territories, from `countries.tsv`; a country's number is its row.
struct CountryTable: Sendable {
  /// What the table says of a country.
  struct Row: Sendable {
    /// ISO 3166 code of two letters.
    var code: String
    /// ISO 3166 code of three letters.
    var code3: String
    /// English name.
    var name: String
    /// Simplified Chinese name; empty for the two codes that are no longer used.
    var chineseName: String
    /// Name of the capital; may be empty.
    var capital: String
    /// GeoNames' continent code: AF, AN, AS, EU, NA, OC, SA.
    var continent: String
    /// Codes of the countries it borders on.
    var neighbours: [String]
    /// Position of the capital, or of the largest city, in steps of 0.0001°; nil where nobody lives.
    var seat: SIMD2<Int32>?
  }

  private(set) var rows: [Row] = []
  /// Country number by two capital letters.
  private var numbers = [CountryBorders.CountryNumber](repeating: CountryBorders.none, count: 26 * 26)

  init(_ file: TableFile) throws(TableError) {
    let columns = ["iso2", "iso3", "name", "zh", "capital", "continent", "neighbours", "latitude", "longitude"]
    var table = try TableRows(file, columns: columns)
    while table.next() {
      let code = table.field()
      guard let slot = Self.slot(table.bytes(of: code)), code.count == 2, rows.count < 255 else {
        throw table.error("expected a country code of two capital letters, and at most 255 countries")
      }
      var row = Row(
        code: String(decoding: table.bytes(of: code), as: UTF8.self), code3: try table.text("iso3"),
        name: try table.text("name"), chineseName: try table.text("zh"), capital: try table.text("capital"),
        continent: try table.text("continent"),
        neighbours: try table.text("neighbours").split(separator: ",").map(String.init), seat: nil)
      if table.isAtEmptyField() {
        _ = table.field()
        _ = table.field()
      } else {
        let latitude = try table.decimal("latitude", decimals: 4, limit: 900_000)
        row.seat = SIMD2(Int32(latitude), Int32(try table.decimal("longitude", decimals: 4, limit: 1_800_000)))
      }
      try table.endOfRow()
      numbers[slot] = UInt8(rows.count)
      rows.append(row)
    }
  }

  private static func slot(_ code: UnsafeBufferPointer<UInt8>) -> Int? {
    guard code.count >= 2 else { return nil }
    let (first, second) = (code[0] &- 65, code[1] &- 65)
    return first < 26 && second < 26 ? Int(first) * 26 + Int(second) : nil
  }

  /// The country whose code the given bytes begin with, or nil.
  @inline(__always)
  func number(ofCode code: UnsafeBufferPointer<UInt8>) -> CountryBorders.CountryNumber? {
    guard let slot = Self.slot(code), numbers[slot] != CountryBorders.none else { return nil }
    return numbers[slot]
  }

  /// The country with a code of two or three letters in any case, or nil.
  func number(ofCode code: String) -> CountryBorders.CountryNumber? {
    let upper = code.uppercased()
    return rows.firstIndex { $0.code == upper || $0.code3 == upper }.map { UInt8($0) }
  }
}
