import SyncCore

extension Replica {
  /// Changes the part of the zone that the device receives. The zone is then fetched again.
  ///
  /// Returns true if a fetch is needed. It is not needed if the subscription stays the same or nothing was read yet.
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

  /// Marks a record on this device as no longer included in the subscription.
  mutating func leave(_ key: RecordKey) {
    guard confirmed[key] != nil, outside.insert(key).inserted else { return }
    dirty.insert(.record(key))
  }

  /// Handles the change of a record outside of the subscription.
  mutating func note(_ mention: RecordMention) {
    guard let known = confirmed[mention.key], known.sequence < mention.sequence else { return }
    leave(mention.key)
    // The zone still has the record, so it was not lost.
    if unconfirmed.remove(mention.key) != nil { dirty.insert(.record(mention.key)) }
  }

  /// Returns the records to release: those outside of the subscription that have no waiting changes.
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

  /// True if a fetch returns the record with its content and not only its key.
  func isWanted(_ record: SyncRecord) -> Bool { subscription?.includes(record.key, record.cell) ?? true }

  /// True if a record may exist in the zone without being on this device.
  func mayBeOutside(_ key: RecordKey) -> Bool { subscription.map { !$0.includesAll(of: key.type) } ?? false }
}

extension SyncMachine {
  /// Releases the records outside of the subscription that have no waiting changes.
  mutating func releaseLeaving() {
    for key in replica.takeLeaving() {
      let before = view(of: key)
      replica.release(key)
      tellRecord(key, before, isRemote: true)
    }
  }

  /// Moves changes to a record that was unknown here to the zone's incarnation of the record or, if that is deleted, to
  /// the next one. The result does not depend on whether the zone still knows the deletion.
  mutating func beginUnseen(_ key: RecordKey) {
    guard replica.hasHeldParts, let cell = replica.confirmed[key]?.cell, cell.isRecord else { return }
    let isDeleted = cell.content.isDeleted(by: rules(of: key.type).delete)
    replica.begin(key, in: isDeleted ? cell.content.incarnation + 1 : cell.content.incarnation, exactly: true)
  }

  /// Returns the records with waiting changes that the zone does not have, so that writes that create them may have to
  /// start in a later incarnation. For records outside of the subscription, only the zone's responses show that.
  mutating func takeMissing(_ unknown: Set<RecordKey>) -> Set<RecordKey> {
    defer { missing = [] }
    return unknown.filter { !replica.mayBeOutside($0) || missing.contains($0) }
  }

  /// Records that the zone does not have a record. If the record may have left the subscription earlier, it is
  /// forgotten here, too.
  mutating func noteMissing(_ key: RecordKey) {
    missing.insert(key)
    guard replica.outside.contains(key), let known = replica.confirmed[key], known.version == 0,
      known.cell.content.incarnation < replica.dropped.incarnation
    else { return }
    forget(key)
  }
}
