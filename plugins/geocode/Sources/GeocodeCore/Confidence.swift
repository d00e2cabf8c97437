/// The measured probability that the country is right, for each kind of decision and by distance to the nearest border.
///
/// The probabilities were measured with random points on land by `Benchmarks/Geocode/accuracy.py`. The number of points
/// limits the number of steps: of 25,000 points, a fifth of them near borders, only 750 are so close to a border that
/// ``nearBorder`` applies.
enum Confidence {
  /// The probability close to a border. No decision is more certain there, because outlines may be wrong by kilometers
  /// and the nearest place may be across the border.
  static let nearBorder = 0.76
  /// The probability if the nearest place belongs to a country that is too small for the map.
  static let smallCountry = 0.9
  /// The probability if a coast decided because no place is nearby.
  static let coast = 0.99

  /// Returns the probability if the outline and the nearest place agree, or if there is no place at all.
  @inline(__always)
  static func agreed(_ borderKilometers: Double) -> Double {
    borderKilometers == .infinity ? 0.999 : step(borderKilometers, agreed)
  }

  /// Returns the probability if the outline overruled the nearest place.
  static func outlineWon(_ borderKilometers: Double) -> Double { step(borderKilometers, outlineWon) }

  /// Returns the probability if the nearest place decided because no outline contains the point.
  static func placeOnly(_ borderKilometers: Double) -> Double { step(borderKilometers, placeOnly) }

  private typealias Step = (below: Double, share: Double)
  private static let agreed: [Step] = [(3, nearBorder), (4, 0.94), (8, 0.99), (.infinity, 0.999)]
  private static let outlineWon: [Step] = [(4, nearBorder), (8, 0.965), (.infinity, 0.993)]
  private static let placeOnly: [Step] = [(CountryBorders.reachKilometers, nearBorder), (.infinity, 0.99)]

  private static func step(_ kilometers: Double, _ steps: [Step]) -> Double {
    steps.first { kilometers < $0.below }?.share ?? steps[steps.count - 1].share
  }
}
