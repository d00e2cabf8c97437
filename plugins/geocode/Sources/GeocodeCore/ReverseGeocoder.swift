/// Finds the city, first-level division and country of a coordinate.
///
/// The country is decided by two kinds of evidence: the outlines of Natural Earth, which are right except in the last
/// kilometers before a border, and the nearest of some 214,000 places, which is right in inhabited areas.
/// `CountryEvidence` weighs them against each other.
public struct ReverseGeocoder: Sendable {
  /// The evidence that decided the country.
  public enum Method: String, Sendable, CaseIterable {
    /// The outline of the country contains the point, and no place overruled it.
    case polygon
    /// The nearest place decided. Either no outline contains the point, or the place overruled the outline.
    case nearest
    /// The outline overruled the nearest place.
    case hybrid
    /// The point is in a circle listed in `overrides.tsv`.
    case override
  }

  /// The requested level of detail.
  public enum Level: Int, Sendable, Comparable {
    /// Only the country.
    case country
    /// Country and first-level division.
    case province
    /// Country, division and nearest city.
    case city

    /// Compares levels; more detail is greater.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// The options of a lookup.
  public struct Options: Sendable {
    /// The requested level of detail.
    public var level: Level
    /// The minimum population of a city in the result. Smaller cities still count as evidence for the country.
    public var minimumPopulation: Int
    /// The maximum distance of a city in the result. Outside every outline there is no result if all cities are farther
    /// away.
    public var maximumDistanceKilometers: Double

    /// Makes options, by default for the nearest city of any size within 100 km.
    public init(level: Level = .city, minimumPopulation: Int = 0, maximumDistanceKilometers: Double = 100) {
      self.level = level
      self.minimumPopulation = minimumPopulation
      self.maximumDistanceKilometers = maximumDistanceKilometers
    }
  }

  /// The result as row numbers of the tables. `NamedPlace` has the names.
  public struct Match: Sendable, Equatable {
    /// The country.
    public var country: Int
    /// The first-level division, or nil if the tables have no place near enough in the country.
    public var region: Int?
    /// The nearest place, or nil if it was not requested or is too far away.
    public var place: Int?
    /// The city that a person would name: the nearest place, the city that it is a part of, or a larger city around the
    /// point.
    public var locality: Int?
    /// The nearest place if it is a part of the locality and the point is in or near it.
    public var subLocality: Int?
    /// The time zone of the nearest place in the country, or nil if unknown.
    public var timeZone: Int?
    /// The distance to the nearest place in kilometers, or nil if there is none.
    public var distanceKilometers: Double?
    /// The evidence that decided the country.
    public var method: Method
    /// The measured share of correct countries, 0 … 1, for decisions of this kind at the same distance from a border.
    public var confidence: Double
  }

  let tables: GeocodeTables

  /// Creates a geocoder over loaded tables.
  public init(_ tables: GeocodeTables) {
    self.tables = tables
  }

  /// A city of the decided region is used unless the nearest city is nearer by at least this factor. It is squared, as
  /// distances are.
  private static let regionFactor: Float = 2 * 2

  /// Returns the match for a coordinate, or nil on the sea if every place is farther away than the options allow.
  public func match(_ coordinate: Coordinate, options: Options = Options()) -> Match? {
    let point = tables.vectors.point(coordinate)
    let outline = tables.borders.find(coordinate)
    let limit = UnitVectors.squaredChord(kilometers: options.maximumDistanceKilometers)
    let reach = outline.country == CountryBorders.none ? limit : PointTree.everywhere
    let nearest = tables.tree.nearest(to: point, closerThan: reach)

    var match: Match
    if let forced = tables.overrides.region(at: point) {
      let country = tables.regions.countries[Int(forced)]
      let own = tables.tree.nearest(to: point, closerThan: PointTree.everywhere, label: country)
      match = Match(
        country: Int(country), region: Int(forced), timeZone: own.map { tables.areas.zone($0.carried) },
        method: .override, confidence: 1)
    } else {
      let evidence = CountryEvidence(
        tables: tables, coordinate: coordinate, point: point, outline: outline, nearest: nearest)
      guard let decided = evidence.decide(within: options.maximumDistanceKilometers) else { return nil }
      match = decided
    }
    guard options.level > .country else {
      match.region = nil
      return match
    }
    guard options.level == .city else { return match }
    // If a place alone decided, it is named at any distance. The app can judge by the distance.
    let cityLimit = match.method == .nearest ? PointTree.everywhere : limit
    if let city = self.city(point, nearest: nearest, match: match, options: options, limit: cityLimit) {
      let squaredChord = tables.squaredChord(point, toPlace: city.place)
      let locality = tables.locality(of: point, nearest: (city.place, squaredChord))
      match.place = city.place
      match.locality = locality.place
      match.subLocality = locality.part
      match.distanceKilometers = UnitVectors.kilometers(squaredChord: squaredChord)
    }
    return match
  }

  /// Returns the nearest city of the decided country, or of the decided region if the region has one that is nearly as
  /// near.
  private func city(
    _ point: SIMD3<Float>, nearest: PointTree.Hit?, match: Match, options: Options, limit: Float
  ) -> PointTree.Hit? {
    let population = UInt32(clamping: options.minimumPopulation)
    let country = CountryBorders.CountryNumber(match.country)
    var hit = nearest
    if let nearest {
      let region = tables.areas.regions[Int(nearest.carried)]
      let isLarge = tables.places.population(nearest.place) >= population
      if isLarge, Int(region) == match.region { return nearest.squaredChord <= limit ? nearest : nil }
      if !isLarge || tables.regions.countries[Int(region)] != country { hit = nil }
    }
    if hit == nil { hit = nearestCity(point, of: country, population, closerThan: limit, region: nil) }
    guard let nearest = hit, nearest.squaredChord <= limit else { return nil }
    guard let wanted = match.region, Int(tables.region(ofPlace: nearest.place)) != wanted else { return nearest }
    let reach = min(limit, nearest.squaredChord * Self.regionFactor)
    return nearestCity(point, of: country, population, closerThan: reach, region: RegionTable.Number(wanted)) ?? nearest
  }

  private func nearestCity(
    _ point: SIMD3<Float>, of country: CountryBorders.CountryNumber, _ population: UInt32, closerThan reach: Float,
    region: RegionTable.Number?
  ) -> PointTree.Hit? {
    tables.tree.nearest(to: point, closerThan: reach, label: country) {
      tables.places.population($0) >= population && (region == nil || tables.region(ofPlace: $0) == region)
    }
  }
}
