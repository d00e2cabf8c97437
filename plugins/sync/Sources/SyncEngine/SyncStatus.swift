import SyncCore

/// How synchronizing is on one device, for people and for metrics.
public struct SyncStatus: Hashable, Sendable {
  /// Which device.
  public var device: DeviceID
  /// The store that its data belongs to, and where it was met.
  public var binding: StoreBinding
  /// The number of changes that wait to be sent.
  public var outboxDepth: Int
  /// How long the oldest of them has waited, in milliseconds.
  public var outboxAgeMilliseconds: Int64
  /// What was parked, and why.
  public var parked: [Parked]
  /// Records that hold something over a limit, by key, and which: that is not shown, all else in them is.
  public var notShown: [NotShown]
  /// When a request last succeeded, in milliseconds since 1970 on the device's clock; nil for never.
  public var lastSuccessMilliseconds: Int64?
  /// When this device last heard all that others had done, in milliseconds since 1970 on its clock; nil for never.
  public var lastHeardMilliseconds: Int64?
  /// Until when the budget keeps this device from hearing what others have done since; nil while it does not.
  public var staleUntilMilliseconds: Int64?
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
  /// What the first fetch of the zone took, apart from these.
  public var firstFetch: RequestBudget.FirstFetch
  /// What may be spent.
  public var limits: RequestBudget.Limits
  /// The server's clock minus the device's, in milliseconds.
  public var clockOffsetMilliseconds: Int64
  /// How far the zone has been read.
  public var cursor: Cursor?
  /// What has happened so far, with the rule that decided each conflict.
  public var statistics: SyncStatistics

  /// A record of which a part breaks a limit.
  public struct NotShown: Hashable, Sendable {
    /// Which record.
    public var key: RecordKey
    /// Which part, and which limit.
    public var reason: String
  }

  /// A change that was parked.
  public struct Parked: Hashable, Sendable {
    /// Its place in the outbox, by which it is named.
    public var position: Int64
    /// Which record.
    public var key: RecordKey
    /// What it would do.
    public var change: RecordOperation.Change
    /// When it was made, in milliseconds since 1970 on the device's clock.
    public var queuedMilliseconds: Int64
    /// Why.
    public var reason: String
  }

  /// The status that a saved replica gives by itself, without a session.
  public init(of replica: Replica, atMilliseconds now: Int64) {
    device = replica.device
    binding = replica.binding
    outboxDepth = replica.outbox.waitingCount
    let oldest = replica.outbox.waiting.first { _ in true }
    outboxAgeMilliseconds = oldest.map { max(0, now - $0.queuedMilliseconds) } ?? 0
    parked = replica.outbox.parked.compactMap { item in
      item.parkedBecause.map {
        Parked(
          position: item.position, key: item.key, change: item.change, queuedMilliseconds: item.queuedMilliseconds,
          reason: $0)
      }
    }
    notShown = replica.tallies.overLimit.map { NotShown(key: $0.key, reason: $0.value) }.sorted { $0.key < $1.key }
    let success = replica.statistics.lastSuccessMilliseconds
    lastSuccessMilliseconds = success == 0 ? nil : success
    let heard = replica.statistics.lastHeardMilliseconds
    lastHeardMilliseconds = heard == 0 ? nil : heard
    isChannelUp = false
    isOffline = false
    pause = replica.pause
    requestsInHour = replica.budget.requests(atMilliseconds: now)
    bytesInDay = replica.budget.bytes(atMilliseconds: now)
    firstFetch = replica.budget.firstFetch
    limits = replica.budget.limits
    clockOffsetMilliseconds = replica.skewMilliseconds
    cursor = replica.cursor
    statistics = replica.statistics
    let share = replica.budget.usedShare(atMilliseconds: now)
    level = share >= 1 ? .queueOnly : share >= Degradation.reducedShare ? .reduced : .normal
  }
}

extension SyncMachine {
  /// The state of synchronization.
  public func status(atMilliseconds now: Int64) -> SyncStatus {
    var status = SyncStatus(of: replica, atMilliseconds: now)
    status.isChannelUp = channel.isOpen
    status.isOffline = isOffline
    status.pausedBecause = pausedBecause
    status.level = degradation.level
    status.staleUntilMilliseconds = staleUntil(now)
    return status
  }

  /// Whether everything has been sent and nothing is under way; what was parked does not count.
  public var isFlushed: Bool {
    push.inFlight == nil && replica.outbox.waitingCount == 0
  }

  /// Whether something waits that may be sent soon: synchronizing is on, and the last request did not fail.
  public var canHandOver: Bool {
    isStarted && !isOffline && pausedBecause == nil && replica.pause == nil && !isFlushed
  }

  /// Counts the changes that are visited from now on, for a test.
  package mutating func countVisits(in counter: WorkCounter) { replica.outbox.visits = counter }

  /// What has become of changes that were made in this session, by the positions that taking them in gave.
  public func fate(of positions: [Int64]) -> SyncFate {
    let items = positions.compactMap { replica.outbox[position: replica.outbox.present($0)] }
    for item in items {
      if let reason = item.parkedBecause { return .parked(item.key, reason: reason) }
    }
    return items.isEmpty ? .acknowledged : .waiting
  }

  /// The devices that take a place in the zone.
  public func liveDevices(atMilliseconds now: Int64) -> Set<DeviceID> {
    replica.confirmed.values.reduce(into: []) {
      $0.formUnion($1.cell.context.liveDevices(atMilliseconds: now + replica.skewMilliseconds))
    }
  }

  /// How a record reads, with what has not been sent yet.
  public func view(of key: RecordKey) -> Cell {
    replica.view(of: key, windowMilliseconds: window(of: key))
  }
}

/// What has become of a change.
public enum SyncFate: Hashable, Sendable {
  /// It waits to be sent, or for its answer.
  case waiting
  /// The zone has it, or a person has given it up.
  case acknowledged
  /// It is parked.
  case parked(RecordKey, reason: String)
}
