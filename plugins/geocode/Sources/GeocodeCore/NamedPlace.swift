/// A place with its names in English and Chinese. A name is nil if the sources do not have it.
public struct NamedPlace: Sendable, Equatable {
  /// The English name of the city or town.
  public var city: String?
  /// The simplified Chinese name of the city or town.
  public var cityChinese: String?
  /// The city that a person would name. It differs from `city` if that is a part of a larger city or smaller than a
  /// city around it.
  public var locality: String?
  /// The simplified Chinese name of the locality.
  public var localityChinese: String?
  /// The part of the locality, such as a borough or quarter.
  public var subLocality: String?
  /// The simplified Chinese name of the part.
  public var subLocalityChinese: String?
  /// The IANA identifier of the time zone, such as `Asia/Shanghai`.
  public var timeZone: String?
  /// The English name of the first-level division, such as a province, state or canton.
  public var admin1: String?
  /// The simplified Chinese name of the first-level division.
  public var admin1Chinese: String?
  /// GeoNames' code of the first-level division, such as `CN.30`.
  public var admin1Code: String?
  /// The ISO 3166 code of the country, two letters.
  public var countryCode: String
  /// The English name of the country or territory.
  public var country: String
  /// The simplified Chinese name of the country or territory.
  public var countryChinese: String?
  /// The official Chinese names of the province, the prefecture, and the district or county, down to the division that
  /// was found. Empty outside of China, if the result has neither a city nor a Chinese division, and if the position is
  /// unknown.
  public var divisionsChinese: [String]
  /// The position of the city. A search for a first-level division or country returns the position of its main city,
  /// and a search for a Chinese division that of its seat. Nil if there is no city.
  public var coordinate: Coordinate?

  /// Creates a place that has only a country.
  public init(countryCode: String, country: String) {
    self.countryCode = countryCode
    self.country = country
    divisionsChinese = []
  }
}

extension GeocodeTables {
  /// Returns the names of the result of a reverse lookup.
  ///
  /// - Parameters:
  ///   - match: the result of the lookup.
  ///   - coordinate: the position that was looked up. In China, it determines the district: of the province's
  ///     districts, the one whose seat is nearest. Without a coordinate, the result has no district.
  public func place(for match: ReverseGeocoder.Match, at coordinate: Coordinate? = nil) -> NamedPlace {
    var place = place(country: match.country, region: match.region)
    if let row = match.place {
      place.city = places.name(row).nilIfEmpty
      place.cityChinese = places.chineseName(row).nilIfEmpty
      place.coordinate = self.coordinate(places.position(row))
    }
    if let locality = match.locality { name(&place, locality: locality, part: match.subLocality) }
    place.timeZone = match.timeZone.map(areas.zoneName)
    if let coordinate, match.place != nil, let region = match.region, regions.provinceDigits[region] != 0 {
      place.divisionsChinese = districtPath(at: coordinate, province: regions.provinceDigits[region])
    }
    return place
  }

  /// Returns the names and the position of a record found by a search.
  public func place(for record: GeocodeRecord) -> NamedPlace {
    var place = place(country: Int(country(of: record)), region: region(of: record).map(Int.init))
    place.coordinate = position(of: record).map(coordinate)
    place.timeZone = place.coordinate.flatMap { timeZone(at: $0, country: country(of: record)) }
    switch record {
    case .place(let row):
      place.city = places.name(row).nilIfEmpty
      place.cityChinese = places.chineseName(row).nilIfEmpty
      let whole = cities.city(ofPlace: row).flatMap { $0.isPart ? $0.place : nil }
      name(&place, locality: whole ?? row, part: whole == nil ? nil : row)
      if let here = place.coordinate, let region = region(of: record), regions.provinceDigits[Int(region)] != 0 {
        place.divisionsChinese = districtPath(at: here, province: regions.provinceDigits[Int(region)])
      }
    case .division(let row):
      place.divisionsChinese = divisions.path(row).map(divisions.name)
    case .region, .country: break
    }
    return place
  }

  /// All countries and territories in the tables, sorted by code.
  public var allCountries: [CountrySummary] {
    (0..<countries.count).map { country in
      CountrySummary(
        code: countries.text(country, .code), code3: countries.text(country, .code3),
        name: countries.text(country, .name), chineseName: countries.text(country, .chineseName).nilIfEmpty,
        capital: countries.text(country, .capital).nilIfEmpty, continent: countries.text(country, .continent),
        neighbors: countries.text(country, .neighbors).split(separator: ",").map(String.init))
    }
  }

