/// The first-level divisions of all countries (provinces, states, …), from `admin1.tsv`: code, name, Chinese name.
///
/// A region's number is its row. Codes are GeoNames': the country, a point, and the code within it, which may be empty
/// where nobody knows the division or the country has none.
struct RegionTable: Sendable {
  /// A row of the table.
  typealias Number = UInt16

  private let file: TableFile
  private var codes: [Range<Int32>] = []
  private var names: [Range<Int32>] = []
  private var chineseNames: [Range<Int32>] = []
  /// The country of each region.
  private(set) var countries: [CountryBorders.CountryNumber] = []
  /// Open addressing by code: row plus one.
  private var slots = [UInt16](repeating: 0, count: 1 << 14)

  init(_ file: TableFile, countries table: CountryTable) throws(TableError) {
    self.file = file
    var rows = try TableRows(file, columns: ["code", "name", "zh"])
    while rows.next() {
      let code = rows.field()
      guard code.count >= 3, let country = table.number(ofCode: rows.bytes(of: code)) else {
        throw rows.error("expected a code such as CN.30 of a country in countries.tsv")
      }
      codes.append(Int32(code.lowerBound)..<Int32(code.upperBound))
      names.append(Range(rows.field()))
      chineseNames.append(Range(rows.field()))
      try rows.endOfRow()
      countries.append(country)
      guard codes.count < slots.count / 2 else { throw rows.error("more regions than the format allows") }
      var slot = Self.hash(rows.bytes(of: code)) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt16(codes.count)
    }
  }

  /// The number of regions.
  var count: Int { codes.count }

  /// The region with the given code, or nil.
  @inline(__always)
  func number(ofCode code: UnsafeBufferPointer<UInt8>) -> Number? {
    var slot = Self.hash(code) & (slots.count - 1)
    while slots[slot] != 0 {
      let row = slots[slot] - 1
      if file.bytes[Range(codes[Int(row)])].elementsEqual(code) { return row }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private static func hash(_ code: UnsafeBufferPointer<UInt8>) -> Int {
    var sum: UInt32 = 2_166_136_261
    for byte in code { sum = (sum ^ UInt32(byte)) &* 16_777_619 }
    return Int(sum ^ sum >> 15)
  }

  /// The code, `CN.30`.
  func code(_ number: Number) -> String { file.text(codes[Int(number)]) }
  /// The English name; empty where the sources have none.
  func name(_ number: Number) -> String { file.text(names[Int(number)]) }
  /// The Chinese name; empty outside China.
  func chineseName(_ number: Number) -> String { file.text(chineseNames[Int(number)]) }
  /// The bytes of the name in the given field of the search table: 0 English, 1 Chinese.
  func searchable(_ number: Int, field: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: file.bytes[Range(field == 0 ? names[number] : chineseNames[number])])
  }
}

extension Range<Int> {
  /// A range kept in half the room.
  init(_ narrow: Range<Int32>) { self = Int(narrow.lowerBound)..<Int(narrow.upperBound) }
}

extension Range<Int32> {
  /// A range kept in half the room; tables are far smaller than 2 GiB.
  init(_ wide: Range<Int>) { self = Int32(wide.lowerBound)..<Int32(wide.upperBound) }
}

extension TableFile {
  /// Text of a table whose checksum has been verified.
  func text(_ range: Range<Int32>) -> String { String(decoding: bytes[Range<Int>(range)], as: UTF8.self) }
}
