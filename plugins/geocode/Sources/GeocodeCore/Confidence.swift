/// How often a country that was decided in some way is right, by how far away the nearest border is.
///
/// Shares of random points on land and of places that the tables do not have; `Benchmarks/Geocode/accuracy.py` measures them.
enum Confidence {
  /// The nearest place stood against the outline.
  static let placeWon = 0.5
  /// The nearest place is in a country too small for the map.
  static let smallCountry = 0.9
  /// Nothing is near but a coast.
  static let coast = 0.99
  /// A coast was nearer than a place of another country.
  static let coastAgainstPlace = 0.67

  /// Outline and nearest place agree.
  @inline(__always)
  static func agreed(_ borderKilometers: Double) -> Double {
    borderKilometers == .infinity ? 0.999 : step(borderKilometers, agreed)
  }

  /// The outline stood against the nearest place.
  static func outlineWon(_ borderKilometers: Double) -> Double { step(borderKilometers, outlineWon) }

  /// The nearest place decided, outside every outline.
  static func placeOnly(_ borderKilometers: Double) -> Double { step(borderKilometers, placeOnly) }

  private typealias Step = (below: Double, share: Double)
  private static let agreed: [Step] = [
    (0.5, 0.62), (1, 0.67), (2, 0.75), (3, 0.88), (4, 0.93), (8, 0.985), (.infinity, 0.999),
  ]
  private static let outlineWon: [Step] = [(1, 0.6), (2, 0.71), (3, 0.88), (4, 0.94), (8, 0.975), (.infinity, 0.993)]
  private static let placeOnly: [Step] = [(CountryBorders.reachKilometers, 0.6), (.infinity, 0.985)]

  private static func step(_ kilometers: Double, _ steps: [Step]) -> Double {
    steps.first { kilometers < $0.below }?.share ?? steps[steps.count - 1].share
  }
}
