import GeocodeCore
import Testing

/// Tests countries under their common, official and former names.
struct CountryNameTests {
  private func best(_ query: String) throws -> (place: NamedPlace, closeness: ForwardGeocoder.Closeness) {
    let match = try #require(try Shared.forward.search(query).first)
    return (Shared.tables.place(for: match.record), match.closeness)
  }

  @Test(arguments: [
    ("Netherlands", "NL"), ("The Netherlands", "NL"), ("the netherlands", "NL"), ("Holland", "NL"), ("UK", "GB"),
    ("U.K.", "GB"), ("Great Britain", "GB"), ("UAE", "AE"), ("Burma", "MM"), ("Myanmar", "MM"),
    ("Myanmar (Burma)", "MM"),
    ("Czech Republic", "CZ"), ("Czechia", "CZ"), ("the Czech Republic", "CZ"), ("East Timor", "TL"),
    ("Timor-Leste", "TL"), ("The Bahamas", "BS"), ("The Gambia", "GM"), ("the Philippines", "PH"), ("Korea", "KR"),
    ("South Korea", "KR"), ("Korea, Republic of", "KR"), ("North Korea", "KP"), ("Congo", "CD"), ("DR Congo", "CD"),
    ("Republic of the Congo", "CG"), ("Congo - Brazzaville", "CG"), ("St. Lucia", "LC"), ("Saint Lucia", "LC"),
    ("Trinidad & Tobago", "TT"), ("Trinidad and Tobago", "TT"), ("Bosnia & Herzegovina", "BA"), ("Vatican City", "VA"),
    ("Palestinian Territories", "PS"), ("Viet Nam", "VN"), ("Russian Federation", "RU"), ("Cote d'Ivoire", "CI"),
    ("Ivory Coast", "CI"), ("Turkey", "TR"), ("Türkiye", "TR"), ("Swaziland", "SZ"), ("Cape Verde", "CV"),
    ("Iran, Islamic Republic of", "IR"), ("Lao People's Democratic Republic", "LA"), ("America", "US"),
    ("The United States of America", "US"), ("英国", "GB"), ("阿联酋", "AE"), ("南韩", "KR"), ("象牙海岸", "CI"),
  ])
  func `finds a country by its common names, before places with similar names`(
    _ query: String, _ code: String
  ) throws {
    let found = try best(query)
    #expect(found.place.countryCode == code && found.place.city == nil && found.place.admin1 == nil)
    #expect(found.closeness == .exact)
  }

  @Test(arguments: [
    ("Federal Republic of Germany", "DE"), ("Kingdom of Belgium", "BE"), ("the Kingdom of Norway", "NO"),
    ("Republic of the Gambia", "GM"), ("Commonwealth of the Bahamas", "BS"), ("Grand Duchy of Luxembourg", "LU"),
    ("Democratic Socialist Republic of Sri Lanka", "LK"), ("Hashemite Kingdom of Jordan", "JO"),
    ("Republic of Côte d'Ivoire", "CI"), ("Islamic Republic of Mauritania", "MR"), ("French Republic", "FR"),
    ("Hellenic Republic", "GR"), ("Swiss Confederation", "CH"), ("State of Qatar", "QA"), ("Republic of Ireland", "IE"),
    ("Republic of China", "TW"), ("People's Republic of China", "CN"), ("Republic of Congo", "CG"),
    ("Republic of the Niger", "NE"), ("Federal Republic of Nigeria", "NG"), ("Lao PDR", "LA"), ("KSA", "SA"),
    ("Bharat", "IN"), ("Byelorussia", "BY"), ("La Réunion", "RE"), ("意大利共和国", "IT"), ("德意志联邦共和国", "DE"),
    ("比利时王国", "BE"), ("俄罗斯联邦", "RU"), ("印尼", "ID"), ("寮国", "LA"), ("義大利", "IT"), ("沙烏地阿拉伯", "SA"),
    ("中国大陆", "CN"), ("留尼旺", "RE"), ("汶萊", "BN"), ("北朝鮮", "KP"), ("Bahamas (the)", "BS"), ("Gambia, The", "GM"),
    ("Korea (the Republic of)", "KR"), ("Korea (the Democratic People's Republic of)", "KP"), ("Congo (the)", "CD"),
    ("Tanzania, the United Republic of", "TZ"), ("Moldova (the Republic of)", "MD"), ("Netherlands (the)", "NL"),
    ("Netherlands, Kingdom of the", "NL"), ("Falkland Islands (the) [Malvinas]", "FK"), ("Holy See (the)", "VA"),
    ("United Kingdom of Great Britain and Northern Ireland (the)", "GB"), ("Niger (the)", "NE"),
    ("United States Minor Outlying Islands (the)", "UM"), ("Norway, Kingdom of", "NO"),
  ])
  func `finds a country by its official, former and regional names`(_ query: String, _ code: String) throws {
    let found = try best(query)
    #expect(found.place.countryCode == code && found.place.city == nil && found.place.admin1 == nil)
  }

  @Test func `does not find the country Georgia by the name of the US state`() throws {
    let found = (try? Shared.forward.search("State of Georgia")) ?? []
    #expect(!found.contains { Shared.tables.place(for: $0.record).countryCode == "GE" })
  }

  @Test(
    arguments: [
      ("Amsterdam, Netherlands", "NL", "Amsterdam"), ("London, UK", "GB", "London"), ("Dubai, UAE", "AE", "Dubai"),
      ("Prague, Czech Republic", "CZ", "Prague"), ("Hong Kong, China", "HK", nil),
      ("Washington, D.C.", "US", "Washington"),
      ("Washington, DC", "US", "Washington"), ("Nassau, The Bahamas", "BS", "Nassau"), ("The Hague", "NL", "The Hague"),
      ("Hague, The", "NL", "The Hague"), ("Nassau, Bahamas (the)", "BS", "Nassau"), ("Bath, England", "GB", "Bath"),
    ] as [(String, String, String?)])
  func `finds a city by its name and a common country name`(_ query: String, _ code: String, _ city: String?) throws {
    let found = try best(query)
    #expect(found.place.countryCode == code)
    if let city { #expect(found.place.city == city) }
  }

  @Test func `finds both countries named Congo, and both Koreas`() throws {
    for (query, codes) in [("Congo", ["CD", "CG"]), ("Korea", ["KR", "KP"])] {
      let countries = try Shared.forward.search(query).filter { $0.closeness == .exact }
      #expect(countries.prefix(2).map { Shared.tables.place(for: $0.record).countryCode } == codes)
    }
  }
}
