import SyncCore

extension Replica {
  /// The format of the keys and values below.
  public static let storageFormat: UInt8 = 1
  /// How many of the user's actions the journal keeps.
  public static let journalLimit: Int64 = 1000

  private static let recordPrefix = "record/"
  private static let outboxPrefix = "outbox/"

  static func journalKey(_ number: Int64) -> String { "journal/" + padded(number) }

  private static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  /// What is saved under a key of its own.
  enum StoredPart: Hashable, Sendable {
    case identity, zone, cursor, clock, budget, statistics, pause
    case record(RecordKey)
    case outbox(Int64)

    /// The key.
    var key: String {
      switch self {
      case .identity: "identity"
      case .zone: "zone"
      case .cursor: "cursor"
      case .clock: "clock"
      case .budget: "budget"
      case .statistics: "statistics"
      case .pause: "pause"
      case .record(let key): Replica.recordPrefix + key.type + "/" + key.name
      case .outbox(let position): Replica.outboxPrefix + Replica.padded(position)
      }
    }
  }

  /// The changes since the last call, to be saved in one transaction; empty when there are none.
  mutating func takeChanges() -> [StoreChange] {
    guard !dirty.isEmpty else { return [] }
    defer { dirty.removeAll(keepingCapacity: true) }
    return dirty.map { StoreChange(key: $0.key, value: packed($0)) }.sorted { $0.key < $1.key }
  }

  private func packed(_ part: StoredPart) -> [UInt8]? {
    switch part {
    case .identity: packedIdentity()
    case .zone: zone.map { Array($0.utf8) }
    case .cursor: packedCursor()
    case .clock: packedClock()
    case .budget: packedBudget()
    case .statistics: statistics.packed()
    case .pause: pause?.packed()
    case .record(let key): confirmed[key].map { packed($0) }
    case .outbox(let position): outbox.first { $0.position == position }?.packed()
    }
  }

  private func packedIdentity() -> [UInt8] {
    var packer = Packer()
    packer.byte(Self.storageFormat)
    packer.text(device.name)
    packer.unsigned(UInt64(nextNumber))
    return packer.bytes
  }

  private func packedCursor() -> [UInt8] {
    var packer = Packer()
    packer.byte((cursor == nil ? 0 : 1) | (isResynchronizing ? 2 : 0))
    packer.unsigned(cursor?.generation ?? 0)
    packer.unsigned(UInt64(cursor?.sequence ?? 0))
    return packer.bytes
  }

  private func packedClock() -> [UInt8] {
    var packer = Packer()
    packer.unsigned(UInt64(clock.milliseconds))
    packer.unsigned(UInt64(clock.counter))
    packer.signed(skewMilliseconds)
    return packer.bytes
  }

  private func packedBudget() -> [UInt8] {
    var packer = Packer()
    packer.count(budget.times.count)
    var last: Int64 = 0
    for time in budget.times {
      packer.signed(time - last)
      last = time
    }
    packer.count(budget.hours.count)
    for hour in budget.hours {
      packer.signed(hour.hour)
      packer.count(hour.bytes)
    }
    return packer.bytes
  }

  private func packed(_ record: Record) -> [UInt8] {
    var packer = Packer()
    packer.byte(unconfirmed.contains(record.key) ? 1 : 0)
    packer.unsigned(UInt64(record.version))
    packer.unsigned(UInt64(record.sequence))
    packer.data(record.cell.packed())
    return packer.bytes
  }

  /// Reads a replica back from what was saved; nil when nothing was.
  ///
  /// Throws a `ReplicaError` that names the damaged key; nothing is repaired by guessing.
  public init?(
    stored: [String: [UInt8]], limits: RequestBudget.Limits = RequestBudget.Limits()
  ) throws(ReplicaError) {
    let identityKey = StoredPart.identity.key
    guard let identity = stored[identityKey] else {
      if let key = stored.keys.min() { throw .corrupt(key: identityKey, reason: "it is missing beside '\(key)'") }
      return nil
    }
    let (device, number) = try Self.read(identityKey) { () throws(PackingError) in try Self.identity(identity) }
    self.init(device: device, limits: limits)
    var items: [OutboxItem] = []
    for (key, bytes) in stored.sorted(by: { $0.key < $1.key }) {
      if key.hasPrefix(Self.outboxPrefix) {
        guard let position = Int64(key.dropFirst(Self.outboxPrefix.count)) else {
          throw .corrupt(key: key, reason: "the key is no position")
        }
        items.append(
          try Self.read(key) { () throws(PackingError) in try OutboxItem(position: position, packed: bytes) })
      } else if key.hasPrefix(Self.recordPrefix) {
        let (record, isUnconfirmed) = try Self.read(key) { () throws(PackingError) in
          try Self.record(key: key, bytes)
        }
        restore(record, isUnconfirmed: isUnconfirmed)
      }
    }
    let (cursor, isResynchronizing) = try Self.read(.cursor, stored, Self.cursor)
    let (clock, skew) = try Self.read(.clock, stored, Self.clock)
    let budget = try Self.read(.budget, stored) { bytes throws(PackingError) in try Self.budget(bytes, limits) }
    let statistics = try Self.read(.statistics, stored, SyncStatistics.init(packed:))
    let pause = try Self.read(.pause, stored, SyncPause.init(packed:))
    restore(zone: stored[StoredPart.zone.key].map { String(decoding: $0, as: UTF8.self) }, pause: pause)
    restore(
      nextNumber: number, cursor: cursor, isResynchronizing: isResynchronizing, clock: clock, skewMilliseconds: skew)
    restore(outbox: items, budget: budget, statistics: statistics)
  }

