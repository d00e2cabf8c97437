import SyncCore

extension SyncMachine {
  /// How often the zone is notified at least that this device is there, in milliseconds.
  private static let acknowledgeMilliseconds: Int64 = 86_400_000
  /// How long is between two such words, in milliseconds.
  private static let restMilliseconds: Int64 = 5000

  // MARK: Hearing what the zone has forgotten

  /// Whether a page cannot be used because the zone has forgotten something meanwhile: then what is fetched is fetched
  /// again, and the whole zone by who has not seen all that was forgotten.
  mutating func isOvertaken(by page: ChangePage) -> Bool {
    guard settings.projection != nil else { return false }
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

  /// The records that are not known here and for which something waits: what makes them may have to begin later. None
  /// where nothing waits that belongs to an earlier incarnation than a page reports.
  func unknownRecords(_ page: ChangePage) -> Set<RecordKey> {
    guard settings.projection != nil else { return [] }
    let incarnation = page.records.reduce(page.dropped.incarnation) { max($0, $1.cell.origin) }
    guard replica.hasHeldParts || replica.outbox.holdsWrites(before: incarnation) else { return [] }
    return Set(
      replica.outbox.lazy.filter { $0.write?.record != nil && replica.confirmed[$0.key] == nil }.map(\.key))
  }

  /// Forgets what the zone has forgotten since, and gives it.
  mutating func forget(_ present: Dropped) -> Set<RecordKey> {
    guard settings.projection != nil, present != replica.dropped else { return [] }
    replica.note(dropped: present)
    if replica.isResynchronizing { return [] }
    var rules: [String: DeleteRule] = [:]
    let deletions = replica.confirmed.values.compactMap { record -> SeenDeletion? in
      guard record.cell.isRecord, record.sequence > 0, record.sequence <= present.sequence else { return nil }
      let rule = rules[record.key.type] ?? self.rules(of: record.key.type).delete
      rules[record.key.type] = rule
      guard let incarnation = record.cell.deletedIncarnation(by: rule), incarnation < present.incarnation else {
        return nil
      }
      return SeenDeletion(key: record.key, sequence: record.sequence, incarnation: incarnation)
    }
    let all = replica.confirmed.values.filter { $0.key.type == ZoneRules.type }
      .map { ZoneRules(collection: $0.key.name, cell: $0.cell) }
    let forgettable = SeenDeletion.forgettable(deletions, rules: all)
    for deletion in forgettable { forget(deletion.key) }
    return Set(forgettable.map(\.key))
  }

  mutating func forget(_ key: RecordKey) {
    let before = view(of: key)
    for position in replica.forget(key) {
      for position in whole(position) { park(position, reason: Replica.deletedThere) }
    }
    tellRecord(key, before, isRemote: true)
  }

  /// Has what makes these records begin where the zone has them now, or would have them.
  mutating func begin(_ keys: Set<RecordKey>) {
    for key in keys { replica.begin(key, in: replica.firstIncarnation(of: key)) }
  }

  // MARK: Telling how far this device has read

  /// When to notify the zone; nil when it knows.
  func tellDue(_ now: Int64) -> Int64? {
    guard settings.projection != nil, canTell, completedPulls > 0,
      !replica.isResynchronizing, staged == nil, let cursor = replica.cursor
    else { return nil }
    let isNews =
      replica.latestDeletion > replica.acknowledged.sequence && cursor.sequence > replica.acknowledged.sequence
      && replica.stableCut(upTo: cursor.sequence) > replica.acknowledged.sequence
    let age = now - replica.acknowledged.milliseconds
    guard isNews || age >= Self.acknowledgeMilliseconds || age < 0 else { return nil }
    return max(pacing.lastTellMilliseconds + Self.restMilliseconds, push.notBeforeMilliseconds)
  }

  /// What tells the zone how far this device has read, once nothing waits: what goes with it might meet a conflict, and
  /// would still wait when the zone has taken the acknowledgement.
  mutating func acknowledgement(_ now: Int64) -> Operation? {
    guard replica.outbox.waitingCount == 0, let due = tellDue(now), due <= now, var cursor = replica.cursor else {
      return nil
    }
    pacing.lastTellMilliseconds = now
    let stableCut = replica.stableCut(upTo: cursor.sequence)
    if stableCut != cursor.sequence { cursor = Cursor(generation: cursor.generation, sequence: stableCut) }
    return .seen(cursor, by: replica.device)
  }
}
