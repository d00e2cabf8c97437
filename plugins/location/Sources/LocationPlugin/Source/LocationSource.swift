import FlowModel
import FlowPluginKit

/// A source of positions: the platform's location service, or a recorded track.
///
/// An iOS app implements it with `CLLocationManager`. On Linux, ``TrackLocationSource`` simulates a GPX track.
public protocol LocationSource: Sendable {
  /// Returns the platform's record of the permission. Nil means that the platform keeps none, so the plugin's record is
  /// used. Must not ask the user (L3, L20).
  func authorization() -> LocationAuthorization?

  /// Asks the user for permission and returns the answer. Called only while no answer is known.
  ///
  /// - Parameter simulatedAnswer: the answer to return if the source has no user to ask.
  nonisolated(nonsending) func requestAuthorization(
    simulatedAnswer: LocationAuthorization
  ) async throws -> LocationAuthorization

  /// Passes positions to `deliver` until the step is cancelled or no positions are left.
  nonisolated(nonsending) func positions(
    for request: LocationRequest, in context: ActionContext, deliver: @Sendable (Position) throws -> Void
  ) async throws
}

/// The parameters of a `location.start` step that a source may use.
public struct LocationRequest: Sendable {
  /// The absolute path of a GPX file to simulate, or nil. Sources with real positions ignore it.
  public var track: String?
  /// The speed of the simulation relative to the recording. 2 is twice as fast.
  public var speed: Double
  /// True if the track starts again at its end.
  public var repeats: Bool
}

/// A position on the earth and the time at which it was reached.
public struct Position: Sendable, Equatable {
  /// The latitude in degrees north of the equator.
  public var latitude: Double
  /// The longitude in degrees east of Greenwich.
  public var longitude: Double
  /// Meters above sea level, or nil if unknown.
  public var elevationMeters: Double?
  /// The time since the first position of the source. For a track, it is the recorded time, whatever the speed of the
  /// simulation.
  public var elapsed: Duration

  /// Creates a position. `elapsed` is the time since the first position of its source.
  public init(latitude: Double, longitude: Double, elevationMeters: Double? = nil, elapsed: Duration) {
    self.latitude = latitude
    self.longitude = longitude
    self.elevationMeters = elevationMeters
    self.elapsed = elapsed
  }
}

/// The user's permission, in the terms of Core Location.
public enum LocationAuthorization: String, Sendable, FieldWord {
  case notDetermined = "not-determined"
  case restricted
  case denied
  case whenInUse = "when-in-use"
  case always

  /// True if the app may use the location.
  public var isGranted: Bool { self == .whenInUse || self == .always }
}

extension HandleKey {
  /// The handle of the plugin's ``LocationSource``.
  public static let locationSource: HandleKey = "location-source"
  /// The handle of the ``LocationCenter``.
  static let locationCenter: HandleKey = "location-center"
}