  /// A part that has a key of its own, empty when it has not been saved yet.
  private static func read<Value>(
    _ part: StoredPart, _ stored: [String: [UInt8]], _ body: ([UInt8]) throws(PackingError) -> Value
  ) throws(ReplicaError) -> Value {
    try read(part.key) { () throws(PackingError) in try body(stored[part.key] ?? []) }
  }

  private static func read<Value>(
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

  private static func identity(_ bytes: [UInt8]) throws(PackingError) -> (DeviceID, Int64) {
    var reader = Unpacker(bytes)
    let format = try reader.byte("the format")
    guard format == storageFormat else { throw .unsupportedFormat(found: format, known: storageFormat) }
    guard let device = DeviceID(try reader.text("the device's name", limit: DeviceID.maximumLength)) else {
      throw .malformed(at: 1, reading: "the device's name", "is not a device's name")
    }
    return (device, try reader.number("the next number", in: 1...Stamp.latestMilliseconds))
  }

  private static func cursor(_ bytes: [UInt8]) throws(PackingError) -> (Cursor?, Bool) {
    if bytes.isEmpty { return (nil, false) }
    var reader = Unpacker(bytes)
    let flags = try reader.byte("the cursor's parts")
    let cursor = Cursor(
      generation: try reader.unsigned("the zone's generation"), sequence: try reader.number("the cursor"))
    return (flags & 1 == 1 ? cursor : nil, flags & 2 == 2)
  }

  private static func clock(_ bytes: [UInt8]) throws(PackingError) -> (HybridLogicalClock, Int64) {
    if bytes.isEmpty { return (HybridLogicalClock(), 0) }
    var reader = Unpacker(bytes)
    let milliseconds = try reader.number("the clock")
    let counter = UInt32(try reader.number("the clock's counter", in: 0...Int64(UInt32.max)))
    return (
      HybridLogicalClock(milliseconds: milliseconds, counter: counter), try reader.signed("the clock's difference")
    )
  }

  private static func budget(
    _ bytes: [UInt8], _ limits: RequestBudget.Limits
  ) throws(PackingError) -> RequestBudget {
    if bytes.isEmpty { return RequestBudget(limits: limits) }
    var reader = Unpacker(bytes)
    var times: [Int64] = []
    for _ in 0..<(try reader.count("the number of requests", limit: 1_000_000)) {
      times.append((times.last ?? 0) &+ (try reader.signed("the time of a request")))
    }
    var hours: [RequestBudget.HourOfBytes] = []
    for _ in 0..<(try reader.count("the number of hours", limit: 25)) {
      let hour = try reader.signed("an hour")
      hours.append(.init(hour: hour, bytes: try reader.count("the bytes of an hour", limit: 1 << 40)))
    }
    return RequestBudget(limits: limits, times: times, hours: hours)
  }

  private static func record(key: String, _ bytes: [UInt8]) throws(PackingError) -> (Record, Bool) {
    let parts = key.dropFirst(recordPrefix.count).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { throw .malformed(at: 0, reading: "the key", "has no type and name") }
    var reader = Unpacker(bytes)
    let flags = try reader.byte("the record's state")
    let version = try reader.number("the version")
    let sequence = try reader.number("the sequence")
    let cell = try Cell(packed: try reader.data("the cell", limit: 1 << 20))
    let recordKey = RecordKey(type: String(parts[0]), name: String(parts[1]))
    return (Record(key: recordKey, version: version, sequence: sequence, cell: cell), flags & 1 == 1)
  }
}

extension SyncStatistics {
  func packed() -> [UInt8] {
    var packer = Packer()
    for number in [actions, acknowledged, superseded, requests, lastSuccessMilliseconds] { packer.signed(number) }
    for rule in ConflictRule.allCases { packer.signed(conflicts[rule] ?? 0) }
    return packer.bytes
  }

  init(packed bytes: [UInt8]) throws(PackingError) {
    self.init()
    if bytes.isEmpty { return }
    var reader = Unpacker(bytes)
    actions = try reader.signed("the count of actions")
    acknowledged = try reader.signed("the count of acknowledged changes")
    superseded = try reader.signed("the count of superseded actions")
    requests = try reader.signed("the count of requests")
    lastSuccessMilliseconds = try reader.signed("the time of the last success")
    for rule in ConflictRule.allCases {
      let count = try reader.signed("the count of conflicts")
      if count != 0 { conflicts[rule] = count }
    }
  }
}
