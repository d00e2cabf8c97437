import SyncCore

extension Replica {
  /// Changes the part of the zone that the device keeps. Records of it that were read under another subscription are
  /// read again.
  ///
  /// Returns false if the subscription does not change.
  mutating func subscribe(to wanted: SyncSubscription?) -> Bool {
    guard subscription != wanted else { return false }
    // A new device has not read anything yet.
    let isNews = cursor != nil || !confirmed.isEmpty
    subscription = wanted
    hasHeldParts = true
    dirty.formUnion([.subscription, .identity])
    for record in confirmed.values where wanted?.includes(record.key, record.cell) == false { leave(record.key) }
    if isNews { beginResynchronizing() }
    return isNews
  }

  /// Records that a record on this device no longer belongs to the subscription.
  mutating func leave(_ key: RecordKey) {
    guard confirmed[key] != nil, outside.insert(key).inserted else { return }
    dirty.insert(.record(key))
  }

  /// Handles the change of a record outside of the subscription.
  mutating func note(_ mention: RecordMention) {
    guard let known = confirmed[mention.key], known.sequence < mention.sequence else { return }
    leave(mention.key)
    // The zone has it, so it was not lost.
    if unconfirmed.remove(mention.key) != nil { dirty.insert(.record(mention.key)) }
  }

  /// The records that can be released: outside of the subscription, and without waiting changes.
  mutating func takeLeaving() -> [RecordKey] {
    guard let subscription else {
      for key in outside { dirty.insert(.record(key)) }
      outside = []
      return []
    }
    for key in touched {
      if let record = confirmed[key], !subscription.includes(key, record.cell) { leave(key) }
    }
    return outside.filter { !outbox.holds($0) }.sorted()
  }

  /// Removes a record from this device. It stays in the zone.
  mutating func release(_ key: RecordKey) {
    guard confirmed[key] != nil else { return }
    confirmed[key] = nil
    touch(key)
    tallies.forget(key)
    unconfirmed.remove(key)
    outside.remove(key)
    dirty.insert(.record(key))
  }

  /// Whether a fetch brings a record as the zone has it, and not its key alone.
  func isWanted(_ record: SyncRecord) -> Bool { subscription?.includes(record.key, record.cell) ?? true }

  /// True if a record may exist in the zone without being on this device.
  func mayBeOutside(_ key: RecordKey) -> Bool { subscription.map { !$0.includesAll(of: key.type) } ?? false }
}

extension SyncMachine {
  /// Removes the records outside of the subscription that have no waiting changes.
  mutating func releaseLeaving() {
    for key in replica.takeLeaving() {
      let before = view(of: key)
      replica.release(key)
      tellRecord(key, before, isRemote: true)
    }
  }

  /// Applies changes to a record unknown here to the zone's present record or, if that is deleted, to the next one with
  /// its key. The result is the same whether the zone still knows the deletion or not.
  mutating func beginUnseen(_ key: RecordKey) {
    guard replica.hasHeldParts, let cell = replica.confirmed[key]?.cell, cell.isRecord else { return }
    let isDeleted = cell.content.isDeleted(by: rules(of: key.type).delete)
    replica.begin(key, in: isDeleted ? cell.content.incarnation + 1 : cell.content.incarnation, exactly: true)
  }

  /// The records with waiting changes that the zone does not have, according to its responses. The writes that make
  /// them may have to start in a later incarnation. For records outside of the subscription only the zone can tell.
  mutating func takeMissing(_ unknown: Set<RecordKey>) -> Set<RecordKey> {
    defer { missing = [] }
    return unknown.filter { !replica.mayBeOutside($0) || missing.contains($0) }
  }

  /// Records that the zone does not have a record. If the record may have left the subscription before, the zone has
  /// forgotten it.
  mutating func noteMissing(_ key: RecordKey) {
    missing.insert(key)
    guard replica.outside.contains(key), let known = replica.confirmed[key], known.version == 0,
      known.cell.content.incarnation < replica.dropped.incarnation
    else { return }
    forget(key)
  }
}
