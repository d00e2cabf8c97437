import FlowModel
import FlowPluginKit

/// Simulates a GPX track on the run's clock, for systems without a location service.
///
/// Accepts the format that Xcode uses to simulate locations: `wpt`, `rtept` or `trkpt` elements with `lat` and `lon`,
/// and optionally `time`. Without times, the points are one second apart.
public struct TrackLocationSource: LocationSource {
  /// Creates a source. The track is part of each request.
  public init() {}

  /// Returns nil, because the system keeps no record of the permission.
  public func authorization() -> LocationAuthorization? { nil }

  /// Returns the simulated answer, because there is no user to ask.
  public nonisolated(nonsending) func requestAuthorization(
    simulatedAnswer: LocationAuthorization
  ) async throws -> LocationAuthorization { simulatedAnswer }

  /// Delivers the points of the track at their recorded times, divided by the speed. If the request repeats the track,
  /// there is a second of recorded time between the last point and the first one.
  public nonisolated(nonsending) func positions(
    for request: LocationRequest, in context: ActionContext, deliver: @Sendable (Position) throws -> Void
  ) async throws {
    guard let path = request.track else {
      throw ActionError(
        "no-source", "this system has no location service; name a GPX file under 'track'", isRetryable: false)
    }
    let track = try GPXTrack(path: path)
    var start = Duration.zero
    repeat {
      var played = Duration.zero
      for point in track.points {
        let pause = (point.elapsed - played) / request.speed
        if pause > .zero { try await context.sleep(for: pause) } else { try context.checkCancellation() }
        played = point.elapsed
        var position = point
        position.elapsed = start + point.elapsed
        try deliver(position)
      }
      // The gap between repetitions prevents a track with a single point from repeating without a pause.
      let gap = Duration.seconds(1)
      start += played + gap
      if request.repeats { try await context.sleep(for: max(.milliseconds(1), gap / request.speed)) }
    } while request.repeats
  }
}
