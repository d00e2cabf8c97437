import SyncCore

/// Everything that a device keeps across restarts: what the server confirmed, what it has not yet, and where it stands.
///
/// Each change marks a key; `takeChanges()` gives the marked keys with their new values, to be saved in one transaction
/// before anything is sent that rests on them.
public struct Replica: Sendable {
  /// Who this device is.
  public private(set) var device: DeviceID
  /// The zone that it is a part of, nil until the first session says so.
  public private(set) var zone: String?
  /// The number of the device's next action (M1).
  public private(set) var nextNumber: Int64 = 1
  /// The records as the server confirmed them.
  public private(set) var confirmed: [RecordKey: Record] = [:]
  /// Records whose confirmation is in doubt, while the whole zone is fetched anew (V23).
  public private(set) var unconfirmed: Set<RecordKey> = []
  /// What waits to be sent, in order.
  public private(set) var outbox: [OutboxItem] = []
  /// How far the zone's changes have been read, nil before the first time.
  public private(set) var cursor: Cursor?
  /// Whether the whole zone is being fetched anew.
  public private(set) var isResynchronizing = false
  /// The source of stamps.
  public private(set) var clock = HybridLogicalClock()
  /// The server's clock minus the device's, as last measured.
  public private(set) var skewMilliseconds: Int64 = 0
  /// What may still be sent.
  public private(set) var budget: RequestBudget
  /// Why nothing went out last, and until when; nil after a success.
  public private(set) var pause: SyncPause?
  /// Counts for the status.
  public private(set) var statistics = SyncStatistics()
  /// What has changed since the last save.
  var dirty: Set<StoredPart> = []

  /// A new replica of a device that has never synchronized.
  public init(device: DeviceID, limits: RequestBudget.Limits = RequestBudget.Limits()) {
    self.device = device
    budget = RequestBudget(limits: limits)
    dirty.insert(.identity)
  }

  /// A record with what this device has not sent yet on top: what the user sees at once (local first, S32).
  public func view(of key: RecordKey, windowMilliseconds: Int64) -> Cell {
    var cell = confirmed[key]?.cell ?? Cell()
    for item in outbox where item.key == key {
      switch item.change {
      case .write(let write): cell.apply(write, windowMilliseconds: windowMilliseconds)
      case .join(let other): cell = Cell.join(cell, other, windowMilliseconds: windowMilliseconds)
      }
    }
    return cell
  }

  // MARK: Changes, each of which marks what it touches

  mutating func takeNumber() -> Int64 {
    defer { nextNumber += 1 }
    dirty.insert(.identity)
    return nextNumber
  }

  /// Whether a record holds writes under this device's name that it knows nothing of: then its file is an older copy, or
  /// another device runs on a copy of it, and its next numbers stand for other actions already.
  func isOutrun(by record: Record) -> Bool { record.cell.context[device] >= nextNumber }

  /// Goes on under a name of its own, so that no action is taken for one that is known already (M1, M4).
  mutating func takeNewIdentity(random: UInt32) {
    let old = device
    device = DeviceID(stem: old.stem, random: random)
    dirty.insert(.identity)
    for index in outbox.indices {
      guard case .write(var write) = outbox[index].change else { continue }
      write.dot = Dot(device: device, number: takeNumber())
      // Under these numbers the author meant his own actions; the server knows others.
      write.context.limit(old, to: confirmed[outbox[index].key]?.cell.context[old] ?? 0)
      outbox[index].change = .write(write)
      dirty.insert(.outbox(outbox[index].position))
    }
  }

  mutating func confirm(_ record: Record) {
    confirmed[record.key] = record
    unconfirmed.remove(record.key)
    dirty.insert(.record(record.key))
    if let latest = record.cell.latestStamp { receive(latest) }
  }

  mutating func beginResynchronizing() {
    isResynchronizing = true
    cursor = nil
    unconfirmed = Set(confirmed.keys)
    for key in unconfirmed { dirty.insert(.record(key)) }
    dirty.insert(.cursor)
  }

  mutating func endResynchronizing() {
    isResynchronizing = false
    dirty.insert(.cursor)
  }

  mutating func move(to newCursor: Cursor) {
    guard cursor != newCursor else { return }
    cursor = newCursor
    dirty.insert(.cursor)
  }

  mutating func append(
    _ change: Operation.Change, for key: RecordKey, queuedMilliseconds: Int64, isStampMeasured: Bool
  ) {
    let item = OutboxItem(
      position: (outbox.last?.position ?? 0) + 1, key: key, change: change, queuedMilliseconds: queuedMilliseconds,
      skewMilliseconds: skewMilliseconds, isStampMeasured: isStampMeasured)
    outbox.append(item)
    dirty.insert(.outbox(item.position))
  }

