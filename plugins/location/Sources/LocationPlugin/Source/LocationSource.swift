import FlowModel
import FlowPluginKit

/// A source of positions: the platform's location service, or a track.
///
/// An iOS app implements it with `CLLocationManager`; on Linux ``TrackLocationSource`` simulates a GPX track.
public protocol LocationSource: Sendable {
  /// The platform's record of the permission, or nil if it keeps none and the plugin's is used. Must not prompt (L3,
  /// L20).
  func authorization() -> LocationAuthorization?

  /// Prompts the user and returns the answer. Called at most once per installation.
  ///
  /// - Parameter simulatedAnswer: the answer of a source without a user.
  nonisolated(nonsending) func requestAuthorization(
    simulatedAnswer: LocationAuthorization
  ) async throws -> LocationAuthorization

  /// Passes positions to `deliver` until the step is cancelled or there are no more.
  nonisolated(nonsending) func positions(
    for request: LocationRequest, in context: ActionContext, deliver: @Sendable (Position) throws -> Void
  ) async throws
}

/// The parameters of a source.
public struct LocationRequest: Sendable {
  /// The absolute path of a GPX file to simulate; ignored by a source with real positions.
  public var track: String?
  /// The speed of the simulation, relative to the recording.
  public var speed: Double
  /// True if the track is repeated.
  public var repeats: Bool
}

/// A position with its time.
public struct Position: Sendable, Equatable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double
  /// Meters above sea level, or nil if unknown.
  public var elevationMeters: Double?
  /// Time since the first position of the source.
  public var elapsed: Duration

  /// Creates a position; `elapsed` is the time since the first position of its source.
  public init(latitude: Double, longitude: Double, elevationMeters: Double? = nil, elapsed: Duration) {
    self.latitude = latitude
    self.longitude = longitude
    self.elevationMeters = elevationMeters
    self.elapsed = elapsed
  }
}

/// The user's permission, in Core Location's terms.
public enum LocationAuthorization: String, Sendable, FieldWord {
  case notDetermined = "not-determined"
  case restricted
  case denied
  case whenInUse = "when-in-use"
  case always

  /// True if positions are available.
  public var isGranted: Bool { self == .whenInUse || self == .always }
}

extension HandleKey {
  /// The ``LocationSource`` of the plugin.
  public static let locationSource: HandleKey = "location-source"
  /// The ``LocationCenter`` of the process.
  static let locationCenter: HandleKey = "location-center"
}
