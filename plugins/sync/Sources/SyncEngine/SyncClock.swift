#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The device's clock, as used by a session.
package protocol SyncClock: Sendable {
  /// Returns the device's time in milliseconds since 1970. It never decreases.
  func nowMilliseconds() -> Int64
  /// Waits at least until this time. Throws if the task is cancelled.
  func sleep(untilMilliseconds time: Int64) async throws
}

/// The wall clock, read once and then advanced by the monotonic clock. Setting the wall clock therefore does not affect
/// stamps.
package struct SystemClock: SyncClock {
  private let anchorMilliseconds: Int64
  private let anchor = ContinuousClock.now
  private let pace: ClockPace

  /// Creates a clock that starts at the wall clock's current time.
  package init() {
    pace = ClockPace.present
    anchorMilliseconds = pace.shown(atMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// Returns the first reading of the wall clock plus the monotonic time that has passed since then.
  package func nowMilliseconds() -> Int64 {
    let (seconds, attoseconds) = anchor.duration(to: .now).components
    return anchorMilliseconds + (seconds * 1000 + attoseconds / 1_000_000_000_000_000) * pace.scale
  }

  /// Waits until this time, measured by the monotonic clock.
  package func sleep(untilMilliseconds time: Int64) async throws {
    let instant = anchor.advanced(by: .milliseconds((time - anchorMilliseconds) / pace.scale))
    try await Task.sleep(until: instant, tolerance: .zero, clock: .continuous)
  }
}

/// The speed and the error of a process's clock. They can be set only in debug builds: tests run clocks faster, so that
/// hours pass quickly, or make them show a wrong time, as on a misconfigured device.
struct ClockPace: Sendable {
  var originMilliseconds: Int64 = 0
  var scale: Int64 = 1
  var offsetMilliseconds: Int64 = 0

  /// Returns the time shown by this clock at the wall-clock time `real`.
  func shown(atMilliseconds real: Int64) -> Int64 {
    originMilliseconds + (real - originMilliseconds) * scale + offsetMilliseconds
  }

  static let present: ClockPace = {
    var pace = ClockPace()
    #if DEBUG
      // The format is `ORIGIN,SCALE,OFFSET`, with origin and offset in milliseconds.
      let parts = ProcessInfo.processInfo.environment["FLOWRUN_SYNC_CLOCK"]?.split(separator: ",").compactMap {
        Int64($0)
      }
      if let parts, parts.count == 3, parts[1] > 0 {
        pace = ClockPace(originMilliseconds: parts[0], scale: parts[1], offsetMilliseconds: parts[2])
      }
    #endif
    return pace
  }()
}
