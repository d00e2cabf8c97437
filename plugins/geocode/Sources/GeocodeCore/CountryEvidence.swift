/// The evidence for the country of a point: outlines, which may be wrong by a kilometer or two, and places, which have
/// exact positions but may be across a border.
struct CountryEvidence {
  let tables: GeocodeTables
  let coordinate: Coordinate
  let point: SIMD3<Float>
  /// The country whose outline contains the point, if any.
  let outline: CountryBorders.Finding
  /// The nearest place, or nil if there is none. Outside every outline, places beyond the requested distance are
  /// ignored.
  let nearest: PointTree.Hit?

  /// Pairs of distances. A place overrules an outline if the place is nearer than the first distance and the border is
  /// nearer than the second. The nearer the place, the larger the assumed error of the border.
  private static let standing = [(0.5, CountryBorders.reachKilometers), (1, 4), (8, 0.6)].map {
    (squaredChord: UnitVectors.squaredChord(kilometers: $0), borderKilometers: $1)
  }
  /// The largest distance at which a place alone decides the country of a point outside every outline.
  private static let nearPlaceSquaredChord = UnitVectors.squaredChord(kilometers: 8)
  /// The largest distance at which places of a country without an outline count. Such a country is too small for the
  /// map.
  private static let smallCountrySquaredChord = UnitVectors.squaredChord(kilometers: 15)
  /// The place of a country without an outline wins only if the nearest place of the outline's country is farther away
  /// by this factor. It is squared because distances are squared.
  private static let rivalFactor: Float = 1.5 * 1.5
  /// The largest distance at which a coast determines the country of a point outside every outline.
  private static let coastKilometers = 50.0
  /// The largest distance at which the nearest place of the country determines the province.
  private static let provinceSquaredChord = UnitVectors.squaredChord(kilometers: 400)

  /// Returns the country and its first-level division. Returns nil outside every outline if no place is within `reach`
  /// kilometers, and no coast within `reach` or 50 km, whichever is less.
  @inline(__always)
  func decide(within reach: Double) -> ReverseGeocoder.Match? {
    let country = outline.country
    if country != CountryBorders.none, let nearest, tables.areas.countries[Int(nearest.carried)] == country {
      return match(country, province: nearest, .polygon, Confidence.agreed(borderKilometers()))
    }
    return country == CountryBorders.none ? decideAtSea(within: reach) : decideDisputed()
  }

  /// Decides the country if the outline and the nearest place disagree, or if there is no place.
  private func decideDisputed() -> ReverseGeocoder.Match? {
    let rival = nearestPlace(of: outline.country)
    guard let nearest else {
      return match(outline.country, province: rival, .polygon, Confidence.agreed(borderKilometers()))
    }
    let country = tables.areas.countries[Int(nearest.carried)]
    guard tables.borders.isOutlined[Int(country)] else {
      let stands =
        nearest.squaredChord <= Self.smallCountrySquaredChord
        && rival.map { $0.squaredChord >= nearest.squaredChord * Self.rivalFactor } ?? true
      return stands
        ? match(country, province: nearest, .nearest, Confidence.smallCountry)
        : match(outline.country, province: rival, .hybrid, Confidence.outlineWon(borderKilometers()))
    }
    let border = borderKilometers(of: country)
    let stands = Self.standing.contains { nearest.squaredChord < $0.squaredChord && border < $0.borderKilometers }
    return stands
      ? match(country, province: nearest, .nearest, Confidence.nearBorder)
      : match(outline.country, province: rival, .hybrid, Confidence.outlineWon(border))
  }

  /// Decides the country of a point outside every outline, for example on an island or cape that the map omits. The
  /// nearest place decides unless a coast is much nearer or there is no place; then the nearest coast decides. Returns
  /// nil if neither is near enough.
  private func decideAtSea(within reach: Double) -> ReverseGeocoder.Match? {
    guard let nearest else {
      let coast = tables.borders.nearestCountry(to: coordinate, within: min(Self.coastKilometers, reach))
      return coast == CountryBorders.none
        ? nil : match(coast, province: nearestPlace(of: coast), .polygon, Confidence.coast)
    }
    let country = tables.areas.countries[Int(nearest.carried)]
    if nearest.squaredChord > Self.nearPlaceSquaredChord {
      // A coast that is less than half as far away as the place is better evidence.
      let half = UnitVectors.kilometers(squaredChord: nearest.squaredChord) / 2
      let coast = tables.borders.nearestCountry(to: coordinate, within: min(Self.coastKilometers, half))
      if coast != CountryBorders.none, coast != country {
        return match(coast, province: nearestPlace(of: coast), .polygon, Confidence.nearBorder)
      }
    }
    return match(country, province: nearest, .nearest, Confidence.placeOnly(borderKilometers()))
  }

  /// Returns the distance in kilometers to the nearest border of `country` or, if it is nil, of any country. Returns
  /// infinity beyond `CountryBorders.reachKilometers`.
  @inline(__always)
  private func borderKilometers(of country: CountryBorders.CountryNumber? = nil) -> Double {
    outline.isNearBorder ? tables.borders.distanceToBorder(from: coordinate, of: country) : .infinity
  }

  private func nearestPlace(of country: CountryBorders.CountryNumber) -> PointTree.Hit? {
    guard tables.isPopulated[Int(country)] else { return nil }
    return tables.tree.nearest(to: point, closerThan: PointTree.everywhere, label: country)
  }

  @inline(__always)
  private func match(
    _ country: CountryBorders.CountryNumber, province place: PointTree.Hit?, _ method: ReverseGeocoder.Method,
    _ confidence: Double
  ) -> ReverseGeocoder.Match {
    let region = place.flatMap {
      $0.squaredChord < Self.provinceSquaredChord ? Int(tables.areas.regions[Int($0.carried)]) : nil
    }
    return ReverseGeocoder.Match(
      country: Int(country), region: region, timeZone: place.map { tables.areas.zone($0.carried) }, method: method,
      confidence: confidence)
  }
}
