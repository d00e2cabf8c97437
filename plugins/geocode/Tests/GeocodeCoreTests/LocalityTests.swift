import GeocodeCore
import Testing

/// Tests the city that a person would name for a point, and the quarter in that city.
struct LocalityTests {
  /// A row of `Goldens/localities.tsv`: a point, its correct names and, if the geocoder is known to be wrong, the name
  /// that it returns.
  struct Golden {
    var isLandmark: Bool
    var latitude: Double
    var longitude: Double
    var spot: String
    var right: [String]
    var miss: String
    var reason: String
  }

  static func goldens() throws -> [Golden] {
    try GoldenNameTests.rows("localities.tsv").map { row in
      Golden(
        isLandmark: row[0] == "landmark", latitude: try #require(Double(row[1])),
        longitude: try #require(Double(row[2])),
        spot: row[3], right: row[4].split(separator: "|").map(String.init), miss: row[5], reason: row[6])
    }
  }

  @Test func `finds the correct city for at least 45 of 50 landmarks`() throws {
    let landmarks = try Self.goldens().filter(\.isLandmark)
    #expect(landmarks.count == 50)
    let right = try landmarks.filter { golden in
      try Shared.place(golden.latitude, golden.longitude)?.locality.map(golden.right.contains) == true
    }
    #expect(right.count >= 45)
  }

  @Test func `finds the expected city for every listed point, with at most 10 % known mistakes`() throws {
    let goldens = try Self.goldens()
    #expect(goldens.count >= 200)
    for golden in goldens {
      let name = try #require(try Shared.place(golden.latitude, golden.longitude)?.locality)
      let expected = golden.miss.isEmpty ? golden.right : [golden.miss]
      #expect(expected.contains(name), "\(golden.latitude), \(golden.longitude) \(golden.spot): \(name)")
      #expect(golden.miss.isEmpty == golden.reason.isEmpty)
    }
    #expect(goldens.count { !$0.miss.isEmpty } * 10 <= goldens.count)
  }

  @Test(arguments: [
    (34.1016, -118.3267, "Los Angeles", "Hollywood"), (35.6586, 139.7454, "Tokyo", "Shibakōen"),
    (37.7946, -122.3999, "San Francisco", "Chinatown"), (40.7580, -73.9855, "New York City", "Times Square"),
    (41.4036, 2.1744, "Barcelona", "Sagrada Família"), (22.2988, 114.1722, "Hong Kong", "Tsim Sha Tsui"),
  ])
  func `distinguishes a quarter from its city`(
    _ latitude: Double, _ longitude: Double, locality: String, subLocality: String
  ) throws {
    let place = try #require(try Shared.place(latitude, longitude))
    #expect(place.locality == locality)
    #expect(place.subLocality == subLocality)
    #expect(place.city == subLocality)
  }

  @Test func `returns no quarter for a landmark that is not near a quarter of its city`() throws {
    let gateway = try #require(try Shared.place(18.9220, 72.8347))
    #expect(gateway.locality == "Mumbai")
    #expect(gateway.localityChinese == "孟买")
    #expect(gateway.subLocality == nil)
  }

  @Test func `returns only cities of at least the minimum population`() throws {
    let options = ReverseGeocoder.Options(minimumPopulation: 15_000)
    #expect(try Shared.place(35.6586, 139.7454, options: options)?.locality == "Tokyo")
    #expect(try Shared.place(47.5622, 13.6493)?.locality == "Hallstatt")
    #expect(try Shared.place(47.5622, 13.6493, options: options)?.locality != "Hallstatt")
    #expect(try Shared.place(47.5622, 13.6493, options: .init(level: .province))?.locality == nil)
  }

  @Test func `finds the locality and the time zone of a search result`() throws {
    let shinjuku = try #require(try Shared.forward.search("Shinjuku", options: .init(limit: 1)).first)
    let place = Shared.tables.place(for: shinjuku.record)
    #expect(place.locality == "Tokyo")
    #expect(place.subLocality == "Shinjuku")
    #expect(place.timeZone == "Asia/Tokyo")
    let hallstatt = try #require(try Shared.forward.search("Hallstatt", options: .init(limit: 1)).first)
    #expect(Shared.tables.place(for: hallstatt.record).locality == "Hallstatt")
  }

  @Test(arguments: [
    ("New York", 40.7580, -73.9855, "America/New_York"),
    ("Indianapolis", 39.7684, -86.1581, "America/Indiana/Indianapolis"),
    ("Phoenix", 33.4484, -112.0740, "America/Phoenix"), ("Honolulu", 21.3069, -157.8583, "Pacific/Honolulu"),
    ("London", 51.5007, -0.1246, "Europe/London"), ("Kathmandu", 27.7172, 85.3240, "Asia/Kathmandu"),
    ("Ürümqi", 43.8256, 87.6168, "Asia/Urumqi"), ("Beijing", 39.9087, 116.3975, "Asia/Shanghai"),
    ("Adelaide", -34.9285, 138.6007, "Australia/Adelaide"), ("Lord Howe", -31.5500, 159.0800, "Australia/Lord_Howe"),
    ("Canary Islands", 28.1235, -15.4363, "Atlantic/Canary"), ("Azores", 37.7412, -25.6756, "Atlantic/Azores"),
    ("Vladivostok", 43.1155, 131.8855, "Asia/Vladivostok"), ("Kaliningrad", 54.7104, 20.4522, "Europe/Kaliningrad"),
    ("St. John's", 47.5615, -52.7126, "America/St_Johns"), ("Manaus", -3.1190, -60.0217, "America/Manaus"),
    ("Tijuana", 32.5149, -117.0382, "America/Tijuana"), ("San Diego", 32.7157, -117.1611, "America/Los_Angeles"),
    ("Baarle-Hertog", 51.4380, 4.9310, "Europe/Brussels"), ("Big Diomede", 65.7810, -169.0570, "Asia/Anadyr"),
  ])
  func `returns a point's time zone`(_ name: String, _ latitude: Double, _ longitude: Double, zone: String) throws {
    #expect(try Shared.place(latitude, longitude)?.timeZone == zone)
    #expect(try Shared.place(latitude, longitude, options: .init(level: .country))?.timeZone == zone)
  }
}
