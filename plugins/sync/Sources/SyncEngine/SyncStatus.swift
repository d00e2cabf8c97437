import SyncCore

/// How synchronizing stands on one device, for people and for metrics.
public struct SyncStatus: Hashable, Sendable {
  /// Which device.
  public var device: DeviceID
  /// How many changes wait to be sent.
  public var outboxDepth: Int
  /// How long the oldest of them has waited, in milliseconds.
  public var outboxAgeMilliseconds: Int64
  /// What was set aside, and why.
  public var parked: [Parked]
  /// When a request last succeeded, in milliseconds since 1970 on the device's clock; nil for never.
  public var lastSuccessMilliseconds: Int64?
  /// Whether the live channel is up.
  public var isChannelUp: Bool
  /// Whether the user has switched synchronizing off.
  public var isOffline: Bool
  /// What a person must look at before anything is sent, nil when nothing must be.
  public var pausedBecause: BackendError?
  /// Why nothing went out last, and until when; nil when the last request succeeded. Also kept in the device's file.
  public var pause: SyncPause?
  /// How far the service is reduced.
  public var level: Degradation.Level
  /// Requests in the hour that ends now.
  public var requestsInHour: Int
  /// Bytes in the day that ends now.
  public var bytesInDay: Int
  /// What may be spent.
  public var limits: RequestBudget.Limits
  /// The server's clock minus the device's, in milliseconds.
  public var clockOffsetMilliseconds: Int64
  /// How far the zone has been read.
  public var cursor: Cursor?
  /// What has happened so far, with the rule that decided each conflict.
  public var statistics: SyncStatistics

  /// A change that was set aside.
  public struct Parked: Hashable, Sendable {
    /// Which record.
    public var key: RecordKey
    /// Why.
    public var reason: String
  }

  /// The status that a saved replica gives by itself, without a session.
  public init(of replica: Replica, atMilliseconds now: Int64) {
    let waiting = replica.outbox.filter { $0.parkedBecause == nil }
    device = replica.device
    outboxDepth = waiting.count
    outboxAgeMilliseconds = waiting.map { max(0, now - $0.queuedMilliseconds) }.max() ?? 0
    parked = replica.outbox.compactMap { item in item.parkedBecause.map { Parked(key: item.key, reason: $0) } }
    let success = replica.statistics.lastSuccessMilliseconds
    lastSuccessMilliseconds = success == 0 ? nil : success
    isChannelUp = false
    isOffline = false
    pause = replica.pause
    requestsInHour = replica.budget.requests(atMilliseconds: now)
    bytesInDay = replica.budget.bytes(atMilliseconds: now)
    limits = replica.budget.limits
    clockOffsetMilliseconds = replica.skewMilliseconds
    cursor = replica.cursor
    statistics = replica.statistics
    let share = replica.budget.usedShare(atMilliseconds: now)
    level = share >= 1 ? .queueOnly : share >= Degradation.reducedShare ? .reduced : .normal
  }
}

extension SyncMachine {
  /// How synchronizing stands.
  public func status(atMilliseconds now: Int64) -> SyncStatus {
    var status = SyncStatus(of: replica, atMilliseconds: now)
    status.isChannelUp = channel.isOpen
    status.isOffline = isOffline
    status.pausedBecause = pausedBecause
    status.level = degradation.level
    return status
  }

  /// Whether everything has been sent and nothing is under way; what was set aside does not count.
  public var isFlushed: Bool {
    push.inFlight == nil && replica.outbox.allSatisfy { $0.parkedBecause != nil }
  }

  /// How a record reads, with what has not been sent yet.
  public func view(of key: RecordKey) -> Cell {
    replica.view(of: key, windowMilliseconds: policy.windowMilliseconds)
  }
}