  /// The number of named places in the tables.
  public var placeCount: Int { places.count }
  /// The number of first-level divisions in the tables.
  public var regionCount: Int { regions.count }
  /// The number of countries and territories in the tables.
  public var countryCount: Int { countries.count }
  /// Returns the position of a place, given by its row.
  public func coordinate(ofPlace row: Int) -> Coordinate { coordinate(places.position(row)) }
  /// Returns the population of a place, given by its row.
  public func population(ofPlace row: Int) -> Int { Int(places.population(row)) }
  /// Returns the number of the country of a place, given by its row.
  public func countryNumber(ofPlace row: Int) -> Int { Int(regions.countries[Int(region(ofPlace: row))]) }
  /// Returns the distance along the ground from a coordinate to a place, in kilometers.
  public func distanceKilometers(from coordinate: Coordinate, toPlace row: Int) -> Double {
    UnitVectors.kilometers(from: coordinate, to: self.coordinate(ofPlace: row))
  }
  /// Returns GeoNames' code of a first-level division, such as `CN.30`.
  public func regionCode(_ region: Int) -> String { regions.code(RegionTable.Number(region)) }
  /// Returns the two-letter ISO 3166 code of a country.
  public func countryCode(_ country: Int) -> String { countries.text(country, .code) }
  /// Returns the number of the country with a code of two or three letters, or nil if there is none. Ignores case.
  public func countryNumber(ofCode code: String) -> Int? { countries.number(ofCode: code).map(Int.init) }

  func coordinate(_ steps: SIMD2<Int32>) -> Coordinate {
    let scale = Double(UnitVectors.stepsPerDegree)
    return Coordinate(tableLatitude: Double(steps.x) / scale, longitude: Double(steps.y) / scale)
  }

  private func name(_ place: inout NamedPlace, locality: Int, part: Int?) {
    place.locality = places.name(locality).nilIfEmpty
    place.localityChinese = places.chineseName(locality).nilIfEmpty
    place.subLocality = part.flatMap { places.name($0).nilIfEmpty }
    place.subLocalityChinese = part.flatMap { places.chineseName($0).nilIfEmpty }
  }

  /// Returns the time zone of the country's place that is nearest to a coordinate, or nil if the country has no place.
  private func timeZone(at coordinate: Coordinate, country: CountryBorders.CountryNumber) -> String? {
    let point = vectors.point(coordinate)
    let hit = tree.nearest(to: point, closerThan: PointTree.everywhere, label: country)
    return hit.map { areas.zoneName(areas.zone($0.carried)) }
  }

  private func place(country: Int, region: Int?) -> NamedPlace {
    let number = region.map { RegionTable.Number($0) }
    var place = NamedPlace(countryCode: countries.text(country, .code), country: countries.text(country, .name))
    place.admin1 = number.flatMap { regions.name($0).nilIfEmpty }
    place.admin1Chinese = number.flatMap { regions.chineseName($0).nilIfEmpty }
    place.admin1Code = number.map(regions.code)
    place.countryChinese = countries.text(country, .chineseName).nilIfEmpty
    return place
  }

  /// Returns the official names of the province and of its district whose seat is nearest to a coordinate, with the
  /// prefecture between them. Returns an empty array if the province has no district.
  private func districtPath(at coordinate: Coordinate, province: UInt8) -> [String] {
    let first = divisions.firstDistrict
    let point = vectors.point(coordinate)
    let hit = districtTree.nearest(to: point, closerThan: PointTree.everywhere, label: province)
    return hit.map { divisions.path(first + $0.place).map(divisions.name) } ?? []
  }
}

/// A country as listed by the `geocode.countries` action.
public struct CountrySummary: Sendable, Equatable {
  /// The two-letter ISO 3166 code.
  public var code: String
  /// The three-letter ISO 3166 code.
  public var code3: String
  /// The English name of the country.
  public var name: String
  /// The simplified Chinese name, or nil if the tables have none.
  public var chineseName: String?
  /// The name of the capital, or nil if the tables have none.
  public var capital: String?
  /// GeoNames' code of the continent, such as `EU`.
  public var continent: String
  /// The two-letter codes of the neighboring countries.
  public var neighbors: [String]

  /// Creates a summary of a country.
  public init(
    code: String, code3: String, name: String, chineseName: String? = nil, capital: String? = nil, continent: String,
    neighbors: [String] = []
  ) {
    self.code = code
    self.code3 = code3
    self.name = name
    self.chineseName = chineseName
    self.capital = capital
    self.continent = continent
    self.neighbors = neighbors
  }
}

extension String {
  var nilIfEmpty: String? { isEmpty ? nil : self }
}
