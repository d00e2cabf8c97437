import SyncCore

/// The state of synchronization on one device, for people and for metrics.
public struct SyncStatus: Hashable, Sendable {
  /// The name of the device in the zone.
  public var device: DeviceID
  /// The store of the device's data, and the stores found at each location.
  package var binding: StoreBinding
  /// The number of changes waiting to be sent.
  public var outboxDepth: Int
  /// The age of the oldest waiting change in milliseconds, or 0 if none is waiting.
  package var outboxAgeMilliseconds: Int64
  /// The parked changes with their reasons.
  public var parked: [Parked]
  /// The records with a value that exceeds a limit. Only that value is not shown.
  package var notShown: [NotShown]
  /// The time of the last successful request, in milliseconds since 1970 on the device's clock, or nil if there was
  /// none.
  public var lastSuccessMilliseconds: Int64?
  /// The time when this device last completed a fetch of all changes made on other devices, in milliseconds since 1970
  /// on its clock, or nil if it never has.
  public var lastHeardMilliseconds: Int64?
  /// The end of the delay that the budget imposes on changes made on other devices, or nil if there is no delay.
  package var staleUntilMilliseconds: Int64?
  /// True if the live channel is open.
  package var isChannelUp: Bool
  /// True if the user has switched synchronization off.
  public var isOffline: Bool
  /// A problem that a person must solve before anything is sent, or nil if there is none.
  package var pausedBecause: BackendError?
  /// The reason why nothing is sent and the end of the pause, or nil after a successful request. It is also saved in
  /// the device's file.
  public var pause: SyncPause?
  /// The current level of service.
  public var level: Degradation.Level
  /// The number of requests sent in the last hour.
  public var requestsInHour: Int
  /// The number of bytes sent and received in the last 24 hours.
  public var bytesInDay: Int
  /// The cost of the zone's first fetch, which is not included in `requestsInHour` and `bytesInDay`.
  package var firstFetch: RequestBudget.FirstFetch
  package var limits: RequestBudget.Limits
  /// The server's clock minus the device's clock, in milliseconds.
  package var clockOffsetMilliseconds: Int64
  /// The position up to which the zone has been read.
  package var cursor: Cursor?
  /// The counters, including conflicts by rule.
  package var statistics: SyncStatistics

  /// A record with a value that exceeds a limit.
  package struct NotShown: Hashable, Sendable {
    package var key: RecordKey
    /// A message that names the value and the limit.
    package var reason: String
  }

  /// A parked change.
  public struct Parked: Hashable, Sendable {
    /// The change's position in the outbox, which identifies it.
    public var position: Int64
    /// The key of the changed record.
    public var key: RecordKey
    package var change: RecordOperation.Change
    /// The time when the change was made, in milliseconds since 1970 on the device's clock.
    package var queuedMilliseconds: Int64
    /// The reason why the change is parked.
    public var reason: String
  }

  /// Reads the status from a saved replica, without a session.
  package init(of replica: Replica, atMilliseconds now: Int64) {
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
  /// Returns the current state of synchronization.
  package func status(atMilliseconds now: Int64) -> SyncStatus {
    var status = SyncStatus(of: replica, atMilliseconds: now)
    status.isChannelUp = channel.isOpen
    status.isOffline = isOffline
    status.pausedBecause = pausedBecause
    status.level = degradation.level
    status.staleUntilMilliseconds = staleUntil(now)
    return status
  }

  /// True if no change is waiting and no commit is in flight. Parked changes do not count.
  package var isFlushed: Bool {
    push.inFlight == nil && replica.outbox.waitingCount == 0
  }

  /// True if changes are waiting or being sent and nothing prevents it: synchronization is on, and there is no pause.
  package var canHandOver: Bool {
    isStarted && !isOffline && pausedBecause == nil && replica.pause == nil && !isFlushed
  }

  /// From now on, counts the visited changes of the outbox, for tests.
  package mutating func countVisits(in counter: WorkCounter) { replica.outbox.visits = counter }

  /// Returns the common state of changes made in this session: parked if any is parked, acknowledged if all are
  /// acknowledged, and otherwise waiting.
  package func fate(of positions: [Int64]) -> SyncFate {
    let items = positions.compactMap { replica.outbox[position: replica.outbox.present($0)] }
    for item in items {
      if let reason = item.parkedBecause { return .parked(item.key, reason: reason) }
    }
    return items.isEmpty ? .acknowledged : .waiting
  }

  /// Returns the devices that count as devices of the zone: neither retired nor silent for 90 days.
  package func liveDevices(atMilliseconds now: Int64) -> Set<DeviceID> {
    replica.confirmed.values.reduce(into: []) {
      $0.formUnion($1.cell.context.liveDevices(atMilliseconds: now + replica.skewMilliseconds))
    }
  }

  /// Returns the content of a record, including this device's unacknowledged changes.
  package func view(of key: RecordKey) -> Cell {
    replica.view(of: key, windowMilliseconds: window(of: key))
  }
}

/// The state of changes made in this session.
package enum SyncFate: Hashable, Sendable {
  /// At least one change is waiting to be sent or for its response.
  case waiting
  /// All changes are stored in the zone or were discarded by a person.
  case acknowledged
  /// At least one change is parked. Contains its record and the reason.
  case parked(RecordKey, reason: String)
}
