import GeocodeCore
import Testing

/// Tests that a name finds the place that a person most likely means (L12, L42), even if the name has typos, is shared
/// by several places, or is written in simplified or traditional characters.
struct MeaningTests {
  func best(_ query: String) throws -> NamedPlace {
    let matches = try Shared.forward.search(query)
    return Shared.tables.place(for: try #require(matches.first).record)
  }

  @Test(arguments: [
    ("Bogota", "Bogotá"), ("Washington", "Washington"), ("Den Haag", "The Hague"), ("lasa", "Lhasa"),
    ("taibei", "Taipei"), ("Gaoxiong", "Kaohsiung"), ("wulumuqi", "Ürümqi"), ("Munchen", "Munich"),
    ("Pekin", "Beijing"), ("Kiev", "Kyiv"), ("Zurich", "Zürich"), ("Krakow", "Kraków"),
  ])
  func `returns the best-known place first, for any of its names`(_ query: String, _ city: String) throws {
    #expect(try best(query).city == city)
  }

  @Test func `prefers the city of Washington to the state, and Chaoyang in Beijing to Chaoyang in Changchun`() throws {
    let washington = try best("Washington")
    #expect(washington.admin1Code == "US.DC")
    #expect(try best("华盛顿").admin1Code == "US.DC")
    #expect(try best("朝阳区").divisionsChinese.first == "北京市")
    // Hong Kong is also known as Victoria, but the Australian state is expected.
    #expect(try best("Victoria").countryCode == "AU")
  }

  @Test(arguments: [
    ("剑桥", "GB"), ("佛罗伦萨", "IT"), ("基辅", "UA"), ("圣何塞", "US"), ("宿务", "PH"), ("槟城", "MY"), ("加州", "US"),
    ("华盛頓", "US"), ("臺北", "TW"), ("台北", "TW"), ("臺北市", "TW"), ("台湾", "TW"), ("臺灣", "TW"), ("Taiwan", "TW"),
    ("紐約", "US"), ("東京", "JP"), ("横浜", "JP"), ("首爾", "KR"),
  ])
  func `finds the place that Chinese readers expect, in either script`(_ query: String, _ code: String) throws {
    #expect(try best(query).countryCode == code)
  }

  @Test(arguments: [
    ("北榄府", "Samut Prakan"), ("北柳府", "Chachoengsao"), ("尖竹汶府", "Chanthaburi"), ("洛坤府", "Nakhon Si Thammarat"),
    ("亚拉腊", "Ararat"), ("阿拉拉特", "Ararat"),
  ])
  func `finds a province by a common older Chinese name`(_ query: String, _ province: String) throws {
    #expect(try best(query).admin1 == province)
  }

  @Test func `returns no division of China for places in Taiwan`() throws {
    for query in ["台湾", "金门", "台北", "高雄"] {
      let places = try Shared.forward.search(query, options: .init(limit: 100)).map {
        Shared.tables.place(for: $0.record)
      }
      #expect(places.allSatisfy { $0.countryCode != "TW" || $0.divisionsChinese.isEmpty }, "\(query)")
      #expect(!places.contains { $0.divisionsChinese.contains("台湾省") }, "\(query)")
    }
  }

  @Test func `finds the same place in simplified and traditional characters`() throws {
    for (simple, traditional) in [("台湾", "臺灣"), ("广州", "廣州"), ("华盛顿", "華盛頓"), ("旧金山", "舊金山"), ("乌鲁木齐", "烏魯木齊")] {
      let first = try Shared.forward.search(simple)
      #expect(try Shared.forward.search(traditional) == first, "\(simple)")
    }
    #expect(try best("加州").admin1 == "California")
  }

  @Test(arguments: [
    ("Bejing", "Beijing"), ("Pairs", "Paris"), ("Lodnon", "London"), ("Shangai", "Shanghai"), ("Istambul", "Istanbul"),
    ("San Fransisco", "San Francisco"), ("Melborne", "Melbourne"), ("Barcelnoa", "Barcelona"),
    ("Amsterdm", "Amsterdam"),
    ("Pariss, France", "Paris"), ("Helsnki", "Helsinki"), ("Sydny", "Sydney"), ("Rmoe", "Rome"),
  ])
  func `finds a city despite typos`(_ query: String, _ city: String) throws {
    let places = try Shared.forward.search(query).map { Shared.tables.place(for: $0.record) }
    #expect(places.contains { $0.city == city }, "\(places.map(\.city))")
    let closeness = try Shared.forward.search(query, options: .init(limit: 100)).map(\.closeness)
    #expect(closeness == closeness.sorted())
  }

  @Test func `returns no similar names if there is an exact match`() throws {
    for query in ["Paris", "Lima", "Bern"] {
      #expect(try Shared.forward.search(query, options: .init(limit: 100)).allSatisfy { $0.edits == 0 })
    }
  }

  /// One typo is tolerated in names of up to five letters, two in longer names.
  @Test func `finds at least 380 of 400 large places if one letter is changed, omitted, inserted or swapped`() throws {
    var state: UInt64 = 11
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    var asked = 0
    var missed: [String] = []
    while asked < 400 {
      let row = next(Shared.tables.placeCount)
      guard let name = Shared.tables.place(for: .place(row)).city, name.utf8.count >= 5, name.utf8.count <= 20,
        name.utf8.allSatisfy({ $0 < 128 && ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 }),
        let own = try Shared.forward.search(name, options: .init(limit: 100)).first(where: { $0.record == .place(row) }
        ),
        own.importance >= 15_000
      else { continue }
      asked += 1
      var letters = Array(name.lowercased())
      let at = next(letters.count - 1)
      switch next(4) {
      case 0: letters[at] = letters[at] == "x" ? "z" : "x"
      case 1: letters.remove(at: at)
      case 2: letters.insert("q", at: at)
      default: letters.swapAt(at, at + 1)
      }
      let found = (try? Shared.forward.search(String(letters), options: .init(limit: 100))) ?? []
      if !found.contains(where: { $0.record == .place(row) }) { missed.append("\(name) as \(String(letters))") }
    }
    // A misspelled name may be another place's correct name, or resemble too many names.
    #expect(missed.count <= 20, "seed 11: \(missed)")
  }
}
