/// How often a country that was decided in some way is right, by how far away the nearest border is.
///
/// Shares of random points on land; `Benchmarks/Geocode/accuracy.py` measures them. There are no more of them than points to
/// measure them by: of 25,000, a fifth of them near borders, 750 are as near to one as ``nearBorder``.
enum Confidence {
  /// So near a border that the outlines, which may be off by kilometers, and the places, which may be across it, are not more
  /// certain than this.
  static let nearBorder = 0.76
  /// The nearest place is in a country too small for the map.
  static let smallCountry = 0.9
  /// Nothing is near but a coast.
  static let coast = 0.99

  /// Outline and nearest place agree.
  @inline(__always)
  static func agreed(_ borderKilometers: Double) -> Double {
    borderKilometers == .infinity ? 0.999 : step(borderKilometers, agreed)
  }

  /// The outline contradicted the nearest place.
  static func outlineWon(_ borderKilometers: Double) -> Double { step(borderKilometers, outlineWon) }

  /// The nearest place decided, outside every outline.
  static func placeOnly(_ borderKilometers: Double) -> Double { step(borderKilometers, placeOnly) }

  private typealias Step = (below: Double, share: Double)
  private static let agreed: [Step] = [(3, nearBorder), (4, 0.94), (8, 0.99), (.infinity, 0.999)]
  private static let outlineWon: [Step] = [(4, nearBorder), (8, 0.965), (.infinity, 0.993)]
  private static let placeOnly: [Step] = [(CountryBorders.reachKilometers, nearBorder), (.infinity, 0.99)]

  private static func step(_ kilometers: Double, _ steps: [Step]) -> Double {
    steps.first { kilometers < $0.below }?.share ?? steps[steps.count - 1].share
  }
}
