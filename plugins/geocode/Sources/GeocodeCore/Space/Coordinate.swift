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
  ///   - wrapping: true to convert longitudes beyond ±180° by whole turns, so that 190 becomes −170.
  /// - Throws: `InvalidCoordinate` if a number is not finite or out of range. The reason is `swapped` if the numbers
  ///   are valid in the other order, as in (121.5, 31.2).
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
  /// Creates a coordinate from a table. The values were checked when the table was created.
  init(tableLatitude latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The reason why a pair of numbers is not a position on the globe.
public struct InvalidCoordinate: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reasons for refusing a pair of numbers.
  public enum Reason: Sendable, Equatable {
    /// A number is NaN or infinite.
    case notFinite
    /// The latitude is beyond a pole, and the pair is also invalid if the numbers are swapped.
    case latitudeOutOfRange
    /// The longitude is beyond the antimeridian.
    case longitudeOutOfRange
    /// The latitude is beyond a pole, and the pair is valid if the numbers are swapped.
    case swapped
  }

  /// The refused latitude.
  public let latitude: Double
  /// The refused longitude.
  public let longitude: Double
  /// The reason for the refusal.
  public let reason: Reason

  /// One sentence with the given numbers and the allowed range. If swapping the numbers helps, it suggests that.
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
