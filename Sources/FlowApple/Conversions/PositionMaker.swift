import FlowPluginKit
import LocationPlugin

/// Converts values of Core Location to positions.
struct PositionMaker {
  private var firstSeconds: Double?

  /// Returns a position, or nil if a coordinate is not finite or the horizontal accuracy is negative, which is how Core
  /// Location marks invalid values. The position has an elevation only if the vertical accuracy is positive. A time
  /// before that of the first position counts as the first time.
  ///
  /// - Parameter seconds: The time of the position, in seconds since any date.
  mutating func position(
    latitude: Double, longitude: Double, horizontalAccuracy: Double, altitude: Double, verticalAccuracy: Double,
    atSeconds seconds: Double
  ) -> Position? {
    guard horizontalAccuracy >= 0, latitude.isFinite, longitude.isFinite else { return nil }
    let first = firstSeconds ?? seconds
    firstSeconds = first
    return Position(
      latitude: latitude, longitude: longitude, elevationMeters: verticalAccuracy > 0 ? altitude : nil,
      elapsed: .seconds(max(0, seconds - first)))
  }
}

extension LocationAuthorization {
  /// Creates the authorization for a raw value of `CLAuthorizationStatus`. A value that only newer systems define
  /// counts as denied.
  public init(coreLocationStatus status: Int32) {
    switch status {
    case 0: self = .notDetermined
    case 1: self = .restricted
    case 3: self = .always
    case 4: self = .whenInUse
    default: self = .denied
    }
  }
}
