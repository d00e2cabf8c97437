/// Finds the city, first-level division and country of a coordinate.
///
/// Two kinds of evidence decide the country. The outlines of Natural Earth are right except in the last kilometers
/// before a border. The nearest of some 214,000 places is right in inhabited areas. `CountryEvidence` weighs them
/// against each other.
public struct ReverseGeocoder: Sendable {
  /// The kind of evidence that decided the country.
  public enum Method: String, Sendable, CaseIterable {
    /// The outline of the country contains the point, and no place overruled it. Also used if the nearest coast
    /// decided.
    case polygon
    /// The nearest place decided. Either no outline contains the point, or the place overruled the outline.
    case nearest
    /// The outline overruled the nearest place.
    case hybrid
    /// The point is in a circle listed in `overrides.tsv`.
    case override
  }

  /// The level of detail of a result.
  public enum Level: Int, Sendable, Comparable {
    /// The country alone.
    case country
    /// The country and the first-level division.
    case province
    /// The country, the division and the nearest city.
    case city

    /// Orders levels by detail, the least detailed first.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// The options of a reverse lookup.
  public struct Options: Sendable {
    /// The level of detail of the result.
    public var level: Level
    /// The minimum population of a city in the result. Smaller places still help to decide the country.
    public var minimumPopulation: Int
    /// The maximum distance in kilometers of a city in the result, unless a place decided the country. Outside every
    /// outline, it also limits the distance of places and coasts that decide the country.
    public var maximumDistanceKilometers: Double

    /// Creates options. By default, the nearest city of any size within 100 km is returned.
    public init(level: Level = .city, minimumPopulation: Int = 0, maximumDistanceKilometers: Double = 100) {
      self.level = level
      self.minimumPopulation = minimumPopulation
      self.maximumDistanceKilometers = maximumDistanceKilometers
    }
  }

  /// The result as row numbers in the tables. `GeocodeTables.place(for:at:)` returns the names.
  public struct Match: Sendable, Equatable {
    /// The row of the country.
    public var country: Int
    /// The row of the first-level division, or nil if it was not requested or no place of the country is near enough to
    /// determine it.
    public var region: Int?
    /// The row of the nearest city, or nil if it was not requested or is too far away. A city of the region is
    /// preferred if it is less than twice as far away as the nearest city of the country.
    public var place: Int?
    /// The row of the city that a person would name: the nearest place, the city that it is a part of, or a larger city
    /// around the point.
    public var locality: Int?
    /// The row of the nearest place if it is a part of the locality and the point is in or near it; otherwise nil.
    public var subLocality: Int?
    /// The row of the time zone of the country's nearest place, or nil if the country has no place.
    public var timeZone: Int?
    /// The distance in kilometers from the coordinate to ``place``, or nil if `place` is nil.
    public var distanceKilometers: Double?
    /// The kind of evidence that decided the country.
    public var method: Method
    /// The measured probability, 0 … 1, that the country is right. For most methods, it is lower near a border.
    public var confidence: Double
  }

  let tables: GeocodeTables

  /// Creates a geocoder that uses loaded tables.
  public init(_ tables: GeocodeTables) {
    self.tables = tables
  }

  /// The nearest city in the decided region is used unless the nearest city of the country is closer by at least this
  /// factor. It is squared because distances are squared.
  private static let regionFactor: Float = 2 * 2

  /// Returns the match for a coordinate. Returns nil outside every outline if no place is within the maximum distance,
  /// and no coast within that distance or 50 km, whichever is less.
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
    // If a place decided the country, the city is returned at any distance. The app can use the distance to judge the
    // result.
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

  /// Returns the nearest city of the decided country. Prefers a city of the decided region that is nearly as close.
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
