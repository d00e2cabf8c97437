/// A record of the geocoder's tables. The search table numbers the records in the order of these cases.
public enum GeocodeRecord: Sendable, Hashable {
  /// A named place. The value is its row in `places.tsv`.
  case place(Int)
  /// A first-level division. The value is its row in `admin1.tsv`.
  case region(Int)
  /// A country. The value is its row in `countries.tsv`.
  case country(Int)
  /// An administrative division of China. The value is its row in `divisions.tsv`.
  case division(Int)
}

extension GeocodeTables {
  /// Returns the record with a number of the search table.
  @inline(__always)
  func record(_ number: Int) -> GeocodeRecord {
    var number = number
    if number < places.count { return .place(number) }
    number -= places.count
    if number < regions.count { return .region(number) }
    number -= regions.count
    if number < countries.count { return .country(number) }
    return .division(number - countries.count)
  }

  /// Returns the searchable name to which an entry refers. The bytes belong to the mapped tables.
  @inline(__always)
  func searchable(_ entry: SearchTable.NameReference) -> UnsafeRawBufferPointer {
    switch record(entry.record) {
    case .place(let row): places.searchable(row, field: entry.field)
    case .region(let row): regions.searchable(row, field: entry.field)
    case .division(let row): divisions.searchable(row)
    case .country(let row): countries.searchable(row, field: entry.field)
    }
  }

  /// Returns the number of a record's country. A country returns its own number.
  func country(of record: GeocodeRecord) -> CountryBorders.CountryNumber {
    switch record {
    case .place(let row): regions.countries[Int(region(ofPlace: row))]
    case .region(let row): regions.countries[row]
    case .country(let row): CountryBorders.CountryNumber(row)
    case .division: chinaNumber
    }
  }

  /// Returns the region of a record. A region returns its own number. Returns nil for a country, and for a Chinese
  /// division whose province is not in `admin1.tsv`.
  func region(of record: GeocodeRecord) -> RegionTable.Number? {
    switch record {
    case .place(let row): return region(ofPlace: row)
    case .region(let row): return RegionTable.Number(row)
    case .country: return nil
    case .division(let row): return regions.number(ofProvince: UInt8(divisions.code(row) / 10_000))
    }
  }

  /// Returns the position of a record in steps of 0.0001°. A region has the position of its largest place. A country
  /// has that of its capital or, if the tables do not have the capital, of its largest place. Returns nil if a region
  /// or country has no place.
  func position(of record: GeocodeRecord) -> SIMD2<Int32>? {
    switch record {
    case .place(let row): places.position(row)
    case .region(let row): regions.seat(row).map(places.position)
    case .country(let row): countries.seat(row)
    case .division(let row): divisions.position(row)
    }
  }

  /// The number of China, to which all divisions in `divisions.tsv` belong. `none` if the tables lack China.
  var chinaNumber: CountryBorders.CountryNumber { countries.number(ofCode: "CN") ?? CountryBorders.none }
}
