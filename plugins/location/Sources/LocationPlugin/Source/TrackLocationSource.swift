import FlowModel
import FlowPluginKit

/// Simulates a GPX track on the run's clock, for systems without a location service.
///
/// The format is the one that Xcode uses to simulate a location: `wpt`, `rtept` or `trkpt` elements with `lat` and
/// `lon`, and optionally `time`; without times, points are one second apart.
public struct TrackLocationSource: LocationSource {
  /// Creates a source; it has no state.
  public init() {}

  /// Returns nil, because the system keeps no record and the plugin's is used.
  public func authorization() -> LocationAuthorization? { nil }

  /// Returns the simulated answer, because there is no user to ask.
  public nonisolated(nonsending) func requestAuthorization(
    simulatedAnswer: LocationAuthorization
  ) async throws -> LocationAuthorization { simulatedAnswer }

  /// Delivers the track's points at their times, divided by the speed.
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
      // A repeated track with a single instant would spin, so there is a second between repetitions.
      let gap = Duration.seconds(1)
      start += played + gap
      if request.repeats { try await context.sleep(for: max(.milliseconds(1), gap / request.speed)) }
    } while request.repeats
  }
}
