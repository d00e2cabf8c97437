import SyncCore

/// The state that a device keeps across restarts: confirmed records, unsent changes and its position in the zone.
///
/// Each change marks the changed parts. `takeChanges()` returns their keys and new values, which are saved in one
/// transaction before any request that depends on them.
package struct Replica: Sendable {
  package internal(set) var device: DeviceID
  /// The zone of this data, or nil before the first session.
  package internal(set) var zone: String?
  /// The store of this data, and the stores found at each location.
  package internal(set) var binding = StoreBinding()
  /// The number of the device's next action (M1).
  package internal(set) var nextNumber: Int64 = 1
  /// The records as confirmed by the server.
  package internal(set) var confirmed = ShardedTable<RecordKey, SyncRecord>()
  /// The number of records in each collection, and the records that exceed a limit.
  package internal(set) var tallies = RecordTallies()
  /// The records that the zone has not confirmed since it began to be fetched again (V23).
  package internal(set) var unconfirmed: Set<RecordKey> = []
  /// The unacknowledged changes, in order.
  package internal(set) var outbox = Outbox()
  /// The position up to which the zone's changes have been read, or nil before the first fetch.
  package internal(set) var cursor: Cursor?
  /// The furthest cursor received from the zone, including the cursors of this device's commits. If the zone's history
  /// does not contain it, the zone has lost data.
  package internal(set) var heard: Cursor?
  /// True while the whole zone is being fetched again.
  package internal(set) var isResynchronizing = false
  /// The limits up to which the zone has forgotten deletions.
  package internal(set) var dropped = Dropped()
  /// The rules of each collection, including rules that this device has declared and not sent yet.
  var rules: [String: ZoneRules] = [:]
  /// The part of the zone that this device receives, or nil for the whole zone.
  package internal(set) var subscription: SyncSubscription?
  /// True if the device has ever received only a part of the zone. It may have written to records that it has since
  /// released.
  var hasHeldParts = false
  /// The records outside the subscription. They are released once they have no waiting or parked changes.
  var outside: Set<RecordKey> = []
  /// The clock for the stamps of this device's writes.
  package internal(set) var clock = HybridLogicalClock()
  /// The server's clock minus the device's clock, as last measured.
  package internal(set) var skewMilliseconds: Int64 = 0
  /// The traffic that the device may still cause.
  package internal(set) var budget: RequestBudget
  /// The reason why nothing is sent and the end of the pause. Nil after a success.
  package internal(set) var pause: SyncPause?
  /// Counters for the status.
  package internal(set) var statistics = SyncStatistics()
  /// The cached content of records with many local changes. Without it, each new change would apply all earlier ones
  /// again.
  var views = ShardedTable<RecordKey, KnownView>()
  /// The parts that have changed since the last save.
  var dirty: Set<StoredPart> = []
  /// The records whose content may have changed since the last save.
  var touched: Set<RecordKey> = []

  /// Creates the replica of a device that has never synchronized.
  package init(device: DeviceID, limits: RequestBudget.Limits = RequestBudget.Limits()) {
    self.device = device
    budget = RequestBudget(limits: limits)
    dirty.insert(.identity)
  }

  /// Returns a record with this device's unacknowledged changes applied, as the user sees it (local first, S32). Values
  /// that exceed a limit are left out.
  package func view(of key: RecordKey, windowMilliseconds: Int64) -> Cell {
    whole(of: key, windowMilliseconds: windowMilliseconds).withinLimits()
  }

  /// Returns a record like `view(of:windowMilliseconds:)`, including values that exceed a limit. New actions must be
  /// later than all of these values.
  func whole(of key: RecordKey, windowMilliseconds: Int64) -> Cell {
    if let known = views[key], known.windowMilliseconds == windowMilliseconds { return known.cell }
    var cell = confirmed[key]?.cell ?? Cell()
    for item in outbox.items(for: key) { cell.show(item, windowMilliseconds: windowMilliseconds) }
    return cell
  }

  /// Caches the content of a record if it has many local changes.
  mutating func keepView(of key: RecordKey, windowMilliseconds: Int64) {
    guard outbox.count(for: key) >= KnownView.fewestChanges,
      views[key]?.windowMilliseconds != windowMilliseconds
    else { return }
    views[key] = nil
    views[key] = KnownView(
      windowMilliseconds: windowMilliseconds, cell: whole(of: key, windowMilliseconds: windowMilliseconds))
  }

  /// Removes an acknowledged change and stores the zone's version of the record. `isAsShown` is true if that version
  /// equals the known one with the change applied. The cached content then stays valid.
  mutating func settle(_ position: Int64, as record: SyncRecord?, isAsShown: Bool) {
    guard let key = outbox[position: position]?.key else {
      if let record { confirm(record) }
      return
    }
    let view = isAsShown && outbox.first(for: key)?.position == position ? views[key] : nil
    // In this order, the collection's rules are known at all times.
    if let record { confirm(record) }
    remove(position: position)
    if outbox.holds(key) { views[key] = view }
  }

  // MARK: Changes that mark the changed parts

  mutating func takeNumber() -> Int64 {
    defer { nextNumber += 1 }
    dirty.insert(.identity)
    return nextNumber
  }

  mutating func confirm(_ record: SyncRecord) {
    tallies.note(record, instead: confirmed[record.key])
    confirmed[record.key] = record
    touch(record.key)
    outside.remove(record.key)
    unconfirmed.remove(record.key)
    dirty.insert(.record(record.key))
    if let latest = record.cell.latestStamp { receive(latest) }
  }

  mutating func beginResynchronizing() {
    isResynchronizing = true
    (cursor, heard) = (nil, nil)
    unconfirmed = Set(confirmed.keys)
    for key in unconfirmed { dirty.insert(.record(key)) }
    dirty.insert(.cursor)
  }

  mutating func endResynchronizing() {
    isResynchronizing = false
    dirty.insert(.cursor)
  }

  mutating func move(to newCursor: Cursor) {
    hear(newCursor)
    guard cursor != newCursor else { return }
    cursor = newCursor
    dirty.insert(.cursor)
  }

  /// Records a cursor received from the zone if it is the furthest so far.
  mutating func hear(_ latest: Cursor) {
    guard latest.isAfter(heard) else { return }
    heard = latest
    dirty.insert(.cursor)
  }

  mutating func append(
    _ change: RecordOperation.Change, for key: RecordKey, queuedMilliseconds: Int64, isStampMeasured: Bool,
    group: Int64? = nil
  ) {
    let item = OutboxItem(
      position: outbox.nextPosition, key: key, change: change, queuedMilliseconds: queuedMilliseconds,
      skewMilliseconds: skewMilliseconds, isStampMeasured: isStampMeasured, group: group)
    outbox.append(item)
    if var view = views[key] {
      views[key] = nil
      view.cell.show(item, windowMilliseconds: view.windowMilliseconds)
      views[key] = view
    }
    noteRules(key)
    touched.insert(key)
    dirty.insert(.outbox(item.position))
  }

  /// True if a cell is waiting to be returned to the zone under this key.
  func isGivingBack(_ key: RecordKey) -> Bool {
    outbox.items(for: key).contains { item in
      if case .join = item.change { item.parkedBecause == nil } else { false }
    }
  }

  /// Queues a cell to be returned to the zone before all other changes. If the author's later writes were sent first,
  /// the lost content would be treated as removed.
  mutating func giveBack(_ cell: Cell, for key: RecordKey, queuedMilliseconds: Int64) {
    for item in outbox.items(for: key) where item.parkedBecause == nil {
      if case .join = item.change { remove(position: item.position) }
    }
    let item = OutboxItem(
      position: min(outbox.first?.position ?? 0, 0) - 1, key: key, change: .join(cell),
      queuedMilliseconds: queuedMilliseconds, skewMilliseconds: skewMilliseconds, isStampMeasured: true)
    outbox.append(item)
    touch(key)
    dirty.insert(.outbox(item.position))
  }

  mutating func replace(_ item: OutboxItem) {
    if let old = outbox[position: item.position], old.change != item.change || old.parkedBecause != item.parkedBecause {
      views[item.key] = nil
      outbox.replace(item)
      noteRules(item.key)
    } else {
      outbox.replace(item)
    }
    touched.insert(item.key)
    dirty.insert(.outbox(item.position))
  }

  mutating func remove(position: Int64) {
    dirty.insert(.outbox(position))
    guard let item = outbox[position: position] else { return }
    outbox.remove(position: position)
    touch(item.key)
  }

  /// Records that the content of a record may have changed.
  mutating func touch(_ key: RecordKey) {
    noteRules(key)
    touched.insert(key)
    views[key] = nil
  }

  mutating func stamp(nowMilliseconds now: Int64) -> Stamp {
    dirty.insert(.clock)
    return clock.stamp(device, nowMilliseconds: now + skewMilliseconds)
  }

  mutating func receive(_ stamp: Stamp) {
    clock.receive(stamp)
    dirty.insert(.clock)
  }

  /// Sets the measured difference to the server's clock. Actions stamped before the first measurement are stamped again
  /// once (M2).
  mutating func measure(skewMilliseconds measured: Int64) {
    skewMilliseconds = measured
    clock = HybridLogicalClock()
    dirty.insert(.clock)
    for record in confirmed.values { record.cell.latestStamp.map { clock.receive($0) } }
    for var item in outbox {
      guard var write = item.write else { continue }
      if !item.isStampMeasured {
        write = write.shifted(byMilliseconds: measured - item.skewMilliseconds)
        item.change = .write(write)
        item.skewMilliseconds = measured
        item.isStampMeasured = true
        replace(item)
      }
      clock.receive(write.stamp)
    }
  }

  /// True until the device has completely read the zone for the first time.
  var isFirstFetch: Bool { statistics.lastHeardMilliseconds == 0 }

  mutating func spendRequest(
    _ purpose: RequestBudget.Purpose, isOfFirstFetch: Bool = false, atMilliseconds now: Int64
  ) {
    if isOfFirstFetch {
      budget.spendOnFirstFetch(requests: 1)
    } else {
      budget.spendRequest(purpose, atMilliseconds: now)
    }
    statistics.requests += 1
    dirty.formUnion([.budget, .statistics])
  }

  /// Corrects the budget if the clock was set back while no process was running.
  mutating func correctBudget(atMilliseconds now: Int64) {
    let before = budget
    budget.correct(atMilliseconds: now)
    if budget != before { dirty.insert(.budget) }
  }

  /// Counts received bytes. The bytes of the first fetch are counted separately.
  mutating func spend(bytes: Int, atMilliseconds now: Int64) {
    if isFirstFetch {
      budget.spendOnFirstFetch(bytes: bytes)
    } else {
      budget.spend(bytes: bytes, atMilliseconds: now)
    }
    dirty.insert(.budget)
  }

  mutating func spend(sentBytes bytes: Int, atMilliseconds now: Int64) {
    budget.spend(bytes: bytes, atMilliseconds: now)
    dirty.insert(.budget)
  }

  mutating func count(_ change: (inout SyncStatistics) -> Void) {
    change(&statistics)
    dirty.insert(.statistics)
  }

  /// Binds the replica to a zone. Throws `ReplicaError.otherZone` if it is already bound to another one, because
  /// content must not move between zones.
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
}

