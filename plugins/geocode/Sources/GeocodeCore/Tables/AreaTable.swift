/// The areas to which places belong. An area is a pair of a first-level division and a time zone. The names of time
/// zones are from `zones.tsv`; all else is from the index.
struct AreaTable: Sendable {
  /// The first-level division of each area.
  let regions: MappedArray<RegionTable.Number>
  /// The country of each area.
  let countries: MappedArray<CountryBorders.CountryNumber>
  private let zones: MappedArray<UInt16>
  private let names: TextTable

  init(_ file: TableFile, _ index: TableIndex) throws(TableError) {
    names = try TextTable(file, index, rows: .zoneRows, columns: ["zone"])
    regions = try index.array(.areaRegions, of: UInt16.self)
    countries = try index.array(.areaCountries, of: UInt8.self, count: regions.count)
    zones = try index.array(.areaZones, of: UInt16.self, count: regions.count)
  }

  @inline(__always)
  func zone(_ area: UInt16) -> Int { Int(zones[Int(area)]) }

  /// Returns the IANA identifier of a time zone, such as `Asia/Tokyo`.
  func zoneName(_ zone: Int) -> String { names.text(zone, field: 0) }
}
