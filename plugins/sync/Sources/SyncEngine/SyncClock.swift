#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The device's clock as the session sees it; tests turn their own.
public protocol SyncClock: Sendable {
  /// Milliseconds since 1970 by the device's clock, never going back.
  func nowMilliseconds() -> Int64
  /// Returns at that time or later; throws when the task is cancelled.
  func sleep(untilMilliseconds time: Int64) async throws
}

/// The wall clock, read once; from then on the monotonic clock counts, so that nobody who sets the clock moves a stamp.
public struct SystemClock: SyncClock {
  private let anchorMilliseconds: Int64
  private let anchor = ContinuousClock.now

  /// Anchors at the present time.
  public init() { anchorMilliseconds = Int64(Date().timeIntervalSince1970 * 1000) }

  /// The time at the anchor and what has passed since.
  public func nowMilliseconds() -> Int64 {
    let (seconds, attoseconds) = anchor.duration(to: .now).components
    return anchorMilliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  /// Waits on the monotonic clock.
  public func sleep(untilMilliseconds time: Int64) async throws {
    let instant = anchor.advanced(by: .milliseconds(time - anchorMilliseconds))
    try await Task.sleep(until: instant, tolerance: .zero, clock: .continuous)
  }
}
