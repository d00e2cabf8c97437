import GeocodeCore

/// The geocoder's tables, which are loaded once for all tests.
enum Shared {
  static let folder: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    return parts.joined(separator: "/") + "/Sources/GeocodePlugin/Tables"
  }()
  static let tables: GeocodeTables = {
    do { return try GeocodeTables(folder: folder) } catch { fatalError("\(error)") }
  }()
  static let reverse = ReverseGeocoder(tables)
  static let forward = ForwardGeocoder(tables)

  /// Returns the names of the place at a coordinate, or nil if nothing is found.
  static func place(
    _ latitude: Double, _ longitude: Double, options: ReverseGeocoder.Options = .init()
  ) throws -> NamedPlace? {
    let coordinate = try Coordinate(latitude: latitude, longitude: longitude)
    return reverse.match(coordinate, options: options).map { tables.place(for: $0, at: coordinate) }
  }
}