  mutating func replace(_ item: OutboxItem) {
    guard let index = outbox.firstIndex(where: { $0.position == item.position }) else { return }
    outbox[index] = item
    dirty.insert(.outbox(item.position))
  }

  mutating func remove(position: Int64) {
    outbox.removeAll { $0.position == position }
    dirty.insert(.outbox(position))
  }

  mutating func stamp(nowMilliseconds now: Int64) -> Stamp {
    dirty.insert(.clock)
    return clock.stamp(device, nowMilliseconds: now + skewMilliseconds)
  }

  mutating func receive(_ stamp: Stamp) {
    clock.receive(stamp)
    dirty.insert(.clock)
  }

  /// Takes a measured difference to the server's clock; what was stamped on a guess is stamped again, once (M2).
  mutating func measure(skewMilliseconds measured: Int64) {
    skewMilliseconds = measured
    clock = HybridLogicalClock()
    dirty.insert(.clock)
    for record in confirmed.values { record.cell.latestStamp.map { clock.receive($0) } }
    for index in outbox.indices {
      guard case .write(var write) = outbox[index].change else { continue }
      if !outbox[index].isStampMeasured {
        let shifted = write.milliseconds + measured - outbox[index].skewMilliseconds
        write.milliseconds = min(max(shifted, 0), Stamp.latestMilliseconds)
        if let seen = write.seen { write.stamp = write.stamp.raised(above: seen) }
        outbox[index].change = .write(write)
        outbox[index].skewMilliseconds = measured
        outbox[index].isStampMeasured = true
        dirty.insert(.outbox(outbox[index].position))
      }
      clock.receive(write.stamp)
    }
  }

  mutating func spendRequest(atMilliseconds now: Int64) {
    budget.spendRequest(atMilliseconds: now)
    statistics.requests += 1
    dirty.insert(.budget)
  }

  mutating func spend(bytes: Int, atMilliseconds now: Int64) {
    budget.spend(bytes: bytes, atMilliseconds: now)
    dirty.insert(.budget)
  }

  mutating func count(_ change: (inout SyncStatistics) -> Void) {
    change(&statistics)
    dirty.insert(.statistics)
  }

  /// Binds the replica to a zone; throws `ReplicaError.otherZone` when it is bound to another one, since what one zone
  /// holds must not be given to another.
  mutating func join(zone asked: String) throws(ReplicaError) {
    if let zone, zone != asked { throw .otherZone(found: zone, asked: asked) }
    guard zone == nil else { return }
    zone = asked
    dirty.insert(.zone)
  }

  mutating func note(_ present: SyncPause?) {
    guard pause != present else { return }
    pause = present
    dirty.insert(.pause)
  }

  mutating func restore(zone: String?, pause: SyncPause?) { (self.zone, self.pause) = (zone, pause) }

  mutating func restore(
    nextNumber: Int64, cursor: Cursor?, isResynchronizing: Bool, clock: HybridLogicalClock, skewMilliseconds: Int64
  ) {
    self.nextNumber = nextNumber
    self.cursor = cursor
    self.isResynchronizing = isResynchronizing
    self.clock = clock
    self.skewMilliseconds = skewMilliseconds
  }

  mutating func restore(_ record: Record, isUnconfirmed: Bool) {
    confirmed[record.key] = record
    if isUnconfirmed { unconfirmed.insert(record.key) }
  }

  mutating func restore(outbox items: [OutboxItem], budget: RequestBudget, statistics: SyncStatistics) {
    outbox = items
    self.budget = budget
    self.statistics = statistics
    dirty = []
  }
}

/// What has happened so far, for the status and the metrics.
public struct SyncStatistics: Hashable, Sendable {
  /// Actions of the user on this device.
  public var actions: Int64 = 0
  /// Changes that the server acknowledged.
  public var acknowledged: Int64 = 0
  /// Actions that a newer one of this device replaced before they were sent.
  public var superseded: Int64 = 0
  /// Requests sent.
  public var requests: Int64 = 0
  /// When a request last succeeded, in milliseconds since 1970 on the device's clock; 0 for never (S15).
  public var lastSuccessMilliseconds: Int64 = 0
  /// How many conflicts each rule decided.
  public var conflicts: [ConflictRule: Int64] = [:]

  /// Nothing has happened.
  public init() {}
}
