extension ForwardGeocoder {
  /// Returns the countries with this alias, and those with this name apart from an article or a form of state.
  func countries(calledBy key: FoldedName) -> [GeocodeRecord] {
    let text = String(decoding: (0..<key.count).lazy.map { key[$0] }, as: UTF8.self)
    var found = records(CountryAliases.codes(of: text))
    let hasArticle = text.hasPrefix("the") && text.utf8.count > 5
    let bare = hasArticle ? String(text.dropFirst(3)) : text
    if hasArticle { found += countries(named: bare) }
    if found.isEmpty, let rest = CountryAliases.withoutForm(bare), countries(named: bare).isEmpty {
      found = countries(named: rest)
    }
    return found
  }

  /// Returns the countries with this folded name in the tables or among the aliases.
  private func countries(named text: String) -> [GeocodeRecord] {
    var found = records(CountryAliases.codes(of: text))
    let bytes = Array(text.utf8)
    FoldedName.withTwo { name, _ in
      for country in 0..<tables.countries.count {
        let isNamed = (0..<CountryTable.nameCount).contains { field in
          tables.folding.fold(tables.countries.searchable(country, field: field), into: &name)
          return name.count == bytes.count && bytes.indices.allSatisfy { name[$0] == bytes[$0] }
        }
        if isNamed { found.append(.country(country)) }
      }
    }
    return found
  }

  private func records(_ codes: [String]) -> [GeocodeRecord] {
    codes.compactMap { tables.countries.number(ofCode: $0).map { .country(Int($0)) } }
  }

  /// True if `country` has its own code but is a region of `other`, so that a query may name both.
  func isCountry(_ country: Int, partOf other: Int) -> Bool {
    guard tables.countries.text(other, .code) == "CN" else { return false }
    return ["HK", "MO"].contains(tables.countries.text(country, .code))
  }
}
