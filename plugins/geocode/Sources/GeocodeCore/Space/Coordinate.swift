/// A position on the globe in degrees, WGS 84: latitude −90 … 90, longitude −180 … 180.
public struct Coordinate: Sendable, Hashable {
  /// Degrees north of the equator, −90 … 90.
  public let latitude: Double
  /// Degrees east of Greenwich, −180 … 180.
  public let longitude: Double

  /// Creates a coordinate from degrees.
  ///
  /// - Parameters:
  ///   - latitude: degrees north of the equator.
  ///   - longitude: degrees east of Greenwich.
  ///   - wrapping: true to move a longitude outside −180 … 180 into this range by whole turns, so that 190 becomes
  ///     −170.
  /// - Throws: `InvalidCoordinate` if a number is not finite or outside its range. If the two seem to be swapped, as in
  ///   (121.5, 31.2), the error says so.
  public init(latitude: Double, longitude: Double, wrapping: Bool = false) throws(InvalidCoordinate) {
    guard latitude.isFinite, longitude.isFinite else {
      throw InvalidCoordinate(latitude: latitude, longitude: longitude, reason: .notFinite)
    }
    guard abs(latitude) <= 90 else {
      let swapped = abs(latitude) <= 180 && abs(longitude) <= 90
      throw InvalidCoordinate(
        latitude: latitude, longitude: longitude, reason: swapped ? .swapped : .latitudeOutOfRange)
    }
    guard abs(longitude) <= 180 || wrapping else {
      throw InvalidCoordinate(latitude: latitude, longitude: longitude, reason: .longitudeOutOfRange)
    }
    self.latitude = latitude
    self.longitude = abs(longitude) <= 180 ? longitude : longitude.remainder(dividingBy: 360)
  }
}

extension Coordinate {
  /// Creates a coordinate from a table, whose values were checked when it was loaded.
  init(tableLatitude latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The reason why a pair of numbers is not a position on the globe.
public struct InvalidCoordinate: Error, Sendable, Equatable, CustomStringConvertible {
  /// A problem with the numbers.
  public enum Reason: Sendable, Equatable {
    /// One of them is NaN or infinite.
    case notFinite
    /// The latitude is beyond a pole, and swapping the numbers would not help.
    case latitudeOutOfRange
    /// The longitude is beyond the antimeridian.
    case longitudeOutOfRange
    /// The latitude is beyond a pole, and the pair is valid if the numbers are swapped.
    case swapped
  }

  /// The latitude as given.
  public let latitude: Double
  /// The longitude as given.
  public let longitude: Double
  /// The problem.
  public let reason: Reason

  /// One sentence with the given numbers and the expected range, and a hint if swapping the numbers helps.
  public var description: String {
    switch reason {
    case .notFinite:
      "latitude \(latitude) and longitude \(longitude) must be finite numbers"
    case .latitudeOutOfRange:
      "latitude \(latitude) is outside -90 … 90"
    case .longitudeOutOfRange:
      "longitude \(longitude) is outside -180 … 180"
    case .swapped:
      "latitude \(latitude) is outside -90 … 90; are the two swapped? latitude \(longitude), longitude \(latitude) "
        + "is a position"
    }
  }
}
