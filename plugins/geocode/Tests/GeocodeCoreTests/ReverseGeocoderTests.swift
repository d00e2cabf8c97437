import GeocodeCore
import TestSupport
import Testing

/// Tests that the country, province and city of a coordinate are found offline (L12, L42).
struct ReverseGeocoderTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    var name: String
    var latitude: Double
    var longitude: Double
    var country: String?
    var testDescription: String { name }
    init(_ name: String, _ latitude: Double, _ longitude: Double, _ country: String?) {
      (self.name, self.latitude, self.longitude, self.country) = (name, latitude, longitude, country)
    }
  }

  static let goldens: [Golden] = [
    Golden("Hong Kong Central", 22.2819, 114.1583, "HK"), Golden("Hong Kong, Sha Tin", 22.3810, 114.1880, "HK"),
    Golden("Hong Kong airport", 22.3080, 113.9185, "HK"), Golden("Shenzhen, Luohu", 22.5480, 114.1310, "CN"),
    Golden("Macau, Senado Square", 22.1937, 113.5400, "MO"), Golden("Macau, Taipa", 22.1559, 113.5570, "MO"),
    Golden("Macau, Cotai", 22.1408, 113.5631, "MO"), Golden("Zhuhai, Xiangzhou", 22.2710, 113.5670, "CN"),
    Golden("Zhuhai, Gongbei", 22.2230, 113.5500, "CN"),
    Golden("Singapore, Orchard Road", 1.3048, 103.8318, "SG"), Golden("Singapore, Changi", 1.3644, 103.9915, "SG"),
    Golden("Singapore, Woodlands", 1.4360, 103.7860, "SG"), Golden("Johor Bahru", 1.4927, 103.7414, "MY"),
    Golden("Vatican, Saint Peter's Square", 41.9022, 12.4568, "VA"), Golden("Rome, Termini", 41.9010, 12.5018, "IT"),
    Golden("Rome, Trastevere", 41.8890, 12.4700, "IT"), Golden("Monaco, casino", 43.7392, 7.4283, "MC"),
    Golden("Monaco, Rock", 43.7314, 7.4217, "MC"), Golden("Nice", 43.7102, 7.2620, "FR"),
    Golden("Menton", 43.7765, 7.5048, "FR"), Golden("San Marino, city", 43.9360, 12.4460, "SM"),
    Golden("San Marino, Dogana", 43.9800, 12.4900, "SM"), Golden("Rimini", 44.0594, 12.5683, "IT"),
    Golden("Liechtenstein, Vaduz", 47.1410, 9.5209, "LI"), Golden("Andorra la Vella", 42.5063, 1.5218, "AD"),
    Golden("Luxembourg", 49.6116, 6.1319, "LU"), Golden("Audun-le-Tiche", 49.4725, 5.9560, "FR"),
    Golden("Longwy", 49.5194, 5.7606, "FR"), Golden("Müstair", 46.601255, 10.422899, "CH"),
    Golden("Malta, Valletta", 35.8989, 14.5146, "MT"), Golden("Bahrain, Manama", 26.2285, 50.5860, "BH"),
    Golden("Maldives, Malé", 4.1755, 73.5093, "MV"), Golden("Mauritius, Port Louis", -20.1609, 57.5012, "MU"),
    Golden("Gibraltar", 36.1408, -5.3536, "GI"), Golden("Labasa, Fiji, by the antimeridian", -16.8, -179.99, "FJ"),
    Golden("Taveuni, Fiji", -16.85, 179.97, "FJ"), Golden("Uelen, Chukotka", 66.16, -169.81, "RU"),
    Golden("Anadyr", 64.7337, 177.4968, "RU"), Golden("South Pole", -90, 0, "AQ"),
    Golden("South Pole by another meridian", -90, 180, "AQ"), Golden("North Pole", 90, 0, nil),
    Golden("North Pole by another meridian", 90, -180, nil), Golden("Gulf of Guinea, null island", 0, 0, nil),
    Golden("Pacific", -30, -140, nil), Golden("Pacific on the antimeridian", 0.5, 180, nil),
    Golden("the same point from the other side", 0.5, -180, nil), Golden("North Atlantic", 40, -40, nil),
    Golden("Indian Ocean", -30, 80, nil), Golden("Beijing, Tiananmen", 39.9087, 116.3975, "CN"),
    Golden("Sahara", 23.5, 4.5, "DZ"), Golden("Greenland ice", 75, -40, "GL"), Golden("Siberia", 66, 100, "RU"),
    Golden("Maseru, enclosed by South Africa", -29.3167, 27.4833, "LS"),
    Golden("Tijuana", 32.5149, -117.0382, "MX"), Golden("San Diego", 32.7157, -117.1611, "US"),
    Golden("Kinshasa", -4.3317, 15.3139, "CD"), Golden("Brazzaville", -4.2661, 15.2832, "CG"),
    Golden("Taipei", 25.0330, 121.5654, "TW"), Golden("Kinmen", 24.4340, 118.3170, "TW"),
    Golden("Geneva", 46.2044, 6.1432, "CH"), Golden("Basel", 47.5596, 7.5886, "CH"),
    Golden("Dandong", 40.1290, 124.3950, "CN"), Golden("Strasbourg", 48.5734, 7.7521, "FR"),
    Golden("Kehl", 48.5730, 7.8150, "DE"), Golden("Reunion", -20.8823, 55.4504, "RE"),
    Golden("an ice shelf that the outlines leave out", -67.07, 92.19, "AQ"),
    Golden("a cape of the Canadian Arctic", 77.56, -110.31, "CA"),
    Golden("200 km off Antarctica", -63.5, 92.19, nil),
    Golden("Windsor", 42.3149, -83.0364, "CA"), Golden("Detroit", 42.3314, -83.0458, "US"),
    Golden("Hekou", 22.5295, 103.9570, "CN"), Golden("Lào Cai", 22.4856, 103.9707, "VN"),
    Golden("Heihe", 50.2453, 127.4903, "CN"), Golden("Blagoveshchensk", 50.2796, 127.5405, "RU"),
    Golden("Hengqin", 22.1180, 113.5150, "CN"), Golden("Baarle-Hertog", 51.4380, 4.9310, "BE"),
    Golden("Baarle-Nassau", 51.4475, 4.9292, "NL"), Golden("Hyder", 55.9170, -130.0250, "US"),
    Golden("Stewart", 55.9370, -129.9880, "CA"), Golden("Nahwa", 25.2745, 56.2760, "AE"),
    Golden("Madha", 25.2850, 56.3300, "OM"), Golden("Ceuta", 35.8892, -5.3204, "ES"),
    Golden("Melilla", 35.2937, -2.9383, "ES"), Golden("Llívia", 42.4646, 1.9807, "ES"),
    Golden("Campione", 45.9690, 8.9710, "IT"), Golden("Büsingen", 47.6964, 8.6876, "DE"),
    Golden("Point Roberts", 48.9850, -123.0600, "US"), Golden("Adak", 51.8800, -176.6500, "US"),
    Golden("Saint Paul", 57.1260, -170.2800, "US"), Golden("McMurdo Station", -77.8460, 166.6680, "AQ"),
    Golden("Woody Island", 16.8340, 112.3390, "CN"), Golden("Diego Garcia", -7.3130, 72.4110, "IO"),
    Golden("Pitcairn", -25.0700, -130.1000, "PN"), Golden("Midway", 28.2100, -177.3760, "UM"),
    Golden("Diomede", 65.7583, -168.9517, "US"), Golden("Little Diomede, its east", 65.7520, -168.9150, "US"),
    Golden("Big Diomede", 65.7810, -169.0570, "RU"), Golden("Big Diomede, its north", 65.8050, -169.0800, "RU"),
    Golden("Honolulu", 21.3069, -157.8583, "US"), Golden("Azores", 37.7412, -25.6756, "PT"),
  ]

  @Test(arguments: goldens) func `returns the country of border towns, islands and enclaves`(_ golden: Golden) throws {
    #expect(try Shared.place(golden.latitude, golden.longitude)?.countryCode == golden.country)
  }

  @Test(arguments: [
    (22.5431, 114.0579, "深圳", "广东省", "Shenzhen", "Guangdong"), (39.9087, 116.3975, "北京", "北京市", "Beijing", "Beijing"),
    (31.2222, 121.4581, "上海", "上海市", "Shanghai", "Shanghai"), (30.5728, 104.0668, "成都", "四川省", "Chengdu", "Sichuan"),
  ])
  func `returns the names of Chinese cities and provinces in English and Chinese`(
    _ latitude: Double, _ longitude: Double, city: String, province: String, english: String, englishProvince: String
  ) throws {
    let place = try #require(try Shared.place(latitude, longitude, options: .init(minimumPopulation: 1_000_000)))
    #expect(place.cityChinese == city)
    #expect(place.admin1Chinese == province)
    #expect(place.city == english)
    #expect(place.admin1 == englishProvince)
    #expect(place.country == "China")
    #expect(place.countryChinese == "中国")
  }

  @Test(arguments: [
    (25.0143, 121.4672, "板桥", "新北市"), (25.0330, 121.5654, "台北", "台北市"), (25.0815, 121.5881, "内湖", "台北市"),
    (25.1720, 121.4429, "淡水", "新北市"), (22.6163, 120.3133, "高雄", "高雄市"),
  ])
  func `distinguishes Taipei from New Taipei`(_ latitude: Double, _ longitude: Double, city: String, province: String)
    throws
  {
    let place = try #require(try Shared.place(latitude, longitude))
    #expect(place.cityChinese == city)
    #expect(place.admin1Chinese == province)
    #expect(place.countryCode == "TW")
  }

  @Test func `returns the province, prefecture and district of a place in China`() throws {
    let place = try #require(try Shared.place(22.5310, 113.9300))
    #expect(place.divisionsChinese == ["广东省", "深圳市", "南山区"])
    #expect(try Shared.place(48.8566, 2.3522)?.divisionsChinese == [])
  }

  @Test func `measures distances on the sphere, even across the antimeridian`() throws {
    // Measured in degrees, Tubou, which is 190 km away, would be nearest, because it is on the same side of the
    // antimeridian.
    #expect(try Shared.place(-16.8, -179.99)?.city == "Savusavu")
    #expect(try Shared.place(-16.8, 179.99)?.city == "Savusavu")
  }

  @Test func `returns a country but no city for a point far from all cities`() throws {
    let coordinate = try Coordinate(latitude: 75, longitude: -40)
    let match = try #require(Shared.reverse.match(coordinate))
    #expect(match.place == nil)
    #expect(match.distanceKilometers == nil)
    let far = try #require(Shared.reverse.match(coordinate, options: .init(maximumDistanceKilometers: 20_000)))
    #expect(far.place != nil)
    #expect(try #require(far.distanceKilometers) > 100)
  }

  @Test func `returns the country of a point in the sea near an uninhabited coast`() throws {
    // The point is 20 km from Heard Island, which is uninhabited.
    let water = try Coordinate(latitude: -53.35, longitude: 73.5)
    let match = try #require(Shared.reverse.match(water))
    #expect(Shared.tables.countryCode(match.country) == "HM")
    #expect(match.region == nil && match.place == nil && match.distanceKilometers == nil)
    #expect(Shared.reverse.match(water, options: .init(maximumDistanceKilometers: 1)) == nil)
  }

  @Test func `returns only the requested levels of detail`() throws {
    let coordinate = try Coordinate(latitude: 48.8566, longitude: 2.3522)
    let country = try #require(Shared.reverse.match(coordinate, options: .init(level: .country)))
    #expect(country.region == nil && country.place == nil)
    let province = try #require(Shared.reverse.match(coordinate, options: .init(level: .province)))
    #expect(province.region != nil && province.place == nil)
  }

  @Test func `returns only cities of at least the minimum population`() throws {
    let small = try #require(try Shared.place(48.8049, 2.1204))
    let large = try #require(try Shared.place(48.8049, 2.1204, options: .init(minimumPopulation: 1_000_000)))
    #expect(small.city == "Versailles")
    #expect(large.city == "Paris")
  }

  /// Uses random points. The city must be in the point's country.
  @Test func `finds a city at most twice as far away as the country's nearest place`() throws {
    var state: UInt64 = 20_240_601
    func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
    let all = (0..<Shared.tables.placeCount).map(Shared.tables.coordinate(ofPlace:))
    for round in 0..<TestExtent.count(usual: 12, release: 200, long: 200) {
      let base = all[Int(next() * Double(all.count))]
      let coordinate = try Coordinate(
        latitude: max(-90, min(90, base.latitude + next() - 0.5)), longitude: base.longitude + next() - 0.5,
        wrapping: true)
      let options = ReverseGeocoder.Options(maximumDistanceKilometers: 20_000)
      guard let match = Shared.reverse.match(coordinate, options: options), let place = match.place else { continue }
      let found = Shared.tables.distanceKilometers(from: coordinate, toPlace: place)
      let best = all.indices.lazy.filter {
        Shared.tables.countryNumber(ofPlace: $0) == match.country
      }.map { Shared.tables.distanceKilometers(from: coordinate, toPlace: $0) }.min()
      // A city of the same province is preferred if it is at most twice as far away.
      let nearest = try #require(best)
      #expect(found <= nearest * 2 + 0.01, "seed 20240601, round \(round): \(coordinate)")
      #expect(abs(try #require(match.distanceKilometers) - found) < 0.01)
    }
  }
}
