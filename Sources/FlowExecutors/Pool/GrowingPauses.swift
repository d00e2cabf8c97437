import FlowModel

/// The pauses between the attempts at something that is refused for a moment: each is twice as long as the one before, up to
/// 10 s, and there is none once the time is up.
struct GrowingPauses {
  private static let first = Duration.milliseconds(500)
  private static let longest = Duration.seconds(10)
  private let end: ContinuousClock.Instant
  private var pause = GrowingPauses.first

  /// - Parameters:
  ///   - limit: how long attempts are made.
  ///   - start: the instant of the first refusal.
  init(limit: Duration, from start: ContinuousClock.Instant) { end = start + limit }

  /// The pause before the next attempt; nil if there is none.
  mutating func next(at now: ContinuousClock.Instant) -> Duration? {
    guard now < end else { return nil }
    defer { pause = min(pause * 2, Self.longest) }
    return min(pause, end - now)
  }
}
