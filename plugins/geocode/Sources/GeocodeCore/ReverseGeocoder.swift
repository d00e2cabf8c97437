/// Finds where a coordinate is: city, first-level division, country.
///
/// Two kinds of evidence decide the country. The outlines of Natural Earth are right far from borders and coarse near
/// them; the nearest of some 215,000 places is right where people live. Where the two disagree, the outline wins when the
/// nearest place is far away, or when a place of the outline's country is nearly as near (`disagreement`); an outline
/// never overrules a near place of a country that has none, such as Hong Kong or Singapore.
public struct ReverseGeocoder: Sendable {
  /// How the country was decided.
  public enum Method: String, Sendable, CaseIterable {
    /// The country's outline holds the point, and no nearest place says otherwise.
    case polygon
    /// The nearest place decided: no outline holds the point, or it was overruled.
    case nearest
    /// The outline overruled the nearest place.
    case hybrid
    /// The point lies in a circle of `overrides.tsv`.
    case override
  }

  /// How much is asked for.
  public enum Level: Int, Sendable, Comparable {
    /// Only the country.
    case country
    /// Country and first-level division.
    case province
    /// All, with the nearest city.
    case city

    /// By detail: a country is less than a city.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// What a lookup may take into account.
  public struct Options: Sendable {
    /// How much is asked for.
    public var level: Level
    /// Cities with fewer inhabitants are passed over as answers; they still tell the country.
    public var minimumPopulation: Int
    /// A city farther away than this is no answer; outside every outline there is then no answer at all.
    public var maximumDistanceKilometers: Double

    /// Everything, of any size, within 100 km.
    public init(level: Level = .city, minimumPopulation: Int = 0, maximumDistanceKilometers: Double = 100) {
      self.level = level
      self.minimumPopulation = minimumPopulation
      self.maximumDistanceKilometers = maximumDistanceKilometers
    }
  }

  /// The answer, in numbers of the tables' rows; `Place` has the names.
  public struct Match: Sendable, Equatable {
    /// The country.
    public var country: Int
    /// The first-level division, or nil where no place of the country is known.
    public var region: Int?
    /// The city, or nil when none was asked for or none is near enough.
    public var place: Int?
    /// Kilometers to the city; nil without one.
    public var distanceKilometers: Double?
    /// How the country was decided.
    public var method: Method
    /// The share of held-out towns decided in this way whose country was right, 0 … 1.
    public var confidence: Double
  }

  let tables: GeocodeTables

  /// A geocoder over loaded tables.
  public init(_ tables: GeocodeTables) {
    self.tables = tables
  }

  /// Where two kinds of evidence disagree, the outline wins beyond this distance of the nearest place …
  private static let farSquaredChord = UnitVectors.squaredChord(kilometers: 15)
  /// … or when one of its country's places is less than this many times as far. Squared, as distances are.
  private static let rivalFactor: Float = 1.5 * 1.5

  /// A city of the decided region is preferred to one that is nearer by less than this factor, squared.
  private static let regionFactor: Float = 2 * 2

  /// Outside every outline, with no place near, a coast up to this far away still tells the country.
  private static let coastKilometers = 50.0

  /// Where the coordinate is, or nil: on the sea, farther from every place than the options allow.
  public func match(_ coordinate: Coordinate, options: Options = Options()) -> Match? {
    let point = tables.vectors.point(coordinate)
    let outline = tables.borders.country(at: coordinate)
    let limit = UnitVectors.squaredChord(kilometers: options.maximumDistanceKilometers)
    let reach = outline == CountryBorders.none ? limit : PointTree.everywhere

    let (named, best) = tables.tree.nearest(to: point, closerThan: reach)
    let region = best.map { self.region(of: $0) }

    var match: Match
    if let forced = tables.overrides.region(at: point) {
      match = Match(
        country: Int(tables.regions.countries[Int(forced)]), region: Int(forced), method: .override, confidence: 1)
    } else if let decided = decide(point, outline: outline, nearest: region, best?.squaredChord ?? reach) {
      match = decided
    } else if let coast = coast(coordinate, options) {
      match = coast
    } else {
      return nil
    }
    guard options.level > .country else {
      match.region = nil
      return match
    }
    guard options.level == .city else { return match }
    let city = self.city(point, named: named, match: match, options: options, limit: limit)
    if let city {
      match.place = city.place
      match.distanceKilometers = UnitVectors.kilometers(squaredChord: squaredChord(point, toPlace: city.place))
    }
    return match
  }

