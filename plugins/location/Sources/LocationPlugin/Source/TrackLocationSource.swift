import FlowModel
import FlowPluginKit

/// Plays a GPX track on the run's clock; the place of a location service where the system has none.
///
/// The format is the one that Xcode uses to simulate a location: `wpt`, `rtept` or `trkpt` elements with `lat` and `lon`,
/// and with `time` where the pace matters (without, one second is between two points).
public struct TrackLocationSource: LocationSource {
  /// A source that keeps nothing.
  public init() {}

  /// The system keeps no record; the plugin's own counts.
  public func authorization() -> LocationAuthorization? { nil }

  /// There is no user to ask: the simulated answer is used.
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
      // A repeated track of one instant would spin: a second passes before it begins again.
      let gap = Duration.seconds(1)
      start += played + gap
      if request.repeats { try await context.sleep(for: max(.milliseconds(1), gap / request.speed)) }
    } while request.repeats
  }
}