/// The cached content of a record with many local changes.
struct KnownView: Sendable {
  /// The minimum number of local changes for a record's content to be cached.
  static let fewestChanges = 8

  var windowMilliseconds: Int64
  var cell: Cell
}

extension Cell {
  /// Applies a local change, as the user sees it.
  fileprivate mutating func show(_ item: OutboxItem, windowMilliseconds: Int64) {
    switch item.change {
    case .write(let write) where item.parkedBecause != nil && context.covers(write.dot):
      showOvertaken(write, windowMilliseconds: windowMilliseconds)
    case .write(let write): apply(write, windowMilliseconds: windowMilliseconds)
    case .join(let other): self = Cell.join(self, other, windowMilliseconds: windowMilliseconds)
    case .retire(let device): _ = retire(device)
    }
  }

  /// Applies a parked write that is older than other writes of this device in the zone. The context covers its number
  /// although the zone does not have the write. It restores neither a deleted record nor a state that the device has
  /// replaced.
  private mutating func showOvertaken(_ write: Write, windowMilliseconds: Int64) {
    if isRecord, content.living.isEmpty { return }
    var write = write
    if entries.contains(where: { $0.dot.device == write.dot.device }) { write.payload = nil }
    let seen = context
    context.limit(write.dot.device, to: write.dot.number - 1)
    apply(write, windowMilliseconds: windowMilliseconds)
    context = seen
  }
}
