import SyncCore

extension Replica {
  /// Has the device hold this part of the zone from now on: what of it was read under another subscription is read again.
  ///
  /// False when it holds that part already.
  mutating func subscribe(to wanted: SyncSubscription?) -> Bool {
    guard subscription != wanted else { return false }
    // A device that begins has read nothing yet.
    let isNews = cursor != nil || !confirmed.isEmpty
    subscription = wanted
    hasHeldParts = true
    dirty.formUnion([.subscription, .identity])
    for record in confirmed.values where wanted?.includes(record.key, record.cell) == false { leave(record.key) }
    if isNews { beginResynchronizing() }
    return isNews
  }

  /// Notes that a record which is held does not belong to the subscription any more.
  mutating func leave(_ key: RecordKey) {
    guard confirmed[key] != nil, outside.insert(key).inserted else { return }
    dirty.insert(.record(key))
  }

  /// A record changed that does not belong to the subscription, as the zone has it.
  mutating func note(_ mention: RecordMention) {
    guard let known = confirmed[mention.key], known.sequence < mention.sequence else { return }
    leave(mention.key)
    // The zone has it, so it was not lost.
    if unconfirmed.remove(mention.key) != nil { dirty.insert(.record(mention.key)) }
  }

  /// Which records can be released: they do not belong to the subscription, and nothing waits for them.
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

  /// Removes a record from this device that is still in the zone.
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

  /// Whether a record may be in the zone without being held here.
  func mayBeOutside(_ key: RecordKey) -> Bool { subscription.map { !$0.includesAll(of: key.type) } ?? false }
}

extension SyncMachine {
  /// Removes the records that do not belong to the subscription, once nothing waits for them.
  mutating func releaseLeaving() {
    for key in replica.takeLeaving() {
      let before = view(of: key)
      replica.release(key)
      tellRecord(key, before, isRemote: true)
    }
  }

  /// Has what was done to a record that was not held here count in the record that the zone has; where that is deleted, in
  /// the next one under its key. So it does not matter whether the zone still knows the deletion.
  mutating func beginUnseen(_ key: RecordKey) {
    guard replica.hasHeldParts, let cell = replica.confirmed[key]?.cell, cell.isRecord else { return }
    let isDeleted = cell.content.isDeleted(by: rules(of: key.type).delete)
    replica.begin(key, in: isDeleted ? cell.content.incarnation + 1 : cell.content.incarnation, exactly: true)
  }

  /// The records for which something waits that the zone has not got, as far as it has said so: what makes them may have to
  /// begin later. Of what may be outside of the subscription only the zone can say that.
  mutating func takeMissing(_ unknown: Set<RecordKey>) -> Set<RecordKey> {
    defer { missing = [] }
    return unknown.filter { !replica.mayBeOutside($0) || missing.contains($0) }
  }

  /// A record that the zone has not got: where it may have left the subscription before, it was forgotten there.
  mutating func noteMissing(_ key: RecordKey) {
    missing.insert(key)
    guard replica.outside.contains(key), let known = replica.confirmed[key], known.version == 0,
      known.cell.content.incarnation < replica.dropped.incarnation
    else { return }
    forget(key)
  }
}
