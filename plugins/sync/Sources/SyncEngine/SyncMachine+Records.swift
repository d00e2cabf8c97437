import SyncCore

extension SyncMachine {
  /// Returns the known rules of a collection: those of the zone and those that this device has declared.
  package func rules(of collection: String) -> ZoneRules {
    replica.rules[collection] ?? ZoneRules(collection: collection, texts: [:])
  }

  /// Returns the rule that decides between states of a record. The record's collection determines it.
  package func decide(of key: RecordKey) -> DecideRule {
    replica.rules[key.type]?.decide ?? DecideRule()
  }

  /// Returns the maximum distance in milliseconds between concurrent states of a record.
  func window(of key: RecordKey) -> Int64 { decide(of: key).windowMilliseconds }

  func recordProblem(with write: Write, _ key: RecordKey, _ view: Cell) -> String? {
    let rulesKey = ZoneRules.key(of: key.type)
    if let parked = replica.outbox.items(for: rulesKey).lazy.compactMap(\.parkedBecause).first { return parked }
    let rules = rules(of: key.type)
    if let problem = rules.problem(with: write, for: key) { return problem }
    let count = replica.tallies.records[key.type, default: 0]
    guard let limit = rules.limit, !view.isRecord, count >= limit else { return nil }
    // The zone forgets deletions when it needs room.
    if count - (forgettable { $0.key.type == key.type }).count < limit { return nil }
    return "'\(key.type)' has \(limit) records, which is the limit"
  }

  /// Returns the reason why these actions cannot form a transaction, or nil if they can.
  package func refusal(of actions: [(key: RecordKey, action: Action)]) -> String? {
    if actions.count > RecordLimits.transactionWrites {
      return "a transaction has \(actions.count) writes, at most \(RecordLimits.transactionWrites) are allowed"
    }
    var seen: Set<RecordKey> = []
    for (key, action) in actions {
      if !seen.insert(key).inserted { return "'\(key)' appears twice in one transaction" }
      if let problem = refusal(of: action, on: key) { return "\(key): \(problem)" }
    }
    var copy = self
    let bytes = copy.transacting(actions, replica.clock.milliseconds).reduce(0) { $0 + ($1.value?.count ?? 0) }
    return bytes > RecordLimits.transactionBytes
      ? "a transaction has \(bytes) bytes, at most \(RecordLimits.transactionBytes) are allowed" : nil
  }

  /// Adds actions that are saved, sent, merged and shown together.
  mutating func transact(_ actions: [(key: RecordKey, action: Action)], _ now: Int64) {
    let journal = transacting(actions, now)
    effects.insert(.save(journal), at: 0)
  }

  private mutating func transacting(_ actions: [(key: RecordKey, action: Action)], _ now: Int64) -> [StoreChange] {
    let group = replica.nextNumber
    return actions.flatMap { act($0.key, $0.action, now, group: group) }
  }

  /// Returns the positions of all changes in the same transaction, or only `position` if it has no transaction.
  func whole(_ position: Int64) -> [Int64] { replica.whole(position) }

  /// Parks declared rules that differ from those of the zone, and the changes made under them. The zone would accept
  /// neither.
  mutating func parkRefusedRules() {
    let rules = replica.outbox.waitingRules
    if rules.isEmpty { return }
    let flying = push.inFlight?.positions ?? []
    for item in rules {
      guard let write = item.write, let kept = replica.confirmed[item.key]?.cell, !flying.contains(item.position),
        write.fields.contains(where: { asked in
          kept.fields.contains { $0.name == asked.name && $0.value != asked.value }
        })
      else { continue }
      let rules = ZoneRules(collection: item.key.name, cell: kept)
      if let difference = rules.difference(to: ZoneRules.texts(of: write)) { park(item.position, reason: difference) }
    }
  }

  // MARK: Sending

  /// True if a change may be sent now. If the budget is low and the settings name essential types, only records of
  /// these are sent, outside of transactions. Transactions wait until all rules have been sent, and other records wait
  /// for the rules of their collection.
  func maySend(_ item: OutboxItem) -> Bool {
    if item.parkedBecause != nil { return false }
    if degradation.level > .normal, !settings.essentialTypes.isEmpty,
      item.group != nil || !settings.essentialTypes.contains(item.key.type)
    {
      return false
    }
    if item.group != nil, replica.outbox.holdsRules { return false }
    return !replica.outbox.holds(RecordKey(type: ZoneRules.type, name: item.key.type))
  }

  /// Returns the changes for the next commit, oldest first. A commit contains only complete transactions and, except
  /// for writes to records of collections, only one change per key.
  func batch() -> [OutboxItem] {
    var keys: Set<RecordKey> = []
    var items: [OutboxItem] = []
    var (bytes, whole, last): (Int, Int, Int64?) = (0, 0, nil)
    for item in replica.outbox.waiting where maySend(item) {
      let isFirst = keys.insert(item.key).inserted
      guard isFirst || item.write?.record != nil else { continue }
      if item.group == nil || item.group != last {
        if items.count >= pacing.batchLimit { return items }
        whole = items.count
      }
      last = item.group
      if item.write?.record != nil { bytes += item.packedBytes }
      // A transaction that does not fit waits for the next request. A transaction larger than a request is sent on its
      // own.
      if whole > 0, items.count >= SyncLimits.operations || bytes > SyncLimits.batchBytes {
        return Array(items.prefix(whole))
      }
      items.append(item)
    }
    return items
  }

  // MARK: Receiving

  /// Collects the pages of a fetch. Returns nil until the last page arrives, and then all changes as one page.
  mutating func staging(_ page: ChangePage) -> ChangePage? {
    var pages: [ChangePage] = []
    if let staged, staged.cursor.generation == page.cursor.generation { pages = staged.pages }
    if page.hasMore {
      staged = StagedFetch(pages: pages + [page], cursor: page.cursor, dropped: page.dropped)
      pull.isWanted = true
      return nil
    }
    staged = nil
    var whole = page
    whole.records = pages.flatMap(\.records) + page.records
    whole.others = pages.flatMap(\.others) + page.others
    return whole
  }

  /// Fetches the whole zone again, so that lost content can be returned. Requests in flight are abandoned, because
  /// their responses may contain data that has since been lost.
  mutating func resynchronize() {
    staged = nil
    (pull.inFlight, push.inFlight) = (nil, nil)
    pull.isWanted = true
    replica.beginResynchronizing()
  }

  // MARK: Showing

  /// Returns new rows for all records whose content may have changed since the last call.
  mutating func takeRows() -> [StoreChange] {
    defer { replica.touched = [] }
    guard let projection = settings.projection else { return [] }
    return replica.touched.sorted().compactMap { key in projection.change(view(of: key), key: key)?.change }
  }

  /// Reports a record in a collection if its content differs from `before`.
  mutating func tellRecord(_ key: RecordKey, _ before: Cell, isRemote: Bool) {
    guard RecordName.isWellFormed(key.type) else { return }
    let after = view(of: key)
    guard before.content != after.content || before.fields != after.fields || before.entries != after.entries else {
      return
    }
    tell(.recordChanged(key, before: before, after: after, isRemote: isRemote))
  }

  /// Returns the rows of all records. Used for a file whose tables have been created again.
  package func allRows() -> [StoreChange] {
    guard let projection = settings.projection else { return [] }
    let keys = Set(replica.confirmed.keys).union(replica.outbox.map(\.key))
    return keys.sorted().compactMap { key in
      projection.change(view(of: key), key: key).flatMap { $0.isEmpty ? nil : $0.change }
    }
  }
}
