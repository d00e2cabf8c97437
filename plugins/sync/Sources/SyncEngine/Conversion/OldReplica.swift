import SyncCore

/// A device's file of an earlier version, read once: from then on it is kept as this version keeps it.
struct OldReplica {
  /// What was saved, as this version reads it.
  private(set) var stored: [String: [UInt8]]
  /// The keys that have changed.
  private(set) var changed: Set<Replica.StoredPart> = []

  /// What was saved, converted where an earlier version saved it; throws a `ReplicaError` that names the damaged key.
  init(_ saved: [String: [UInt8]]) throws(ReplicaError) {
    stored = saved
    let identity = Replica.StoredPart.identity.key
    guard let format = saved[identity]?.first, (1..<Replica.storageFormat).contains(format) else { return }
    stored[identity]?[0] = Replica.storageFormat
    changed.insert(.identity)
    // Up to here a file did not say to which store it belongs.
    if format == 5 { return }
    try convertCursor()
    if format > 3 { return }
    try convertStatistics()
    var items: [OutboxItem] = []
    for (key, bytes) in saved.sorted(by: { $0.key < $1.key }) {
      if key.hasPrefix(Replica.outboxPrefix), let position = Int64(key.dropFirst(Replica.outboxPrefix.count)) {
        items += try Replica.read(key) { () throws(PackingError) in try Self.items(at: position, bytes) }
        stored[key] = nil
        changed.insert(.outbox(position))
      } else if key.hasPrefix(Replica.recordPrefix) {
        try Replica.read(key) { () throws(PackingError) in try convert(record: key, bytes) }
      }
    }
    // An act that was put together with others is one of its own now, so the numbers change.
    items.sort { $0.position < $1.position }
    for (index, item) in items.enumerated() {
      let part = Replica.StoredPart.outbox(Int64(index) + 1)
      stored[part.key] = item.packed()
      changed.insert(part)
    }
  }

  /// The count of acts that were put together has no place any more.
  private mutating func convertStatistics() throws(ReplicaError) {
    let key = Replica.StoredPart.statistics.key
    guard let bytes = stored[key], !bytes.isEmpty else { return }
    stored[key] = try Replica.read(key) { () throws(PackingError) in
      var (reader, numbers) = (Unpacker(bytes), [Int64]())
      while !reader.isAtEnd { numbers.append(try reader.signed("a count")) }
      // The earliest versions did not say when they had last heard anything.
      if numbers.count == 5 + ConflictRule.allCases.count { numbers.append(0) }
      if numbers.count > 2 { numbers.remove(at: 2) }
      var packer = Packer()
      for number in numbers { packer.signed(number) }
      return packer.bytes
    }
    changed.insert(.statistics)
  }

  /// How far the device has read is no longer told to the zone.
  private mutating func convertCursor() throws(ReplicaError) {
    let key = Replica.StoredPart.cursor.key
    guard let bytes = stored[key], !bytes.isEmpty else { return }
    stored[key] = try Replica.read(key) { () throws(PackingError) in
      var (reader, numbers) = (Unpacker(bytes), [UInt64]())
      var flags = try reader.byte("the cursor's parts")
      while !reader.isAtEnd { numbers.append(try reader.unsigned("a part of the cursor")) }
      switch numbers.count {
      case 10: numbers.removeSubrange(4...5)
      // The earliest versions knew neither what was forgotten nor a further cursor.
      case 2, 6:
        numbers = numbers.prefix(4) + (numbers.count == 2 ? [0, 0] : []) + [0, numbers[0], numbers[1], 0]
        if flags & 1 == 1 { flags |= 4 }
      default: throw .malformed(at: 1, reading: "the cursor", "has \(numbers.count) parts")
      }
      var packer = Packer()
      packer.byte(flags)
      for number in numbers { packer.unsigned(number) }
      return packer.bytes
    }
    changed.insert(.cursor)
  }

  private mutating func convert(record key: String, _ bytes: [UInt8]) throws(PackingError) {
    let parts = key.dropFirst(Replica.recordPrefix.count).split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw .malformed(at: 0, reading: "the key", "has no type and name") }
    let old = RecordKey(type: parts[0], name: parts[1])
    var reader = Unpacker(bytes)
    let flags = try reader.byte("the record's state")
    let (version, sequence) = (try reader.number("the version"), try reader.number("the sequence"))
    let cell = try reader.data("the cell", limit: 1 << 24)
    guard OldCell.isOld(old, cell) else { return }
    let converted = try OldCell.converted(old, packed: cell)
    var packer = Packer()
    packer.byte(flags)
    packer.unsigned(UInt64(version))
    packer.unsigned(UInt64(sequence))
    packer.data(converted.cell.packed())
    stored[key] = nil
    stored[Replica.StoredPart.record(converted.key).key] = packer.bytes
    changed.formUnion([.record(old), .record(converted.key)])
  }

  /// What waited at a place, an item for each act that was put together there.
  private static func items(at position: Int64, _ bytes: [UInt8]) throws(PackingError) -> [OutboxItem] {
    var reader = Unpacker(bytes)
    let type = try reader.text("the record's type", limit: OutboxItem.longestText)
    let name = try reader.text("the record's name", limit: OutboxItem.longestText)
    let kind = try reader.byte("the kind of change")
    let content = try reader.data("the change", limit: OutboxItem.largestChange)
    var key = RecordKey(type: type, name: name)
    let changes: [Operation.Change]
    switch kind {
    case 0:
      let converted = try OldWrite.converted(key, packed: content)
      (key, changes) = (converted.key, converted.writes.map { .write($0) })
    case 1:
      let converted = try OldCell.converted(key, packed: content)
      (key, changes) = (converted.key, [.join(converted.cell)])
    default:
      guard let device = DeviceID(String(decoding: content, as: UTF8.self)) else {
        throw .malformed(at: 0, reading: "the device to retire", "is not a device's name")
      }
      (key, changes) = (OldCell.key(key), [.retire(device)])
    }
    let (queued, skew) = (try reader.signed("the time of queueing"), try reader.signed("the clock's difference"))
    let flags = try reader.byte("whether the clock was measured")
    let reason = try reader.text("the reason for parking", limit: OutboxItem.longestText)
    let group = reader.isAtEnd ? nil : try reader.number("the transaction")
    return changes.map { change in
      OutboxItem(
        position: position, key: key, change: change, queuedMilliseconds: queued, skewMilliseconds: skew,
        // The earliest format of a write did not say whether it had been sent.
        isStampMeasured: flags & 1 == 1, wasSent: flags & 2 == 2 || kind == 0 && content.first == 1,
        parkedBecause: reason.isEmpty ? nil : reason, group: group)
    }
  }
}
