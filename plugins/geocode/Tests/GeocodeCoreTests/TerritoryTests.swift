import GeocodeCore
import Testing

/// Tests that a territory is distinguished from its sovereign state, and an island from the nearest mainland (L12).
struct TerritoryTests {
  /// A point in a territory that has its own country code.
  struct Territory: CustomTestStringConvertible {
    var name: String
    var latitude: Double
    var longitude: Double
    var code: String
    var testDescription: String { name }

    init(_ name: String, _ latitude: Double, _ longitude: Double, _ code: String) {
      (self.name, self.latitude, self.longitude, self.code) = (name, latitude, longitude, code)
    }
  }

  static let territories: [Territory] = [
    Territory("French Guiana, inland", 3.0, -53.2, "GF"), Territory("French Guiana, Cayenne", 4.92, -52.31, "GF"),
    Territory("Guadeloupe", 16.1, -61.6, "GP"), Territory("Martinique", 14.65, -61.0, "MQ"),
    Territory("Mayotte", -12.8, 45.15, "YT"), Territory("Réunion, inland", -21.1, 55.5, "RE"),
    Territory("Kerguelen", -49.3, 69.5, "TF"), Territory("New Caledonia", -21.3, 165.4, "NC"),
    Territory("Svalbard, inland", 78.5, 17.0, "SJ"), Territory("Nordaustlandet", 79.8, 22.5, "SJ"),
    Territory("Jan Mayen", 71.0, -8.4, "SJ"), Territory("Åland", 60.2, 20.0, "AX"),
    Territory("Greenland ice", 72.0, -40.0, "GL"), Territory("Faroes", 62.1, -7.0, "FO"),
    Territory("Puerto Rico", 18.2, -66.4, "PR"), Territory("Guam", 13.45, 144.78, "GU"),
    Territory("Falklands", -51.8, -59.5, "FK"), Territory("South Georgia", -54.4, -36.8, "GS"),
    Territory("Heard Island", -53.1, 73.5, "HM"), Territory("Christmas Island", -10.49, 105.62, "CX"),
    Territory("Saba", 17.63, -63.24, "BQ"), Territory("Bonaire", 12.2, -68.3, "BQ"),
    Territory("Aruba", 12.52, -69.98, "AW"), Territory("Western Sahara", 24.5, -14.0, "EH"),
    Territory("Smara", 26.738, -11.672, "EH"),
  ]

  /// Territories are separate countries in the results (L12).
  @Test(arguments: territories) func `a territory has its own code and no province of its sovereign`(_ given: Territory)
    throws
  {
    let place = try #require(try Shared.place(given.latitude, given.longitude))
    #expect(place.countryCode == given.code)
    if let region = place.admin1Code { #expect(region.hasPrefix(given.code + "."), "\(region)") }
    if place.city != nil { #expect(place.coordinate != nil) }
  }

  /// The province is that of the country's nearest place, if this is near enough (L12).
  @Test func `reports no province if the country's nearest place is too distant`() throws {
    // Franz Josef Land, the Antarctic ice sheet and Clipperton have no places nearby.
    #expect(try Shared.place(10.30, -109.22)?.admin1 == nil)
    let ice = try #require(try Shared.place(-83, 60))
    #expect(ice.countryCode == "AQ" && ice.admin1 == nil)
  }

  /// Small settlements must be found even on remote islands (L42).
  @Test(arguments: [
    (51.88, -176.65, "Adak"), (57.126, -170.28, "Saint Paul"), (-77.846, 166.668, "McMurdo Station"),
    (16.834, 112.339, "Sansha"), (-25.066, -130.1, "Adamstown"), (-37.067, -12.311, "Edinburgh of the Seven Seas"),
    (82.5, -62.35, "Alert"), (-49.35, 70.22, "Port-aux-Français"), (78.925, 11.93, "Ny-Ålesund"),
  ])
  func `names remote islands after their settlement or station`(_ latitude: Double, _ longitude: Double, _ name: String)
    throws
  {
    #expect(try Shared.place(latitude, longitude)?.city == name)
  }

  /// The divisions follow cpca and GeoNames, even if a place of another division is nearer (L42).
  @Test func `reports Woody Island as part of Sansha`() throws {
    let place = try #require(try Shared.place(16.834, 112.339))
    #expect(place.countryCode == "CN")
    #expect(place.admin1Chinese == "海南省")
    #expect(place.cityChinese == "三沙")
    #expect(place.divisionsChinese.contains("三沙市"))
  }

  /// With the distance, an app can decide whether the result is useful (L42).
  @Test func `returns a place and its distance if the country is that of the nearest place`() throws {
    var state: UInt64 = 7
    var found = 0
    while found < 200 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let row = Int(state >> 33) % Shared.tables.placeCount
      let base = Shared.tables.coordinate(ofPlace: row)
      let offset = Double(state >> 11 & 0xFFFF) / 65_536 - 0.5
      let here = try Coordinate(latitude: max(-90, min(90, base.latitude + offset)), longitude: base.longitude)
      guard let match = Shared.reverse.match(here), match.method == .nearest else { continue }
      found += 1
      #expect(match.place != nil && match.distanceKilometers != nil, "seed 7: \(here)")
    }
  }

  /// The confidence was measured by distance to the nearest border (L12).
  @Test func `reports more confidence far from a border than near one`() throws {
    let far = try #require(Shared.reverse.match(try Coordinate(latitude: 47.0, longitude: 2.5)))
    let near = try #require(Shared.reverse.match(try Coordinate(latitude: 47.59, longitude: 7.59)))
    #expect(far.confidence > 0.99)
    #expect(near.confidence < 0.9)
  }
}
