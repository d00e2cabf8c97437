import SyncCore

/// Everything that a device keeps across restarts: what the server confirmed, what it has not yet, and its position.
///
/// Each change marks a key; `takeChanges()` gives the marked keys with their new values, to be saved in one transaction
/// before anything is sent that rests on them.
public struct Replica: Sendable {
  /// Who this device is.
  public internal(set) var device: DeviceID
  /// The zone that it is a part of, nil until the first session says so.
  public internal(set) var zone: String?
  /// The store that this data belongs to.
  public internal(set) var binding = StoreBinding()
  /// The number of the device's next action (M1).
  public internal(set) var nextNumber: Int64 = 1
  /// The records as the server confirmed them.
  public internal(set) var confirmed = ShardedTable<RecordKey, SyncRecord>()
  /// How many of them each collection has, and which hold something over a limit.
  public internal(set) var tallies = RecordTallies()
  /// Records whose confirmation is in doubt, while the whole zone is fetched again (V23).
  public internal(set) var unconfirmed: Set<RecordKey> = []
  /// What waits to be sent, in order.
  public internal(set) var outbox = Outbox()
  /// How far the zone's changes have been read, nil before the first time.
  public internal(set) var cursor: Cursor?
  /// The furthest cursor that the zone has given this device, also for its own commits: a zone that does not know it has
  /// lost something.
  public internal(set) var heard: Cursor?
  /// Whether the whole zone is being fetched again.
  public internal(set) var isResynchronizing = false
  /// What the zone has forgotten.
  public internal(set) var dropped = Dropped()
  /// The rules of each collection as far as this device knows: the zone's, with what it has asked for on top.
  var rules: [String: ZoneRules] = [:]
  /// Which part of the zone the device holds; nil for all of it.
  public internal(set) var subscription: SyncSubscription?
  /// Whether it has ever held a part: then it may have written to records that it has released.
  var hasHeldParts = false
  /// Records that do not belong to that part and go once nothing waits for them.
  var outside: Set<RecordKey> = []
  /// The source of stamps.
  public internal(set) var clock = HybridLogicalClock()
  /// The server's clock minus the device's, as last measured.
  public internal(set) var skewMilliseconds: Int64 = 0
  /// What may still be sent.
  public internal(set) var budget: RequestBudget
  /// Why nothing went out last, and until when; nil after a success.
  public internal(set) var pause: SyncPause?
  /// Counts for the status.
  public internal(set) var statistics = SyncStatistics()
  /// How records read that have many changes here, so that each further one does not go through all before it.
  var views = ShardedTable<RecordKey, KnownView>()
  /// What has changed since the last save.
  var dirty: Set<StoredPart> = []
  /// Records that may read differently since then.
  var touched: Set<RecordKey> = []

  /// A new replica of a device that has never synchronized.
  public init(device: DeviceID, limits: RequestBudget.Limits = RequestBudget.Limits()) {
    self.device = device
    budget = RequestBudget(limits: limits)
    dirty.insert(.identity)
  }

  /// A record with what this device has not sent yet on top: what the user sees at once (local first, S32). What breaks a
  /// limit in it is left out.
  public func view(of key: RecordKey, windowMilliseconds: Int64) -> Cell {
    whole(of: key, windowMilliseconds: windowMilliseconds).withinLimits()
  }

  /// The same with everything that is in it: what an action must be later than.
  func whole(of key: RecordKey, windowMilliseconds: Int64) -> Cell {
    if let known = views[key], known.windowMilliseconds == windowMilliseconds { return known.cell }
    var cell = confirmed[key]?.cell ?? Cell()
    for item in outbox.items(for: key) { cell.show(item, windowMilliseconds: windowMilliseconds) }
    return cell
  }

  /// Keeps how a record reads that has many changes here.
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
    // In this order rules that it names are known all the time.
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

  /// Notes how far the zone had come in an answer.
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

  /// Whether a cell waits to be returned under this key.
  func isGivingBack(_ key: RecordKey) -> Bool {
    outbox.items(for: key).contains { item in
      if case .join = item.change { item.parkedBecause == nil } else { false }
    }
  }

  /// Gives a cell back before everything else that waits: a later write of the same author would make the zone take what
  /// was lost for something that has been removed.
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

  /// Notes that a record may read otherwise now.
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

  /// Takes a measured difference to the server's clock; what was stamped on a guess is stamped again, once (M2).
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

  /// Whether this device has not heard of the whole zone yet.
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

  /// Has the budget fit a clock that has been set back while nothing ran.
  mutating func correctBudget(atMilliseconds now: Int64) {
    let before = budget
    budget.correct(atMilliseconds: now)
    if budget != before { dirty.insert(.budget) }
  }

  /// Notes bytes that came; before the whole zone has been heard once they count apart.
  mutating func spend(bytes: Int, atMilliseconds now: Int64) {
    if isFirstFetch {
      budget.spendOnFirstFetch(bytes: bytes)
    } else {
      budget.spend(bytes: bytes, atMilliseconds: now)
    }
    dirty.insert(.budget)
  }

  /// Notes bytes that are sent.
  mutating func spend(sentBytes bytes: Int, atMilliseconds now: Int64) {
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
}

/// How a record with many changes here reads.
struct KnownView: Sendable {
  /// The number of changes from which this applies.
  static let fewestChanges = 8

  var windowMilliseconds: Int64
  var cell: Cell
}

extension Cell {
  /// Shows a change of this device on top of what is there.
  fileprivate mutating func show(_ item: OutboxItem, windowMilliseconds: Int64) {
    switch item.change {
    case .write(let write) where item.parkedBecause != nil && context.covers(write.dot):
      showOvertaken(write, windowMilliseconds: windowMilliseconds)
    case .write(let write): apply(write, windowMilliseconds: windowMilliseconds)
    case .join(let other): self = Cell.join(self, other, windowMilliseconds: windowMilliseconds)
    case .retire(let device): _ = retire(device)
    }
  }

  /// Shows a parked write after which its device has made others that the zone has: their numbers cover its own, though the
  /// zone does not have it. It brings back neither a record that is deleted now nor a state that its device has replaced.
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
