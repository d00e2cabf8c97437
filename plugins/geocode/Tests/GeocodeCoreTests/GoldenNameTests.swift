import GeocodeCore
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Tests Chinese names against lists that were checked by a person (L12): all capitals, all cities with a million
/// inhabitants, and the provinces of China, Japan, Korea and Taiwan.
struct GoldenNameTests {
  /// Returns the rows of a list in `Tests/Goldens`, without its header.
  static func rows(_ name: String) throws -> [[String]] {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/Goldens/\(name)")), as: UTF8.self)
    return text.split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  @Test func `finds the expected Chinese names of capitals and of cities with a million inhabitants`() throws {
    let rows = try Self.rows("cities.tsv")
    #expect(rows.count >= 500)
    for row in rows {
      let (latitude, longitude) = (try #require(Double(row[0])), try #require(Double(row[1])))
      let found = try Shared.forward.search(
        row[3], options: .init(near: Coordinate(latitude: latitude, longitude: longitude)))
      let place = found.lazy.map { Shared.tables.place(for: $0.record) }.first {
        $0.city == row[3] && $0.countryCode == row[2]
      }
      #expect(place?.cityChinese == row[4], "\(row)")
    }
  }

  @Test func `finds capitals and cities with a million inhabitants by their Chinese names`() throws {
    for row in try Self.rows("cities.tsv") {
      let found = try Shared.forward.search(row[4], options: .init(limit: 100))
      #expect(found.contains { Shared.tables.place(for: $0.record).city == row[3] }, "\(row)")
    }
  }

  @Test func `finds the expected Chinese name of every province of China, Japan, Korea and Taiwan`() throws {
    let rows = try Self.rows("provinces.tsv")
    #expect(rows.count >= 99)
    for row in rows {
      let found = try Shared.forward.search(row[2], options: .init(limit: 100))
      let province = found.lazy.map { Shared.tables.place(for: $0.record) }.first {
        $0.admin1Code == row[0] && $0.city == nil
      }
      #expect(province?.admin1 == row[1], "\(row)")
      #expect(province?.admin1Chinese == row[2], "\(row)")
    }
  }

  /// A name may contain no character that has a simplified form. It may end with 市 only if it has two characters or is
  /// one of the listed exceptions.
  @Test func `uses only simplified characters in Chinese names, without the suffix for a city`() throws {
    let whole: Set<String> = ["胡志明市", "斯里巴加湾市", "乔治市"]
    // Examples of traditional characters that earlier versions of the names contained.
    let traditional = Set("東區縣鎮鄉灣廣島國門馬龍頭華蘇羅維爾蘭達魯聖薩賓諾倫頓澤濱橋莊陽陰烏齊穀葉楊黃齋")
    for row in 0..<Shared.tables.placeCount {
      guard let name = Shared.tables.place(for: .place(row)).cityChinese else { continue }
      #expect(traditional.isDisjoint(with: name), "\(name)")
      #expect(!name.hasSuffix("市") || name.count == 2 || whole.contains(name), "\(name)")
    }
  }

  @Test(arguments: [
    // GeoNames lists the former name (库伦) as an alternate name, while CLDR has the current one.
    ("Ulan Bator", "MN", "乌兰巴托"),
    // GeoNames has a Chinese name only for the divisions around these places.
    ("Laixi", "CN", "莱西"), ("Laiyang", "CN", "莱阳"), ("Jiaozhou", "CN", "胶州"), ("Ezhou", "CN", "鄂州"),
    ("Diomede", "US", "代奥米德"), ("Panama City", "PA", "巴拿马城"), ("Andorra la Vella", "AD", "安道尔城"),
    ("Tseung Kwan O", "HK", "将军澳"), ("Mei Foo Sun Chuen", "HK", "美孚新邨"),
  ])
  func `uses the current Chinese names of places`(_ name: String, _ country: String, _ chinese: String) throws {
    let found = try Shared.forward.search(name, options: .init(limit: 100))
    let place = found.lazy.map { Shared.tables.place(for: $0.record) }.first {
      $0.city == name && $0.countryCode == country
    }
    #expect(place?.cityChinese == chinese)
  }

  @Test func `has a Chinese name for every place of at least 5,000 inhabitants in Hong Kong, Macau and Taiwan`() {
    for row in 0..<Shared.tables.placeCount {
      guard Shared.tables.population(ofPlace: row) >= 5_000 else { continue }
      let place = Shared.tables.place(for: .place(row))
      guard ["HK", "MO", "TW"].contains(place.countryCode) else { continue }
      #expect(place.cityChinese?.isEmpty == false, "\(place.city ?? "")")
    }
  }
}
