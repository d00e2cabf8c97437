/// The measured share of correct countries for each kind of decision, by distance to the nearest border.
///
/// The shares were measured with random points on land by `Benchmarks/Geocode/accuracy.py`. The number of steps is
/// limited by the number of points: of 25,000 points, a fifth of them near borders, 750 are within the distance of
/// ``nearBorder``.
enum Confidence {
  /// The share close to a border. Outlines may be wrong by kilometers and places may be across the border, so no
  /// decision is more certain there.
  static let nearBorder = 0.76
  /// The share if the nearest place belongs to a country that is too small for the map.
  static let smallCountry = 0.9
  /// The share if only a coast is near.
  static let coast = 0.99

  /// Returns the share if outline and nearest place agree.
  @inline(__always)
  static func agreed(_ borderKilometers: Double) -> Double {
    borderKilometers == .infinity ? 0.999 : step(borderKilometers, agreed)
  }

  /// Returns the share if the outline overruled the nearest place.
  static func outlineWon(_ borderKilometers: Double) -> Double { step(borderKilometers, outlineWon) }

  /// Returns the share if the nearest place decided outside every outline.
  static func placeOnly(_ borderKilometers: Double) -> Double { step(borderKilometers, placeOnly) }

  private typealias Step = (below: Double, share: Double)
  private static let agreed: [Step] = [(3, nearBorder), (4, 0.94), (8, 0.99), (.infinity, 0.999)]
  private static let outlineWon: [Step] = [(4, nearBorder), (8, 0.965), (.infinity, 0.993)]
  private static let placeOnly: [Step] = [(CountryBorders.reachKilometers, nearBorder), (.infinity, 0.99)]

  private static func step(_ kilometers: Double, _ steps: [Step]) -> Double {
    steps.first { kilometers < $0.below }?.share ?? steps[steps.count - 1].share
  }
}
