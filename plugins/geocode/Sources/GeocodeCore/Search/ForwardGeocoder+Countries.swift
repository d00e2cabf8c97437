extension ForwardGeocoder {
  /// The countries with this alias, and those whose name differs from the key by an article only.
  func countries(calledBy key: FoldedName) -> [GeocodeRecord] {
    let text = String(decoding: (0..<key.count).lazy.map { key[$0] }, as: UTF8.self)
    var found = records(CountryAliases.codes(of: text))
    guard text.hasPrefix("the"), text.utf8.count > 5 else { return found }
    let bare = String(text.dropFirst(3))
    found += records(CountryAliases.codes(of: bare))
    FoldedName.withTwo { name, _ in
      for country in 0..<tables.countries.count {
        tables.folding.fold(tables.countries.searchable(country, field: 0), into: &name)
        guard name.count == key.count - 3, (0..<name.count).allSatisfy({ name[$0] == key[$0 + 3] }) else { continue }
        found.append(.country(country))
      }
    }
    return found
  }

  private func records(_ codes: [String]) -> [GeocodeRecord] {
    codes.compactMap { tables.countries.number(ofCode: $0).map { .country(Int($0)) } }
  }

  /// True if a country is a region of another one with a code of its own, so that a query may name both.
  func isCountry(_ country: Int, partOf other: Int) -> Bool {
    guard tables.countries.text(other, .code) == "CN" else { return false }
    return ["HK", "MO"].contains(tables.countries.text(country, .code))
  }
}
