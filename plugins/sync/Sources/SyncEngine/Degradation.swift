/// How much of synchronizing is left when the budget runs out.
public struct Degradation: Sendable {
  /// How far the service is reduced.
  public enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Everything is done.
    case normal = 0
    /// 90 % of the budget is spent: only essential records are sent, and polls come half as often (D1).
    case reduced = 1
    /// Nothing is left: actions are queued, and one probe goes now and then (D2).
    case queueOnly = 2

    /// Less service is the higher level.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The share of the budget from which on the service is reduced.
  public static let reducedShare = 0.9
  /// How long the cause must be gone before the level is left, in milliseconds.
  public static let recoveryMilliseconds: Int64 = 600_000
  /// The shortest time between two probes, in milliseconds.
  public static let probeMilliseconds: Int64 = 900_000

  var level = Level.normal
  /// The server said that the quota is used up, and no probe has succeeded since.
  var isQuotaExceeded = false
  var retryAfterMilliseconds: Int64 = 0
  var nextProbeMilliseconds: Int64 = 0
  /// Since when the level is what it is.
  private(set) var sinceMilliseconds: Int64 = 0
  private var calmSinceMilliseconds: Int64?

  /// Takes notice of the present cause; true when the level changes.
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

  /// When the level may change without anything else happening.
  func nextChange(atMilliseconds now: Int64) -> Int64? {
    guard level > .normal else { return nil }
    return calmSinceMilliseconds.map { $0 + Self.recoveryMilliseconds } ?? now + 60_000
  }

  mutating func probe(atMilliseconds now: Int64) {
    nextProbeMilliseconds = now + max(retryAfterMilliseconds, Self.probeMilliseconds)
  }
}
