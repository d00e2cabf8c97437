import SyncCore

extension Replica {
  /// The format of the keys and values below.
  public static let storageFormat: UInt8 = 1
  /// How many of the user's actions the journal keeps.
  public static let journalLimit: Int64 = 1000

  static let identityKey = "identity"
  static let cursorKey = "cursor"
  static let clockKey = "clock"
  static let budgetKey = "budget"
  static let statisticsKey = "statistics"
  private static let recordPrefix = "record/"
  private static let outboxPrefix = "outbox/"

  static func storeKey(_ key: RecordKey) -> String { recordPrefix + key.type + "/" + key.name }
  static func storeKey(_ position: Int64) -> String { outboxPrefix + padded(position) }
  static func journalKey(_ number: Int64) -> String { "journal/" + padded(number) }

  private static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  /// The changes since the last call, to be saved in one transaction; empty when there are none.
  mutating func takeChanges() -> [StoreChange] {
    guard !dirty.isEmpty else { return [] }
    defer { dirty.removeAll(keepingCapacity: true) }
    let records = Dictionary(
      uniqueKeysWithValues: dirty.contains { $0.hasPrefix(Self.recordPrefix) }
        ? confirmed.map { (Self.storeKey($0.key), $0.value) } : [])
    return dirty.sorted().map { key in
      switch key {
      case Self.identityKey: StoreChange(key: key, value: packedIdentity())
      case Self.cursorKey: StoreChange(key: key, value: packedCursor())
      case Self.clockKey: StoreChange(key: key, value: packedClock())
      case Self.budgetKey: StoreChange(key: key, value: packedBudget())
      case Self.statisticsKey: StoreChange(key: key, value: statistics.packed())
      default:
        if let record = records[key] {
          StoreChange(key: key, value: packed(record))
        } else {
          StoreChange(key: key, value: outbox.first { Self.storeKey($0.position) == key }?.packed())
        }
      }
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
    packer.byte((cursor == nil ? 0 : 1) | (isResynchronising ? 2 : 0))
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
    guard let identity = stored[Self.identityKey] else {
      if let key = stored.keys.min() { throw .corrupt(key: Self.identityKey, reason: "it is missing beside '\(key)'") }
      return nil
    }
    let (device, number) = try Self.read(Self.identityKey) { () throws(PackingError) in
      try Self.identity(identity)
    }
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
    let empty: [UInt8] = []
    let (cursor, isResynchronising) = try Self.read(Self.cursorKey) { () throws(PackingError) in
      try Self.cursor(stored[Self.cursorKey] ?? empty)
    }
    let (clock, skew) = try Self.read(Self.clockKey) { () throws(PackingError) in
      try Self.clock(stored[Self.clockKey] ?? empty)
    }
    let budget = try Self.read(Self.budgetKey) { () throws(PackingError) in
      try Self.budget(stored[Self.budgetKey] ?? empty, limits)
    }
    let statistics = try Self.read(Self.statisticsKey) { () throws(PackingError) in
      try SyncStatistics(packed: stored[Self.statisticsKey] ?? empty)
    }
    restore(
      nextNumber: number, cursor: cursor, isResynchronising: isResynchronising, clock: clock, skewMilliseconds: skew)
    restore(outbox: items, budget: budget, statistics: statistics)
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
