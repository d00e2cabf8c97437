import FlowModel

/// The pauses between attempts. Each is twice as long as the previous one, up to a maximum. They can have a time limit.
package struct GrowingPauses: Sendable {
  private var pause: Duration
  private let longest: Duration
  private let end: ContinuousClock.Instant?

  /// Creates pauses without a time limit.
  init(first: Duration, longest: Duration) { (pause, self.longest, end) = (first, longest, nil) }

  /// Creates pauses from 500 ms to 10 s.
  ///
  /// - Parameters:
  ///   - limit: The maximum time for which attempts are repeated.
  ///   - start: The time of the first failed attempt.
  package init(limit: Duration, from start: ContinuousClock.Instant) {
    (pause, longest, end) = (.milliseconds(500), .seconds(10), start + limit)
  }

  /// Returns the pause before the next attempt, or nil if the time limit has passed.
  package mutating func next(at now: ContinuousClock.Instant) -> Duration? {
    if let end, now >= end { return nil }
    defer { pause = min(pause * 2, longest) }
    return end.map { min(pause, $0 - now) } ?? pause
  }
}
