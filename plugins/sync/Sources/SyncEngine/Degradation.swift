/// The current level of service, which is reduced when the budget is almost used up.
public struct Degradation: Sendable {
  /// A level of service.
  public enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Everything is sent and received as usual.
    case normal = 0
    /// 90 % of the budget is used: only essential records are sent, if the settings name any, and polls are half as
    /// frequent (D1).
    case reduced = 1
    /// The budget or the server's quota is used up: actions are queued, and a probe is sent from time to time (D2).
    case queueOnly = 2

    /// Compares levels. A higher level means less service.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The used share of the budget from which service is reduced.
  package static let reducedShare = 0.9
  /// The time in milliseconds for which the cause must be absent before service is restored.
  package static let recoveryMilliseconds: Int64 = 600_000
  /// The minimum interval between two probes, in milliseconds.
  package static let probeMilliseconds: Int64 = 900_000

  var level = Level.normal
  /// True if the server reported an exhausted quota and no probe has succeeded since.
  var isQuotaExceeded = false
  var retryAfterMilliseconds: Int64 = 0
  var nextProbeMilliseconds: Int64 = 0
  /// The time at which the level last changed.
  private(set) var sinceMilliseconds: Int64 = 0
  private var calmSinceMilliseconds: Int64?

  /// Updates the level. Returns true if it has changed.
  mutating func update(usedShare: Double, isExhausted: Bool, atMilliseconds now: Int64) -> Bool {
    let cause: Level = isQuotaExceeded || isExhausted ? .queueOnly : usedShare >= Self.reducedShare ? .reduced : .normal
    if cause >= level {
      calmSinceMilliseconds = nil
      guard cause > level else { return false }
      (level, sinceMilliseconds) = (cause, now)
      if level == .queueOnly { nextProbeMilliseconds = now + max(retryAfterMilliseconds, Self.probeMilliseconds) }
      return true
    }
    let calmSince = calmSinceMilliseconds ?? now
    calmSinceMilliseconds = calmSince
    guard now - calmSince >= Self.recoveryMilliseconds else { return false }
    (level, sinceMilliseconds) = (cause, now)
    calmSinceMilliseconds = nil
    return true
  }

  /// Returns the time when the level may change on its own, or nil at the normal level.
  func nextChange(atMilliseconds now: Int64) -> Int64? {
    guard level > .normal else { return nil }
    return calmSinceMilliseconds.map { $0 + Self.recoveryMilliseconds } ?? now + 60_000
  }

  mutating func probe(atMilliseconds now: Int64) {
    nextProbeMilliseconds = now + max(retryAfterMilliseconds, Self.probeMilliseconds)
  }
}
