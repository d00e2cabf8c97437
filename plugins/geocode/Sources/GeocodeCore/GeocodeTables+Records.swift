/// What the geocoder's tables name: every searchable thing has one number, in this order.
public enum GeocodeRecord: Sendable, Hashable {
  /// A named place, by its row in `places.tsv`.
  case place(Int)
  /// A first-level division, by its row in `admin1.tsv`.
  case region(Int)
  /// A country, by its row in `countries.tsv`.
  case country(Int)
  /// An administrative division of China, by its row in `divisions.tsv`.
  case division(Int)
}

extension GeocodeTables {
  /// The record with a number of the search table.
  @inline(__always)
  func record(_ number: Int) -> GeocodeRecord {
    var number = number
    if number < places.count { return .place(number) }
    number -= places.count
    if number < regions.count { return .region(number) }
    number -= regions.count
    if number < countries.rows.count { return .country(number) }
    return .division(number - countries.rows.count)
  }

  /// One of a record's names, as written.
  func searchable(_ entry: SearchTable.Entry, _ body: (UnsafeRawBufferPointer) -> Void) {
    switch record(entry.record) {
    case .place(let row): body(places.searchable(row, field: entry.field))
    case .region(let row): body(regions.searchable(row, field: entry.field))
    case .division(let row): body(divisions.searchable(row))
    case .country(let row):
      let country = countries.rows[row]
      var name = [country.name, country.chineseName, country.code, country.code3][min(entry.field, 3)]
      name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
  }

  /// The country a record lies in, or is.
  func country(of record: GeocodeRecord) -> CountryBorders.CountryNumber {
    switch record {
    case .place(let row): regions.countries[Int(places.regions[row])]
    case .region(let row): regions.countries[row]
    case .country(let row): CountryBorders.CountryNumber(row)
    case .division: chinaNumber
    }
  }

  /// The region a record lies in, or is; nil for a country, and for a division whose province is no region here.
  func region(of record: GeocodeRecord) -> RegionTable.Number? {
    switch record {
    case .place(let row): return places.regions[row]
    case .region(let row): return RegionTable.Number(row)
    case .country: return nil
    case .division(let row):
      let digits = UInt8(divisions.codes[row] / 10_000)
      return provinceDigits.firstIndex(of: digits).map { RegionTable.Number($0) }
    }
  }

  /// Where a record is: itself, a region's largest city, a country's capital; in steps of 0.0001°.
  func position(of record: GeocodeRecord) -> SIMD2<Int32>? {
    switch record {
    case .place(let row): places.positions[row]
    case .region(let row): seats[row].map { places.positions[Int($0)] }
    case .country(let row): countries.rows[row].seat
    case .division(let row): divisions.positions[row]
    }
  }

  /// The number of China in the country table, whose divisions `divisions.tsv` has.
  var chinaNumber: CountryBorders.CountryNumber { countries.number(ofCode: "CN") ?? CountryBorders.none }
}