  /// Weighs the outline that holds the point against the nearest place.
  private func decide(
    _ point: SIMD3<Float>, outline: CountryBorders.CountryNumber, nearest: RegionTable.Number?, _ squaredChord: Float
  ) -> Match? {
    guard let nearest else { return nil }
    let country = tables.regions.countries[Int(nearest)]
    if outline == CountryBorders.none {
      return Match(country: Int(country), region: Int(nearest), method: .nearest, confidence: Confidence.placeOnly)
    }
    if outline == country {
      return Match(country: Int(country), region: Int(nearest), method: .polygon, confidence: Confidence.agreed)
    }
    let isFar = squaredChord > Self.farSquaredChord
    if isFar || tables.borders.isOutlined[Int(country)] {
      let reach = isFar ? PointTree.everywhere : squaredChord * Self.rivalFactor
      let rival = nearestRegion(point, of: outline, closerThan: reach)
      if isFar || rival != nil {
        return Match(
          country: Int(outline), region: rival.map(Int.init), method: .hybrid, confidence: Confidence.outlineWon)
      }
    }
    return Match(country: Int(country), region: Int(nearest), method: .nearest, confidence: Confidence.placeWon)
  }

  /// The country of the nearest coast, outside every outline and far from every place: land that the coarse outlines
  /// leave out, such as ice shelves, islands and capes where nobody lives.
  private func coast(_ coordinate: Coordinate, _ options: Options) -> Match? {
    let reach = min(Self.coastKilometers, options.maximumDistanceKilometers)
    let country = tables.borders.nearestCountry(to: coordinate, within: reach)
    guard country != CountryBorders.none else { return nil }
    return Match(country: Int(country), region: nil, method: .polygon, confidence: Confidence.coast)
  }

  /// The region a found place lies in.
  @inline(__always)
  private func region(of hit: PointTree.Hit) -> RegionTable.Number {
    hit.carried
  }

  /// The squared chord to where a place really is; the tree's points are up to 50 m off in the emptiest parts.
  private func squaredChord(_ point: SIMD3<Float>, toPlace place: Int) -> Float {
    let position = tables.places.position(place)
    let d = tables.vectors.point(latitudeSteps: Int(position.x), longitudeSteps: Int(position.y)) - point
    return (d * d).sum()
  }

  /// The region of a country's nearest place.
  private func nearestRegion(
    _ point: SIMD3<Float>, of country: CountryBorders.CountryNumber, closerThan reach: Float
  ) -> RegionTable.Number? {
    guard tables.isPopulated[Int(country)] else { return nil }
    return tables.tree.nearest(to: point, closerThan: reach, label: country, followers: true).map { region(of: $0) }
  }

  /// The city to name: the nearest of the decided country, or of the decided region where one is nearly as near.
  private func city(
    _ point: SIMD3<Float>, named: PointTree.Hit?, match: Match, options: Options, limit: Float
  ) -> PointTree.Hit? {
    let population = UInt32(clamping: options.minimumPopulation)
    let country = CountryBorders.CountryNumber(match.country)
    var hit = named
    if let named {
      let region = tables.region(ofPlace: named.place)
      let isLarge = tables.places.population(named.place) >= population
      if isLarge, Int(region) == match.region { return named.squaredChord <= limit ? named : nil }
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

  /// Shares of GeoNames' 165,436 places below 5,000 inhabitants whose country was right when tables without them decided
  /// in this way; measured by `Benchmarks/Geocode/accuracy.py --folds`, which prints them anew.
  private enum Confidence {
    /// 156,270 places.
    static let agreed = 0.998
    /// 6,680 places.
    static let placeOnly = 0.994
    /// 732 places, all near borders; of random points on land more, since they lie farther from them.
    static let outlineWon = 0.65
    /// 1,682 places.
    static let placeWon = 0.84
    /// All of 32 places, and of 74 random points on land by finer outlines.
    static let coast = 0.99
  }
}
