import FlowModel
import FlowPluginKit

/// What delivers positions: the platform's location service, or a track.
///
/// An iOS app implements it over `CLLocationManager`; on Linux ``TrackLocationSource`` plays a GPX file.
public protocol LocationSource: Sendable {
  /// The platform's own record of the permission; nil if the platform keeps none and the plugin's is used.
  /// Must not prompt (L3, L20).
  func authorization() -> LocationAuthorization?

  /// Prompts the user and gives the answer. Called at most once for each installation.
  ///
  /// - Parameter simulatedAnswer: what a source without a user answers.
  nonisolated(nonsending) func requestAuthorization(
    simulatedAnswer: LocationAuthorization
  ) async throws -> LocationAuthorization

  /// Hands positions to `deliver` until the step is cancelled or there are no more.
  nonisolated(nonsending) func positions(
    for request: LocationRequest, in context: ActionContext, deliver: @Sendable (Position) throws -> Void
  ) async throws
}

/// What is asked of a source.
public struct LocationRequest: Sendable {
  /// The absolute path of a GPX file to play; a source with real positions does not look at it.
  public var track: String?
  /// How many times faster than it was recorded the track is played.
  public var speed: Double
  /// Whether the track begins again at its end.
  public var repeats: Bool
}

/// A position with its time.
public struct Position: Sendable, Equatable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double
  /// Meters above the sea; nil when unknown.
  public var elevationMeters: Double?
  /// Time since the first position of the source.
  public var elapsed: Duration

  /// A position; `elapsed` is the time since the first position of its source.
  public init(latitude: Double, longitude: Double, elevationMeters: Double? = nil, elapsed: Duration) {
    self.latitude = latitude
    self.longitude = longitude
    self.elevationMeters = elevationMeters
    self.elapsed = elapsed
  }
}

/// What the user allows, in Core Location's words.
public enum LocationAuthorization: String, Sendable, FieldWord {
  case notDetermined = "not-determined"
  case restricted
  case denied
  case whenInUse = "when-in-use"
  case always

  /// Whether positions are available.
  public var isGranted: Bool { self == .whenInUse || self == .always }
}

extension HandleKey {
  /// The ``LocationSource`` behind the plugin.
  public static let locationSource: HandleKey = "location-source"
  /// The ``LocationCenter`` of the process.
  static let locationCenter: HandleKey = "location-center"
}
