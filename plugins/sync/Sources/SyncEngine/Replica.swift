import SyncCore

/// The state that a device keeps across restarts: confirmed records, unsent changes and its position in the zone.
///
/// Each change marks a key. `takeChanges()` returns the marked keys with their new values, which are saved in one
/// transaction before any request that depends on them.
public struct Replica: Sendable {
  /// The identity of this device.
  public internal(set) var device: DeviceID
  /// The zone it belongs to, or nil before the first session.
  public internal(set) var zone: String?
  /// The store that this data belongs to.
  public internal(set) var binding = StoreBinding()
  /// The number of the device's next action (M1).
  public internal(set) var nextNumber: Int64 = 1
  /// The records as the server confirmed them.
  public internal(set) var confirmed = ShardedTable<RecordKey, SyncRecord>()
  /// How many of them each collection has, and which hold something over a limit.
  public internal(set) var tallies = RecordTallies()
  /// The records whose confirmation is uncertain while the whole zone is fetched again (V23).
  public internal(set) var unconfirmed: Set<RecordKey> = []
  /// The changes waiting to be sent, in order.
  public internal(set) var outbox = Outbox()
  /// The position up to which the zone's changes have been read, or nil before the first fetch.
  public internal(set) var cursor: Cursor?
  /// The furthest cursor received from the zone, including those for own commits. A zone that does not know it has lost
  /// data.
  public internal(set) var heard: Cursor?
  /// True while the whole zone is fetched again.
  public internal(set) var isResynchronizing = false
  /// The deletions that the zone has forgotten.
  public internal(set) var dropped = Dropped()
  /// The rules of each collection as known here: those of the zone, with the device's own requests on top.
  var rules: [String: ZoneRules] = [:]
  /// The part of the zone on this device, or nil for all of it.
  public internal(set) var subscription: SyncSubscription?
  /// True if the device ever had only a part. It may then have written to records that it released.
  var hasHeldParts = false
  /// The records outside of that part, which are removed once no changes wait for them.
  var outside: Set<RecordKey> = []
  /// The source of stamps.
  public internal(set) var clock = HybridLogicalClock()
  /// The server's clock minus the device's, as last measured.
  public internal(set) var skewMilliseconds: Int64 = 0
  /// The requests and bytes that may still be sent.
  public internal(set) var budget: RequestBudget
  /// The reason why nothing was sent last, and the end of the pause. Nil after a success.
  public internal(set) var pause: SyncPause?
  /// Counters for the status.
  public internal(set) var statistics = SyncStatistics()
  /// The content of records with many local changes, cached so that each new change does not process all earlier ones.
  var views = ShardedTable<RecordKey, KnownView>()
  /// The parts that changed since the last save.
  var dirty: Set<StoredPart> = []
  /// The records whose content may have changed since then.
  var touched: Set<RecordKey> = []

  /// Makes the replica of a device that has never synchronized.
  public init(device: DeviceID, limits: RequestBudget.Limits = RequestBudget.Limits()) {
    self.device = device
    budget = RequestBudget(limits: limits)
    dirty.insert(.identity)
  }

  /// A record with this device's unsent changes applied, as the user sees it at once (local first, S32). Values that
  /// exceed a limit are left out.
  public func view(of key: RecordKey, windowMilliseconds: Int64) -> Cell {
    whole(of: key, windowMilliseconds: windowMilliseconds).withinLimits()
  }

  /// The same with values over a limit. An action must be later than all of it.
  func whole(of key: RecordKey, windowMilliseconds: Int64) -> Cell {
    if let known = views[key], known.windowMilliseconds == windowMilliseconds { return known.cell }
    var cell = confirmed[key]?.cell ?? Cell()
    for item in outbox.items(for: key) { cell.show(item, windowMilliseconds: windowMilliseconds) }
    return cell
  }

  /// Caches the content of a record with many local changes.
  mutating func keepView(of key: RecordKey, windowMilliseconds: Int64) {
    guard outbox.count(for: key) >= KnownView.fewestChanges,
      views[key]?.windowMilliseconds != windowMilliseconds
    else { return }
    views[key] = nil
    views[key] = KnownView(
      windowMilliseconds: windowMilliseconds, cell: whole(of: key, windowMilliseconds: windowMilliseconds))
  }

  /// Removes a change that the zone has taken and notes what the zone has made of the record. `isAsShown` says that this
  /// is the record with that change, so that the record reads as before.
  mutating func settle(_ position: Int64, as record: SyncRecord?, isAsShown: Bool) {
    guard let key = outbox[position: position]?.key else {
      if let record { confirm(record) }
      return
    }
    let view = isAsShown && outbox.first(for: key)?.position == position ? views[key] : nil
    // In this order, the rules in a record are known at all times.
    if let record { confirm(record) }
    remove(position: position)
    if outbox.holds(key) { views[key] = view }
  }

  // MARK: Changes, each of which marks what it touches

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

  /// Records the zone's position from a response.
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

  /// True if a cell for this key waits to be returned.
  func isGivingBack(_ key: RecordKey) -> Bool {
    outbox.items(for: key).contains { item in
      if case .join = item.change { item.parkedBecause == nil } else { false }
    }
  }

  /// Queues a cell to be returned to the zone before all other changes. Otherwise a later write of the same author
  /// would make lost content look like removed content.
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

  /// Sets the measured difference to the server's clock. Actions stamped with a guess are stamped again, once (M2).
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

  /// True until the device has read the whole zone once.
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

  /// Adapts the budget to a clock that was set back while no process ran.
  mutating func correctBudget(atMilliseconds now: Int64) {
    let before = budget
    budget.correct(atMilliseconds: now)
    if budget != before { dirty.insert(.budget) }
  }

  /// Counts received bytes. Before the whole zone has been read once, they count separately.
  mutating func spend(bytes: Int, atMilliseconds now: Int64) {
    if isFirstFetch {
      budget.spendOnFirstFetch(bytes: bytes)
    } else {
      budget.spend(bytes: bytes, atMilliseconds: now)
    }
    dirty.insert(.budget)
  }

  /// Counts sent bytes.
  mutating func spend(sentBytes bytes: Int, atMilliseconds now: Int64) {
    budget.spend(bytes: bytes, atMilliseconds: now)
    dirty.insert(.budget)
  }

  mutating func count(_ change: (inout SyncStatistics) -> Void) {
    change(&statistics)
    dirty.insert(.statistics)
  }

  /// Binds the replica to a zone. Throws `ReplicaError.otherZone` if it is bound to another one, because the content of
  /// one zone must not reach another.
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
  /// The number of changes from which content is cached.
  static let fewestChanges = 8

  var windowMilliseconds: Int64
  var cell: Cell
}

extension Cell {
  /// Applies a change of this device.
  fileprivate mutating func show(_ item: OutboxItem, windowMilliseconds: Int64) {
    switch item.change {
    case .write(let write) where item.parkedBecause != nil && context.covers(write.dot):
      showOvertaken(write, windowMilliseconds: windowMilliseconds)
    case .write(let write): apply(write, windowMilliseconds: windowMilliseconds)
    case .join(let other): self = Cell.join(self, other, windowMilliseconds: windowMilliseconds)
    case .retire(let device): _ = retire(device)
    }
  }

  /// Applies a parked write that is older than writes of this device in the zone. Their numbers cover it, although the
  /// zone does not have it. It restores neither a deleted record nor a state that the device has replaced.
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
