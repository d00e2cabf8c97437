import SyncCore

extension SyncMachine {
  /// Checks whether a page is unusable because the zone has meanwhile forgotten deletions. If so, returns true and
  /// starts the fetch again. If the device has not seen all of these deletions, it fetches the whole zone.
  mutating func isOvertaken(by page: ChangePage) -> Bool {
    if let staged, staged.dropped != page.dropped {
      self.staged = nil
      pull.isWanted = true
      return true
    }
    guard staged == nil, !replica.isResynchronizing, let cursor = replica.cursor,
      cursor.sequence < page.dropped.sequence
    else { return false }
    resynchronize()
    return true
  }

  /// Returns the records that waiting changes create and that this device does not have. These changes may have to move
  /// to a later incarnation. If the device has always received the whole zone, returns an empty set unless a waiting
  /// change belongs to an earlier incarnation than the page.
  func unknownRecords(_ page: ChangePage) -> Set<RecordKey> {
    let incarnation = page.records.reduce(page.dropped.incarnation) { max($0, $1.cell.origin) }
    guard replica.hasHeldParts || replica.outbox.holdsWrites(before: incarnation) else { return [] }
    return Set(
      replica.outbox.lazy.filter { $0.write?.record != nil && replica.confirmed[$0.key] == nil }.map(\.key))
  }

  /// Removes the records that the zone has forgotten. Returns their keys.
  mutating func forget(_ present: Dropped) -> Set<RecordKey> {
    guard present != replica.dropped else { return [] }
    replica.note(dropped: present)
    if replica.isResynchronizing { return [] }
    let gone = forgettable { $0.sequence > 0 && $0.sequence <= present.sequence }
      .filter { $0.incarnation < present.incarnation }
    for deletion in gone { forget(deletion.key) }
    return Set(gone.map(\.key))
  }

  /// Returns the deleted records that satisfy `isWanted` and can be forgotten.
  func forgettable(_ isWanted: (SyncRecord) -> Bool) -> [OldDeletion] {
    var rules: [String: DeleteRule] = [:]
    let deletions = replica.confirmed.values.compactMap { record -> OldDeletion? in
      guard record.cell.isRecord, isWanted(record) else { return nil }
      let rule = rules[record.key.type] ?? self.rules(of: record.key.type).delete
      rules[record.key.type] = rule
      return record.cell.deletedIncarnation(by: rule)
        .map { OldDeletion(key: record.key, sequence: record.sequence, incarnation: $0) }
    }
    let all = replica.confirmed.values.filter { $0.key.type == ZoneRules.type }
      .map { ZoneRules(collection: $0.key.name, cell: $0.cell) }
    return OldDeletion.forgettable(deletions, rules: all)
  }

  mutating func forget(_ key: RecordKey) {
    let before = view(of: key)
    for position in replica.forget(key) {
      for position in whole(position) { park(position, reason: Replica.deletedThere) }
    }
    tellRecord(key, before, isRemote: true)
  }

  /// Moves writes that create these records to the incarnation in which the zone created them or would create them now.
  mutating func begin(_ keys: Set<RecordKey>) {
    for key in keys { replica.begin(key, in: replica.firstIncarnation(of: key)) }
  }
}
