import SyncCore

extension Replica {
  /// The version of the format of saved replicas.
  package static let storageFormat: UInt8 = 7
  /// The oldest version that can be read. Version 6 added the store binding, and version 7 added moves in lists.
  package static let oldestFormat: UInt8 = 5
  /// The maximum number of the user's actions in the journal.
  package static let journalLimit: Int64 = 1000

  /// The key of the saved `StoreBinding`.
  package static let storeKey = "store"
  static let recordPrefix = "record/"
  static let outboxPrefix = "outbox/"

  static func journalKey(_ number: Int64) -> String { "journal/" + padded(number) }

  /// Formats a number with a fixed number of digits, so that keys sort like numbers. Negative numbers start with a
  /// minus sign.
  private static func padded(_ number: Int64) -> String {
    if number < 0 { return "-" + padded(-number) }
    let digits = String(number)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  /// A part of the replica, saved under its own key.
  enum StoredPart: Hashable, Sendable {
    case identity, zone, store, cursor, clock, budget, statistics, pause, subscription
    case record(RecordKey)
    case outbox(Int64)

    var key: String {
      switch self {
      case .identity: "identity"
      case .zone: "zone"
      case .store: Replica.storeKey
      case .cursor: "cursor"
      case .clock: "clock"
      case .budget: "budget"
      case .statistics: "statistics"
      case .pause: "pause"
      case .subscription: "subscription"
      case .record(let key): Replica.recordPrefix + key.type + "/" + key.name
      case .outbox(let position): Replica.outboxPrefix + Replica.padded(position)
      }
    }
  }

  /// Returns the values that have changed since the last call, to be saved in one transaction.
  mutating func takeChanges() -> [StoreChange] {
    guard !dirty.isEmpty else { return [] }
    // The set is replaced to free its storage, because copying a large set at every event would be slow.
    defer { dirty = [] }
    // A loop is used because a closure would copy the whole replica for each part.
    var changes: [StoreChange] = []
    for part in dirty { changes.append(StoreChange(key: part.key, value: packed(part))) }
    return changes.sorted { $0.key < $1.key }
  }

  private func packed(_ part: StoredPart) -> [UInt8]? {
    switch part {
    case .identity:
      StoredIdentity(device: device, nextNumber: nextNumber).packed()
    case .zone: zone.map { Array($0.utf8) }
    case .store: binding.packed()
    case .cursor:
      StoredCursor(
        cursor: cursor, heard: heard, isResynchronizing: isResynchronizing, dropped: dropped
      ).packed()
    case .clock: StoredClock(clock: clock, skewMilliseconds: skewMilliseconds).packed()
    case .budget: budget.packed()
    case .statistics: statistics.packed()
    case .pause: pause?.packed()
    // An empty array means that the device now receives the whole zone but once received only a part of it.
    case .subscription: hasHeldParts ? subscription?.packed() ?? [] : nil
    case .record(let key):
      confirmed[key].map {
        StoredRecord(record: $0, isUnconfirmed: unconfirmed.contains(key), isOutside: outside.contains(key)).packed()
      }
    case .outbox(let position): outbox[position: position]?.packed()
    }
  }

  /// Returns the device of a saved identity, or nil if it cannot be read.
  package static func device(ofIdentity saved: [UInt8]) -> DeviceID? {
    (try? StoredIdentity(packed: saved))?.device
  }

  /// Reads a saved replica. Returns nil if nothing was saved.
  ///
  /// Throws a `ReplicaError` if a value is damaged or has an unsupported format. Waiting changes that exceed a limit,
  /// because an earlier version allowed them, are parked. If `limits` is nil, the saved limits apply; this is used to
  /// inspect a file.
  package init?(
    stored: [String: [UInt8]], limits: RequestBudget.Limits? = RequestBudget.Limits()
  ) throws(ReplicaError) {
    let identityKey = StoredPart.identity.key
    guard let saved = stored[identityKey] else {
      if let key = stored.keys.min() { throw .corrupt(key: identityKey, reason: "it is missing next to '\(key)'") }
      return nil
    }
    if let format = saved.first, (1..<Self.oldestFormat).contains(format) {
      throw .removedFormat(found: format, oldest: Self.oldestFormat)
    }
    let identity = try Self.read(identityKey) { () throws(PackingError) in try StoredIdentity(packed: saved) }
    self.init(device: identity.device, limits: limits ?? .none)
    nextNumber = identity.nextNumber
    var waiting: [OutboxItem] = []
    for (key, bytes) in stored.sorted(by: { $0.key < $1.key }) {
      if key.hasPrefix(Self.outboxPrefix) {
        guard let position = Int64(key.dropFirst(Self.outboxPrefix.count)) else {
          throw .corrupt(key: key, reason: "the key is not a position")
        }
        waiting.append(
          try Self.read(key) { () throws(PackingError) in try OutboxItem(position: position, packed: bytes) })
      } else if key.hasPrefix(Self.recordPrefix) {
        let one = try Self.read(key) { () throws(PackingError) in try StoredRecord(key: key, packed: bytes) }
        tallies.note(one.record, instead: nil)
        confirmed[one.record.key] = one.record
        noteRules(one.record.key)
        if one.isUnconfirmed { unconfirmed.insert(one.record.key) }
        if one.isOutside { outside.insert(one.record.key) }
      }
    }
    // Cells to be returned have negative positions, whose keys do not sort by number.
    for item in waiting.sorted(by: { $0.position < $1.position }) {
      outbox.append(item)
      noteRules(item.key)
    }
    let reached = try Self.read(.cursor, stored, StoredCursor.init(packed:))
    (cursor, heard, isResynchronizing) = (reached.cursor, reached.heard, reached.isResynchronizing)
    dropped = reached.dropped
    let time = try Self.read(.clock, stored, StoredClock.init(packed:))
    (clock, skewMilliseconds) = (time.clock, time.skewMilliseconds)
    budget = try Self.read(.budget, stored) { bytes throws(PackingError) in
      try RequestBudget(packed: bytes, limits: limits)
    }
    statistics = try Self.read(.statistics, stored, SyncStatistics.init(packed:))
    pause = try Self.read(.pause, stored, SyncPause.init(packed:))
    if let packed = stored[StoredPart.subscription.key] {
      hasHeldParts = true
      subscription = try Self.read(.subscription, stored) { bytes throws(PackingError) in
        packed.isEmpty ? nil : try SyncSubscription(packed: bytes)
      }
    }
    binding = try Self.read(.store, stored, StoreBinding.init(packed:))
    zone = stored[StoredPart.zone.key].map { String(decoding: $0, as: UTF8.self) }
    // The next save writes the current format.
    dirty = saved.first == Self.storageFormat ? [] : [.identity]
    // Without a received cursor, the device cannot check that the zone still has everything that it acknowledged.
    if heard == nil, !isResynchronizing, !confirmed.isEmpty { beginResynchronizing() }
    parkWhatBreaksLimits()
  }

  private mutating func parkWhatBreaksLimits() {
    for item in outbox.waiting {
      guard let write = item.write, let problem = RecordLimits.problem(with: write) else { continue }
      for position in whole(item.position) {
        guard var part = outbox[position: position], part.parkedBecause == nil else { continue }
        part.parkedBecause = problem
        replace(part)
      }
    }
  }

  /// Reads a part. `body` is called with an empty array if the part was never saved.
  private static func read<Value>(
    _ part: StoredPart, _ stored: [String: [UInt8]], _ body: ([UInt8]) throws(PackingError) -> Value
  ) throws(ReplicaError) -> Value {
    try read(part.key) { () throws(PackingError) in try body(stored[part.key] ?? []) }
  }

  static func read<Value>(
    _ key: String, _ body: () throws(PackingError) -> Value
  ) throws(ReplicaError) -> Value {
    do {
      return try body()
    } catch .unsupportedFormat(let found, let known) {
      throw .unsupportedFormat(found: found, known: known)
    } catch {
      throw .corrupt(key: key, reason: "\(error)")
    }
  }
}

private struct StoredIdentity {
  var device: DeviceID
  var nextNumber: Int64

