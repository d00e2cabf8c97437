#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The device's clock as used by a session.
package protocol SyncClock: Sendable {
  /// The device's time in milliseconds since 1970, which never decreases.
  func nowMilliseconds() -> Int64
  /// Waits until that time or longer. Throws if the task is cancelled.
  func sleep(untilMilliseconds time: Int64) async throws
}

/// The wall clock, read once and then advanced by the monotonic clock, so that setting the clock does not affect
/// stamps.
package struct SystemClock: SyncClock {
  private let anchorMilliseconds: Int64
  private let anchor = ContinuousClock.now
  private let pace: ClockPace

  /// Reads the wall clock.
  package init() {
    pace = ClockPace.present
    anchorMilliseconds = pace.shown(atMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// The wall clock's first reading plus the monotonic time that has passed since then.
  package func nowMilliseconds() -> Int64 {
    let (seconds, attoseconds) = anchor.duration(to: .now).components
    return anchorMilliseconds + (seconds * 1000 + attoseconds / 1_000_000_000_000_000) * pace.scale
  }

  /// Waits until a time, measured by the monotonic clock.
  package func sleep(untilMilliseconds time: Int64) async throws {
    let instant = anchor.advanced(by: .milliseconds((time - anchorMilliseconds) / pace.scale))
    try await Task.sleep(until: instant, tolerance: .zero, clock: .continuous)
  }
}

/// The speed and the error of a process's clock. Only debug builds can set them: tests make clocks run faster, so that
/// waits of hours take no time, or show a wrong time, like the clocks of devices.
struct ClockPace: Sendable {
  var originMilliseconds: Int64 = 0
  var scale: Int64 = 1
  var offsetMilliseconds: Int64 = 0

  /// Returns the time shown by a clock that has run at this pace since its origin.
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
