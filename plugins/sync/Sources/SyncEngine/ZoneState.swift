import SyncCore

/// A whole zone as a value. Its transactions change dictionaries instead of a store.
///
/// The memory backend, the backend for cloud databases and the simulator use it, and the conformance tests compare
/// other backends with it.
package struct ZoneState: Sendable {
  /// The store that contains the zone.
  package let store: StoreIdentity
  /// The generation of the zone's current incarnation.
  package internal(set) var generation: UInt64
  /// The sequence number of the last change.
  package internal(set) var sequence: Int64 = 0
  package internal(set) var records: [RecordKey: SyncRecord] = [:]
  /// The rules of each collection, read from `records`.
  var rules: [String: ZoneRules] = [:]
  var incarnations: ZoneIncarnations
  var tags = CommitTags()
  /// The accepted acts, with their checksums.
  var acts: [ActName: [UInt32]] = [:]
  /// The largest act number of each device in cells returned by devices.
  var givenBack: [DeviceID: Int64] = [:]
  /// The limits up to which the zone has forgotten deletions.
  package internal(set) var dropped = Dropped()
  var ages = ZoneAges()
  /// True if commits use the clock of the committing device, as in a shared file, and not the clock of a server.
  package var hasDevicesTime = false
  /// The generation of the incarnation that starts with the next change, or nil if no new one starts.
  private var nextGeneration: UInt64?

  package init(generation: UInt64, store: StoreIdentity) {
    self.store = store
    self.generation = generation
    incarnations = ZoneIncarnations([.init(generation: generation, from: 0)])
  }

  /// The zone's current position.
  package var cursor: Cursor { Cursor(generation: generation, sequence: sequence, tag: tags.tag(of: sequence)) }

  /// True if the cursor is nil or belongs to this zone's history.
  private func holds(_ cursor: Cursor?) -> Bool {
    guard let cursor else { return true }
    return incarnations.holds(cursor, last: sequence) && tags.tag(of: cursor.sequence) == cursor.tag
  }

  /// Removes all earlier incarnations. All cursors become invalid, and every device fetches the whole zone.
  package mutating func begin(generation: UInt64) {
    self.generation = generation
    incarnations = ZoneIncarnations([.init(generation: generation, from: sequence)])
  }

  /// Starts a new incarnation with the next change. Called when a store is opened.
  package mutating func reopen(generation: UInt64) { nextGeneration = generation }

  /// Throws `otherStore` if the zone's store is not the expected one. Nil accepts any store.
  package func require(_ expected: StoreIdentity?) throws(BackendError) {
    if let expected, expected != store { throw .otherStore(store) }
  }

  /// Commits operations; see `SyncBackend.commit`.
  package mutating func commit(
    _ operations: [RecordOperation], heard: Cursor? = nil, in expected: StoreIdentity? = nil, serverMilliseconds: Int64
  ) throws(BackendError) -> CommitReply {
    try require(expected)
    guard operations.count <= SyncLimits.operations else { throw .limitExceeded }
    guard holds(heard) else { throw .cursorExpired }
    let before = sequence
    var results: [CommitResult] = []
    results.reserveCapacity(operations.count)
    let outcomes = outcomes(of: operations, serverMilliseconds)
    for (operation, outcome) in zip(operations, outcomes) {
      let stored = records[operation.key]
      switch outcome.decision {
      case .store(let cell, let stamp):
        if let next = nextGeneration {
          nextGeneration = nil
          generation = next
          incarnations.begin(generation: next, from: sequence)
        }
        sequence += 1
        let version = (stored?.version ?? 0) + 1
        records[operation.key] = SyncRecord(key: operation.key, version: version, sequence: sequence, cell: cell)
        if operation.key.type == ZoneRules.type {
          rules[operation.key.name] = ZoneRules(collection: operation.key.name, cell: cell)
        }
        for act in outcome.names.acts { acts[act.name, default: []].append(act.check) }
        for dot in outcome.names.givenBack { givenBack[dot.device] = max(givenBack[dot.device] ?? 0, dot.number) }
        results.append(.committed(version: version, sequence: sequence, stamp: stamp))
      case .unchanged: results.append(.unchanged)
      case .conflict: results.append(.conflict(stored))
      case .refused(let refusal): results.append(.refused(refusal))
      }
    }
    if sequence > before {
      tags.note(sequence, tag: .random(in: 1 ... .max))
      let clock = hasDevicesTime ? operations.first?.author?.name ?? "" : ""
      let old = ages.note(
        sequence, by: clock, atMilliseconds: serverMilliseconds, mostDays: hasDevicesTime ? 1 : .max)
      if let old { forget(upTo: old) }
    }
    return CommitReply(results: results, cursor: cursor, serverMilliseconds: serverMilliseconds)
  }

  private mutating func outcomes(of operations: [RecordOperation], _ now: Int64) -> [ArbiterBatch.Outcome] {
    let (outcomes, full) = decisions(on: operations, now)
    guard !full.isEmpty, let last = OldDeletion.room(for: full, deletions, rules: Array(rules.values)) else {
      return outcomes
    }
    forget(upTo: last)
    return decisions(on: operations, now).outcomes
  }

  private func decisions(
    on operations: [RecordOperation], _ now: Int64
  ) -> (outcomes: [ArbiterBatch.Outcome], full: [String: Int]) {
    var batch = ArbiterBatch(serverMilliseconds: now, dropped: dropped, rules: rules)
    let outcomes = try? batch.decide(
      operations, read: { records[$0] }, count: { type in records.keys.count { $0.type == type } },
      taken: { name in
        TakenAct(checks: acts[name] ?? [], givenBack: givenBack[name.dot.device], number: name.dot.number)
      })
    return (outcomes ?? [], batch.full)
  }

  private var deletions: [OldDeletion] {
    let deleting = rules.mapValues(\.delete)
    return records.values.compactMap { record in
      deleting[record.key.type].flatMap { record.cell.deletedIncarnation(by: $0) }
        .map { OldDeletion(key: record.key, sequence: record.sequence, incarnation: $0) }
    }
  }

  /// Forgets the deletions up to this sequence number.
  private mutating func forget(upTo last: Int64) {
    for deletion in OldDeletion.forgettable(deletions.filter { $0.sequence <= last }, rules: Array(rules.values)) {
      records[deletion.key] = nil
      dropped.note(sequence: deletion.sequence, incarnation: deletion.incarnation)
    }
  }

  /// Returns the records that have changed since a cursor; see `SyncBackend.changes`.
  package func changes(
    since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader = .nobody,
    of subscription: SyncSubscription? = nil, in expected: StoreIdentity? = nil, serverMilliseconds: Int64
  ) throws(BackendError) -> ChangePage {
    try require(expected)
    guard holds(cursor), holds(reader.heard) else { throw .cursorExpired }
    let start = cursor?.sequence ?? 0
    let newer = records.values.filter { $0.sequence > start }.sorted { $0.sequence < $1.sequence }
    var page = ChangePageBuilder(
      subscription, since: cursor, present: sequence, limit: limit, maximumBytes: maximumBytes)
    for record in newer where !page.take(record, bytes: record.cell.packedBytes) { break }
    return page.page(
      at: self.cursor, in: store, serverMilliseconds: serverMilliseconds, dropped: dropped, tag: tags.tag(of:))
  }
}