  init(device: DeviceID, nextNumber: Int64) { (self.device, self.nextNumber) = (device, nextNumber) }

  func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte(Replica.storageFormat)
    packer.text(device.name)
    packer.unsigned(UInt64(nextNumber))
    return packer.bytes
  }

  init(packed bytes: [UInt8]) throws(PackingError) {
    var reader = Unpacker(bytes)
    let format = try reader.byte("the format")
    guard (Replica.oldestFormat...Replica.storageFormat).contains(format) else {
      throw .unsupportedFormat(found: format, known: Replica.storageFormat)
    }
    guard let device = DeviceID(try reader.text("the device's name", limit: DeviceID.maximumLength)) else {
      throw .malformed(at: 1, reading: "the device's name", "is not a device's name")
    }
    self.device = device
    nextNumber = try reader.number("the next number", in: 1...Stamp.latestMilliseconds)
  }
}

private struct StoredCursor {
  var cursor: Cursor?
  var heard: Cursor?
  var isResynchronizing: Bool
  var dropped = Dropped()

  init(cursor: Cursor?, heard: Cursor?, isResynchronizing: Bool, dropped: Dropped) {
    (self.cursor, self.heard, self.isResynchronizing, self.dropped) = (cursor, heard, isResynchronizing, dropped)
  }

