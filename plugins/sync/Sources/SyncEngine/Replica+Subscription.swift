import SyncCore

extension Replica {
  /// Changes the part of the zone that the device receives.
  ///
  /// Returns true if the zone must be fetched again. This is not necessary if the subscription stays the same or
  /// nothing has been read yet.
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

  /// Marks a record as outside the subscription.
  mutating func leave(_ key: RecordKey) {
    guard confirmed[key] != nil, outside.insert(key).inserted else { return }
    dirty.insert(.record(key))
  }

  /// Handles a change to a record that is outside the subscription.
  mutating func note(_ mention: RecordMention) {
    guard let known = confirmed[mention.key], known.sequence < mention.sequence else { return }
    leave(mention.key)
    // The zone still has the record, so it was not lost.
    if unconfirmed.remove(mention.key) != nil { dirty.insert(.record(mention.key)) }
  }

  /// Returns the records to release: those outside the subscription that have no waiting or parked changes.
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

  /// Removes a record from this device. The zone keeps it.
  mutating func release(_ key: RecordKey) {
    guard confirmed[key] != nil else { return }
    confirmed[key] = nil
    touch(key)
    tallies.forget(key)
    unconfirmed.remove(key)
    outside.remove(key)
    dirty.insert(.record(key))
  }

  /// True if a fetch returns the record's content and not only its key.
  func isWanted(_ record: SyncRecord) -> Bool { subscription?.includes(record.key, record.cell) ?? true }

  /// True if a record may exist in the zone without being on this device.
  func mayBeOutside(_ key: RecordKey) -> Bool { subscription.map { !$0.includesAll(of: key.type) } ?? false }
}

extension SyncMachine {
  /// Releases the records outside the subscription that have no waiting or parked changes.
  mutating func releaseLeaving() {
    for key in replica.takeLeaving() {
      let before = view(of: key)
      replica.release(key)
      tellRecord(key, before, isRemote: true)
    }
  }

  /// For a record that this device did not have, moves its changes to the zone's incarnation of the record. If that
  /// incarnation is deleted, they move to the next one. The result is the same whether or not the zone still contains
  /// the deletion.
  mutating func beginUnseen(_ key: RecordKey) {
    guard replica.hasHeldParts, let cell = replica.confirmed[key]?.cell, cell.isRecord else { return }
    let isDeleted = cell.content.isDeleted(by: rules(of: key.type).delete)
    replica.begin(key, in: isDeleted ? cell.content.incarnation + 1 : cell.content.incarnation, exactly: true)
  }

  /// Returns the unknown records that the zone does not have. Writes that create them may have to start in a later
  /// incarnation. For records outside the subscription, only the zone's responses show that they are missing.
  mutating func takeMissing(_ unknown: Set<RecordKey>) -> Set<RecordKey> {
    defer { missing = [] }
    return unknown.filter { !replica.mayBeOutside($0) || missing.contains($0) }
  }

  /// Records that the zone does not have a record. If the record may have left the subscription earlier, this device
  /// removes it, too.
  mutating func noteMissing(_ key: RecordKey) {
    missing.insert(key)
    guard replica.outside.contains(key), let known = replica.confirmed[key], known.version == 0,
      known.cell.content.incarnation < replica.dropped.incarnation
    else { return }
    forget(key)
  }
}
