import GeocodeCore
import Testing

struct ForwardGeocoderTests {
  func best(_ query: String, _ options: ForwardGeocoder.Options = .init()) throws -> NamedPlace {
    let matches = try Shared.forward.search(query, options: options)
    return Shared.tables.place(for: try #require(matches.first).record)
  }

  @Test(arguments: [
    "Shenzhen", "shenzhen", "SHENZHEN", "深圳", "深圳市", "Sendzenas", " Shen-zhen ",
  ])
  func `finds Shenzhen in any spelling`(_ query: String) throws {
    let place = try best(query)
    #expect(place.city == "Shenzhen")
    #expect(place.cityChinese == "深圳")
    #expect(place.admin1Chinese == "广东省")
  }

  @Test(arguments: [
    ("São Paulo", "São Paulo"), ("sao paulo", "São Paulo"), ("SAO-PAULO", "São Paulo"), ("Zürich", "Zürich"),
    ("zurich", "Zürich"), ("Xi'an", "Xi’an"), ("xian", "Xi’an"), ("Łódź", "Łódź"), ("lodz", "Łódź"),
    ("Peking", "Beijing"), ("Moskva", "Moscow"), ("巴黎", "Paris"), ("東京", "Tokyo"), ("东京", "Tokyo"),
    ("纽约", "New York City"), ("Reykjavík", "Reykjavík"), ("reykjavik", "Reykjavík"),
  ])
  func `finds cities with and without diacritics, in other spellings and in Chinese`(_ query: String, _ city: String)
    throws
  {
    #expect(try best(query).city == city)
  }

  @Test(arguments: [
    ("广东", "广东省"), ("广东省", "广东省"), ("内蒙古", "内蒙古自治区"), ("内蒙古自治区", "内蒙古自治区"), ("新疆", "新疆维吾尔自治区"),
    ("Guangdong", "广东省"), ("Sichuan", "四川省"),
  ])
  func `finds Chinese provinces with and without their suffix`(_ query: String, _ province: String) throws {
    let place = try best(query)
    #expect(place.admin1Chinese == province)
    #expect(place.city == nil)
    #expect(place.coordinate != nil)
  }

  @Test(arguments: [("南山区", "南山区"), ("忠县", "忠县"), ("广东省深圳市南山区", "南山区"), ("中国广东深圳", "深圳市"), ("南山区，深圳市", "南山区")])
  func `finds districts and counties, alone or with their province and city`(_ query: String, _ last: String) throws {
    let matches = try Shared.forward.search(query)
    let places = matches.map { Shared.tables.place(for: $0.record) }
    #expect(places.contains { $0.divisionsChinese.contains(last) })
  }

  @Test(arguments: [
    ("France", "FR"), ("法国", "FR"), ("中国", "CN"), ("JP", "JP"), ("USA", "US"), ("香港", "HK"), ("Singapore", "SG"),
  ])
  func `finds countries by name or code`(_ query: String, _ code: String) throws {
    #expect(try best(query).countryCode == code)
  }

  @Test func `lists all places with an ambiguous name, the largest first`() throws {
    let matches = try Shared.forward.search("Springfield", options: .init(limit: 100))
    let exact = matches.filter { $0.closeness == .exact }
    #expect(exact.count >= 10)
    #expect(exact.map(\.importance) == exact.map(\.importance).sorted(by: >))
    let paris = try Shared.forward.search("Paris", options: .init(limit: 100)).filter { $0.closeness == .exact }
    #expect(paris.count >= 5)
    #expect(try best("Paris").countryCode == "FR")
  }

  @Test(arguments: [
    ("Paris, Texas", "US.TX"), ("Paris, US", nil), ("Springfield, Illinois", "US.IL"), ("Springfield, IL", "US.IL"),
    ("London, Ontario", "CA.08"), ("London, Canada", "CA.08"), ("Birmingham, Alabama, United States", "US.AL"),
    // These texts are also the beginning of names, such as San José Carpinteros.
    ("San Jose, CA", "US.CA"), ("San Francisco, CA", "US.CA"), ("Santa Cruz, CA", "US.CA"), ("Kingston, CA", "CA.08"),
    ("Vancouver, BC", "CA.02"), ("Vancouver, WA", "US.WA"), ("Perth, WA", "AU.08"), ("Sydney, NSW", "AU.02"),
    ("Melbourne, VIC, Australia", "AU.07"), ("Yellowknife, NT", "CA.13"), ("Darwin, NT", "AU.03"),
    ("Montreal, Q.C.", "CA.10"),
  ])
  func `finds the place in the region or country that the query names`(_ query: String, _ region: String?) throws {
    let place = try best(query)
    if let region { #expect(place.admin1Code == region) } else { #expect(place.countryCode == "US") }
  }

  @Test func `prefers places near a coordinate, and returns only places in the requested country`() throws {
    let near = try Coordinate(latitude: 39.8, longitude: -89.6)
    #expect(try best("Springfield", .init(near: near)).admin1Code == "US.IL")
    let canada = try #require(Shared.tables.countryNumber(ofCode: "CA"))
    #expect(try best("London", .init(country: canada)).countryCode == "CA")
  }

  @Test func `ranks exact names before folded ones, and both before prefixes`() throws {
    let matches = try Shared.forward.search("Lima", options: .init(limit: 100))
    #expect(matches.map(\.closeness) == matches.map(\.closeness).sorted())
    #expect(matches.first?.closeness == .exact)
    #expect(matches.last?.closeness == .prefix)
  }

  @Test func `reports the part of a query that was found and the part that was not`() throws {
    let error = #expect(throws: ForwardGeocoder.Failure.self) { try Shared.forward.search("Xyzzyville, France") }
    guard case .partialResult(let found, let missing)? = error else { throw try #require(error) }
    #expect(Shared.tables.place(for: found).countryCode == "FR")
    #expect(missing == "Xyzzyville")
  }

  @Test(arguments: ["Xyzzyville", "不存在的地方名字", "Nowhere Land, Neverland"])
  func `finds nothing for an unknown name`(_ query: String) {
    #expect(throws: ForwardGeocoder.Failure.noResult) { try Shared.forward.search(query) }
  }

  @Test(arguments: ["", "   ", "…,!", String(repeating: "a", count: 201)])
  func `refuses a query that contains no name or is too long`(_ query: String) {
    #expect(throws: ForwardGeocoder.Failure.unusableQuery) { try Shared.forward.search(query) }
  }

  @Test func `accepts a query of the maximum length`() {
    #expect(throws: ForwardGeocoder.Failure.noResult) {
      try Shared.forward.search(String(repeating: "q", count: ForwardGeocoder.longestQuery))
    }
  }

  /// A script sorts the index. This test checks that the script and the geocoder fold names in the same way.
  @Test func `finds every seventh place by its own name`() throws {
    for row in stride(from: 0, to: Shared.tables.placeCount, by: 7) {
      let place = Shared.tables.place(for: .place(row))
      for name in [place.city, place.cityChinese].compactMap({ $0 }) {
        let matches = try Shared.forward.search(name, options: .init(near: place.coordinate, limit: 100))
        #expect(matches.contains { $0.record == .place(row) }, "\(name), row \(row)")
      }
    }
  }
}