  func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte((cursor == nil ? 0 : 1) | (isResynchronizing ? 2 : 0) | (heard == nil ? 0 : 4))
    packer.unsigned(cursor?.generation ?? 0)
    packer.unsigned(UInt64(cursor?.sequence ?? 0))
    for number in [dropped.sequence, dropped.incarnation] {
      packer.unsigned(UInt64(number))
    }
    packer.unsigned(cursor?.tag ?? 0)
    packer.unsigned(heard?.generation ?? 0)
    packer.unsigned(UInt64(heard?.sequence ?? 0))
    packer.unsigned(heard?.tag ?? 0)
    return packer.bytes
  }

  init(packed bytes: [UInt8]) throws(PackingError) {
    self.init(cursor: nil, heard: nil, isResynchronizing: false, dropped: Dropped())
    if bytes.isEmpty { return }
    var reader = Unpacker(bytes)
    let flags = try reader.byte("the cursor's parts")
    let stored = Cursor(
      generation: try reader.unsigned("the zone's generation"), sequence: try reader.number("the cursor"))
    if flags & 1 == 1 { cursor = stored }
    isResynchronizing = flags & 2 == 2
    dropped.sequence = try reader.number("the last deletion that was forgotten")
    dropped.incarnation = try reader.number("the incarnation in which records begin")
    cursor?.tag = try reader.unsigned("the cursor's tag")
    let latest = Cursor(
      generation: try reader.unsigned("the generation of the furthest cursor"),
      sequence: try reader.number("the furthest cursor"), tag: try reader.unsigned("the furthest cursor's tag"))
    heard = flags & 4 == 4 ? latest : nil
  }
}

private struct StoredClock {
  var clock = HybridLogicalClock()
  var skewMilliseconds: Int64 = 0

  init(clock: HybridLogicalClock, skewMilliseconds: Int64) {
    (self.clock, self.skewMilliseconds) = (clock, skewMilliseconds)
  }

  func packed() -> [UInt8] {
    var packer = Packer()
    clock.pack(into: &packer)
    packer.signed(skewMilliseconds)
    return packer.bytes
  }

  init(packed bytes: [UInt8]) throws(PackingError) {
    if bytes.isEmpty { return }
    var reader = Unpacker(bytes)
    clock = try HybridLogicalClock(from: &reader)
    skewMilliseconds = try reader.signed("the clock's difference")
  }
}

private struct StoredRecord {
  var record: SyncRecord
  var isUnconfirmed: Bool
  var isOutside: Bool

  init(record: SyncRecord, isUnconfirmed: Bool, isOutside: Bool) {
    (self.record, self.isUnconfirmed, self.isOutside) = (record, isUnconfirmed, isOutside)
  }

  func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte((isUnconfirmed ? 1 : 0) | (isOutside ? 2 : 0))
    packer.unsigned(UInt64(record.version))
    packer.unsigned(UInt64(record.sequence))
    packer.data(record.cell.packed())
    return packer.bytes
  }

  init(key: String, packed bytes: [UInt8]) throws(PackingError) {
    let parts = key.dropFirst(Replica.recordPrefix.count).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { throw .malformed(at: 0, reading: "the key", "has no type and name") }
    var reader = Unpacker(bytes)
    let flags = try reader.byte("the record's state")
    (isUnconfirmed, isOutside) = (flags & 1 == 1, flags & 2 == 2)
    let version = try reader.number("the version")
    let sequence = try reader.number("the sequence")
    let cell = try Cell(packed: try reader.data("the cell", limit: 1 << 24))
    let recordKey = RecordKey(type: String(parts[0]), name: String(parts[1]))
    record = SyncRecord(key: recordKey, version: version, sequence: sequence, cell: cell)
  }
}
