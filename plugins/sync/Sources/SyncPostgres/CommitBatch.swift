#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  /// Commits of several callers in one transaction: a round trip reads every record that they name and that is not known
  /// here, the arbiter decides here, and a round trip swaps in what changes, where no other commit was faster.
  struct CommitBatch {
    /// What one caller asks for.
    struct Request: Sendable {
      var zone: String
      var operations: [Operation]
      /// The furthest cursor that the caller has been given.
      var heard: Cursor?

      /// Whether some of them are all done or none: then no other acts are in their transaction.
      var isTransaction: Bool { operations.contains { $0.group != nil } }
    }

    /// How often an operation whose record was changed meanwhile is decided again.
    private static let attempts = 4

    private let cursors: ZoneCursors
    private let known: KnownRecords
    private var callers: [Caller]
    private var slots: [Slot] = []
    private var slotIndices: [Name: Int] = [:]
    /// The number of records that a collection has, where its zone limits them.
    private var counts: [Name: Int] = [:]
    /// The collections of each zone that had no room, and for how many records.
    private var full: [String: [String: Int]] = [:]
    /// What has become durable, zone by zone.
    private(set) var changes: [Change] = []

    /// What one transaction has changed in a zone, all of it: no other change is between.
    struct Change: Sendable {
      var zone: String
      var since: Cursor
      var page: ChangePage
    }

    private struct Caller {
      var request: Request
      var results: [CommitResult?]
      var cursor = Cursor(generation: 0, sequence: 0)
      var serverMilliseconds: Int64 = 0
      var error: BackendError?
    }

    private struct Name: Hashable {
      var zone: String
      var key: RecordKey
    }

    /// An operation: the caller's number and its own.
    private struct Pending {
      var caller: Int
      var operation: Int
    }

    /// A record while it is decided on.
    private struct Slot {
      var name: Name
      /// As the database has it.
      var stored: Record?
      /// With what has been decided; its sequence number is not known yet.
      var record: Record?
      var changes: Int64 = 0
      /// The packed cell of the record as it was decided, once it should be swapped in.
      var packed: [UInt8] = []
      /// What the zone keeps of the changes besides the record.
      var names = TakenNames()
      /// The incarnation in which it is deleted then.
      var deletedIncarnation: Int64?
      var dropped = Dropped()
      /// The zone's position when this was read, or swapped in.
      var cursor = Cursor(generation: 0, sequence: 0)
      var generation: UInt64 { cursor.generation }
      var serverMilliseconds: Int64 = 0
      /// The zone's number of the last change, once it has been swapped in.
      var sequence: Int64?
      var problem: BackendError?
      /// Whether this is what was known before, so that nothing but a swap that succeeds says that it is true.
      var isAssumed = false
    }

    private enum Decision {
      /// The change with this number in its slot, and the stamp of its write.
      case change(Int64, Stamp?)
      /// The record as it was after this many changes.
      case conflict(Record?, after: Int64)
      case done(CommitResult)
    }

    init(_ requests: [Request], cursors: ZoneCursors, known: KnownRecords) {
      self.cursors = cursors
      self.known = known
      callers = requests.map { Caller(request: $0, results: Array(repeating: nil, count: $0.operations.count)) }
    }

    /// Each caller's answer.
    var replies: [Result<CommitReply, BackendError>] {
      callers.map { caller in
        if let error = caller.error { return .failure(error) }
        return .success(
          CommitReply(
            results: caller.results.map { $0 ?? .conflict(nil) }, cursor: caller.cursor,
            serverMilliseconds: caller.serverMilliseconds))
      }
    }

    /// Makes the commits; they are durable when this returns. Throws when nothing was done for anybody, or, if the
    /// connection broke, perhaps everything.
    mutating func run(on connection: ZoneConnection) throws(BackendError) {
      var open = callers.indices.flatMap { caller in
        callers[caller].request.operations.indices.map { Pending(caller: caller, operation: $0) }
      }
      for attempt in 1...Self.attempts where !open.isEmpty {
        let isWhole = callers.contains { $0.request.isTransaction }
        // The parts of a transaction are read: one that rests on what is no longer true would be left out by itself.
        try read(open, mayAssume: attempt == 1 && !isWhole, connection)
        try count(open, connection)
        let decisions = try decide(open, mayChange: attempt < Self.attempts, connection)
        if attempt == 1, try makeRoom(connection) { continue }
        do throws(BackendError) {
          try swap(connection, isWhole: isWhole)
        } catch ZoneConnection.changedMeanwhile {
          open = try withoutLost(open, connection)
          continue
        }
        open = zip(open, decisions).compactMap { pending, decision in answer(pending, decision) ? nil : pending }
      }
    }

    /// What the callers have heard who are not answered yet, by zone.
    private var heard: [String: [Cursor]] {
      var all: [String: Set<Cursor>] = [:]
      for caller in callers where caller.error == nil {
        if let heard = caller.request.heard { all[caller.request.zone, default: []].insert(heard) }
      }
      return all.mapValues(Array.init)
    }

    /// The operations without those of callers that know a state the zone has lost; these get that answer.
    private mutating func withoutLost(
      _ open: [Pending], _ connection: ZoneConnection
    ) throws(BackendError) -> [Pending] {
      for index in callers.indices where callers[index].error == nil {
        guard let heard = callers[index].request.heard else { continue }
        do throws(BackendError) {
          _ = try connection.runTogether([PostgresZone.require([heard], zone: callers[index].request.zone)])
        } catch ZoneConnection.changedMeanwhile {
          callers[index].error = .cursorExpired
        }
      }
      return open.filter { callers[$0.caller].error == nil }
    }

    // MARK: Reading

    private mutating func read(
      _ open: [Pending], mayAssume: Bool, _ connection: ZoneConnection
    ) throws(BackendError) {
      slots.removeAll(keepingCapacity: true)
      slotIndices.removeAll(keepingCapacity: true)
      for pending in open {
        for name in [name(of: pending), rulesName(of: pending)].compactMap({ $0 }) where slotIndices[name] == nil {
          slotIndices[name] = slots.count
          slots.append(Slot(name: name))
        }
      }
      if mayAssume { assume(open) }
      let asked = slots.indices.filter { !slots[$0].isAssumed }
      if asked.isEmpty { return }
      // A key that is refused is not asked for: in a text PostgreSQL takes no zero byte.
      let none = RecordKey(type: "", name: "")
      let all = try connection.runTogether(
        asked.map { index in
          let name = slots[index].name
          return PostgresZone.read(name.key.isWellFormed ? name.key : none, zone: name.zone)
        })
      for (index, rows) in zip(asked, all) {
        guard rows.count == 1 else {
          slots[index].problem = .zoneMissing(slots[index].name.zone)
          continue
        }
        slots[index].cursor = Cursor(
          generation: UInt64(bitPattern: rows.integer(0, 0)), sequence: rows.integer(0, 1),
          tag: UInt64(bitPattern: rows.integer(0, 8)))
        slots[index].serverMilliseconds = rows.integer(0, 2)
        slots[index].dropped = Dropped(sequence: rows.integer(0, 6), incarnation: rows.integer(0, 7))
        do throws(BackendError) {
          slots[index].stored = try PostgresZone.record(slots[index].name.key, rows)
          slots[index].record = slots[index].stored
        } catch {
          slots[index].problem = error
        }
        try compare(slots[index].cursor, index, connection)
        known.read(
          slots[index].stored, bytes: rows.length(0, 5), zone: slots[index].name.zone,
          generation: slots[index].generation,
          dropped: slots[index].dropped, serverMilliseconds: slots[index].serverMilliseconds)
      }
    }

    /// Takes what is known for what is. What decides on a record that must be read is read with it.
    private mutating func assume(_ open: [Pending]) {
      for index in slots.indices where !cursors.mustBegin(slots[index].name.zone) {
        guard let known = known.look(slots[index].name.key, zone: slots[index].name.zone) else { continue }
        slots[index].stored = known.record
        slots[index].record = known.record
        slots[index].cursor = Cursor(generation: known.generation, sequence: 0)
        slots[index].dropped = known.dropped
        slots[index].serverMilliseconds = known.serverMilliseconds
        slots[index].isAssumed = true
      }
      for pending in open {
        guard let index = slotIndices[name(of: pending)], !slots[index].isAssumed else { continue }
        guard let rules = rulesName(of: pending).flatMap({ slotIndices[$0] }) else { continue }
        slots[rules] = Slot(name: slots[rules].name)
      }
    }

    /// The rules that what is decided on these records rests on and that were not read.
    private func assumedRules(of changed: [Int]) -> [PostgresZone.AssumedRules] {
      var all: Set<PostgresZone.AssumedRules> = []
      for index in changed where slots[index].isAssumed {
        let (zone, collection) = (slots[index].name.zone, slots[index].name.key.type)
        guard let rules = slotIndices[Name(zone: zone, key: ZoneRules.key(of: collection))], slots[rules].isAssumed
        else {
          continue
        }
        // Others of this transaction may have named some.
        let version = (slots[rules].stored?.version ?? 0) + slots[rules].changes
        all.insert(.init(zone: zone, collection: collection, version: version))
      }
      return Array(all)
    }

    /// Notices when the database holds less of a zone than it did.
    private func compare(_ cursor: Cursor, _ slot: Int, _ connection: ZoneConnection) throws(BackendError) {
      let zone = slots[slot].name.zone
      if cursors.fits(cursor, zone: zone) { return }
      // What is known now has been in the database before it is asked again.
      let known = cursors.known(zone: zone)
      let (incarnations, present) = try PostgresZone.incarnations(zone, connection)
      if known.allSatisfy({ incarnations.holds($0, last: present.sequence) }) {
        cursors.verify(present.generation, zone: zone)
      } else {
        cursors.goBack(zone: zone)
      }
    }

    // MARK: Deciding

    private func name(of pending: Pending) -> Name {
      let request = callers[pending.caller].request
      return Name(zone: request.zone, key: request.operations[pending.operation].key)
    }

    /// The record with the rules of an operation's collection; nil if it is about none.
    private func rulesName(of pending: Pending) -> Name? {
      let request = callers[pending.caller].request
      let operation = request.operations[pending.operation]
      guard operation.key.isWellFormed, operation.isOfCollection else { return nil }
      return Name(zone: request.zone, key: ZoneRules.key(of: operation.key.type))
    }

    /// Counts the records of collections that are limited and would grow.
    private mutating func count(_ open: [Pending], _ connection: ZoneConnection) throws(BackendError) {
      counts = [:]
      for pending in open {
        guard let rules = rulesName(of: pending), let index = slotIndices[rules], counts[rules] == nil,
          let known = slotIndices[name(of: pending)], slots[known].stored == nil,
          ZoneRules(collection: rules.key.name, cell: slots[index].stored?.cell).limit != nil
        else { continue }
        counts[rules] = try PostgresZone.count(rules.key.name, zone: rules.zone, connection)
      }
    }

    /// Each caller's operations in their order; each sees what those before it leave.
    private mutating func decide(
      _ open: [Pending], mayChange: Bool, _ connection: ZoneConnection
    ) throws(BackendError) -> [Decision?] {
      var decisions: [Decision?] = []
      var rest = open[...]
      while let first = rest.first {
        let pendings = rest.prefix { $0.caller == first.caller }
        rest = rest.dropFirst(pendings.count)
        decisions += try decide(Array(pendings), of: first.caller, mayChange: mayChange, connection)
      }
      return decisions
    }

    private mutating func decide(
      _ pendings: [Pending], of caller: Int, mayChange: Bool, _ connection: ZoneConnection
    ) throws(BackendError) -> [Decision?] {
      let request = callers[caller].request
      let used = pendings.compactMap { slotIndices[name(of: $0)] }
      if let problem = used.compactMap({ slots[$0].problem }).first {
        callers[caller].error = problem
        return pendings.map { _ in nil }
      }
      if let first = used.first {
        note(slots[first], of: caller)
        callers[caller].serverMilliseconds = slots[first].serverMilliseconds
      }
      let (outcomes, full) = try outcomes(
        of: pendings, request, serverMilliseconds: callers[caller].serverMilliseconds, connection)
      if !full.isEmpty { self.full[request.zone, default: [:]].merge(full, uniquingKeysWith: +) }
      return zip(pendings, outcomes).map { pending, outcome in
        slotIndices[name(of: pending)].map { take(outcome, $0, mayChange: mayChange) }
      }
    }

    /// Does not change what it reads: a copy that is read next to would have every change copy all of it.
    private func outcomes(
      of pendings: [Pending], _ request: Request, serverMilliseconds: Int64, _ connection: ZoneConnection
    ) throws(BackendError) -> (outcomes: [ArbiterBatch.Outcome], full: [String: Int]) {
      let first = pendings.first.flatMap { slotIndices[name(of: $0)] }
      var batch = ArbiterBatch(
        serverMilliseconds: serverMilliseconds, dropped: first.map { slots[$0].dropped } ?? Dropped())
      do {
        let outcomes = try batch.decide(
          pendings.map { request.operations[$0.operation] },
          read: { key in slotIndices[Name(zone: request.zone, key: key)].flatMap { slots[$0].record } },
          count: { counts[Name(zone: request.zone, key: ZoneRules.key(of: $0))] ?? 0 },
          taken: { try taken($0, zone: request.zone, connection) })
        return (outcomes, batch.full)
      } catch {
        throw error as? BackendError ?? .storage("\(error)")
      }
    }

    /// What the zone knows of an act, with what has been decided here and is not swapped in yet.
    private func taken(
      _ name: ActName, zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> TakenAct {
      let here = slots.filter { $0.name.zone == zone }.flatMap(\.names.acts).filter { $0.name == name }
      return here.isEmpty
        ? try PostgresZone.taken(name, zone: zone, connection) : .yes(checks: here.map(\.check))
    }

    private mutating func take(_ outcome: ArbiterBatch.Outcome, _ index: Int, mayChange: Bool) -> Decision {
      let slot = slots[index]
      switch outcome.decision {
      case .store(let cell, let stamp) where mayChange:
        slots[index].changes += 1
        slots[index].deletedIncarnation = outcome.deletedIncarnation
        slots[index].names.formUnion(outcome.names)
        slots[index].record = Record(
          key: slot.name.key, version: (slot.record?.version ?? 0) + 1, sequence: 0, cell: cell)
        return .change(slots[index].changes, stamp)
      case .store, .conflict: return .conflict(slot.record, after: slot.changes)
      case .unchanged: return .done(.unchanged)
      case .refused(let refusal): return .done(.refused(refusal))
      }
    }

    /// Forgets old deletions of collections that have no room; false where there are none.
    private func makeRoom(_ connection: ZoneConnection) throws(BackendError) -> Bool {
      var hasRoom = false
      for (zone, collections) in full where try PostgresZone.makeRoom(collections, zone, connection) {
        known.forget(zone: zone)
        hasRoom = true
      }
      return hasRoom
    }

    // MARK: Swapping

    private mutating func swap(_ connection: ZoneConnection, isWhole: Bool) throws(BackendError) {
      // Every server takes the zones in one order, so that no two wait for each other.
      let changed = slots.indices.filter { slots[$0].changes > 0 }.sorted { slots[$0].name.zone < slots[$1].name.zone }
      let heard = heard
      var statements = heard.keys.sorted().map { PostgresZone.require(heard[$0] ?? [], zone: $0) }
      if changed.isEmpty {
        // What changes nothing must not say that all is well either.
        if !statements.isEmpty { _ = try connection.runTogether(statements) }
        return
      }
      let tag = UInt64.random(in: 1 ... .max)
      var begun: [String] = []
      var firsts: [Int] = []
      // How many numbers the transaction takes in each zone, and how many of them are for the swaps after the present one.
      var behind: [String: Int64] = [:]
      for index in changed { behind[slots[index].name.zone, default: 0] += slots[index].changes }
      let taken = behind
      for index in changed {
        slots[index].packed = (slots[index].record?.cell ?? Cell()).packed()
        let (zone, slot) = (slots[index].name.zone, slots[index])
        if begun.last != zone, cursors.mustBegin(zone) {
          statements += PostgresZone.beginIncarnation(zone)
          begun.append(zone)
        }
        firsts.append(statements.count)
        let isFirst = behind[zone] == taken[zone]
        behind[zone]? -= slot.changes
        var assumed =
          slot.isAssumed
          ? Cursor(generation: slot.generation, sequence: cursors.furthest(of: slot.generation, zone: zone)) : nil
        if !isFirst { assumed?.sequence += taken[zone] ?? 0 }
        statements.append(
          PostgresZone.swap(
            slot.name.key, zone: zone, tag: tag, expected: slot.stored?.version ?? 0, changes: slot.changes,
            behind: behind[zone] ?? 0, packed: slot.packed, deletedIncarnation: slot.deletedIncarnation,
            names: slot.names, dropped: slot.dropped, assumed: assumed, isWhole: isWhole, isFirst: isFirst))
      }
      let rules = assumedRules(of: changed)
      if !rules.isEmpty { statements.append(PostgresZone.require(rules)) }
      for index in changed where slots[index].name.key.type == ZoneRules.type {
        let rules = ZoneRules(collection: slots[index].name.key.name, cell: slots[index].record?.cell)
        if let statement = PostgresZone.limit(rules, zone: slots[index].name.zone) { statements.append(statement) }
      }
      // One transaction in 64, so that the others need not look.
      if tag % 64 == 0 { statements += Set(changed.map { slots[$0].name.zone }).sorted().map(PostgresZone.forgetTags) }
      let all = try connection.runTogether(statements)
      for zone in begun { cursors.begun(zone) }
      for (index, statement) in zip(changed, firsts) where all[statement].count == 1 {
        slots[index].sequence = all[statement].integer(0, 0)
        slots[index].cursor = Cursor(
          generation: UInt64(bitPattern: all[statement].integer(0, 1)), sequence: all[statement].integer(0, 0), tag: tag
        )
      }
      note(changed.filter { slots[$0].sequence != nil })
    }

    /// Notes what these slots, in the order of their zones, have changed. A transaction has its zones' rows from its first
    /// change of each on, so that the numbers in between are all its own.
    private mutating func note(_ changed: [Int]) {
      var rest = changed[...]
      while let first = rest.first {
        let zone = slots[first].name.zone
        let indices = rest.prefix { slots[$0].name.zone == zone }
        rest = rest.dropFirst(indices.count)
        note(Array(indices), in: zone)
      }
    }

    private mutating func note(_ indices: [Int], in zone: String) {
      let generation = slots[indices[0]].generation
      var records: [Record] = []
      for index in indices {
        guard var record = slots[index].record, let sequence = slots[index].sequence else { continue }
        (record.version, record.sequence) = ((slots[index].stored?.version ?? 0) + slots[index].changes, sequence)
        known.wrote(record, bytes: slots[index].packed.count, zone: zone, generation: generation)
        records.append(record)
      }
      records.sort { $0.sequence < $1.sequence }
      if records.isEmpty { return }
      let begin = indices.map { (slots[$0].sequence ?? 0) - slots[$0].changes }.min() ?? 0
      let end = indices.map { slots[$0].cursor }.max { $1.isAfter($0) } ?? slots[indices[0]].cursor
      // A device that has read up to `since` knows its tag: where this server does not, the device fetches.
      let since = Cursor(
        generation: generation, sequence: begin, tag: cursors.tag(of: begin, generation, zone: zone))
      cursors.note(end, zone: zone)
      changes.append(
        Change(
          zone: zone, since: since,
          page: ChangePage(
            records: records, cursor: end, hasMore: false,
            serverMilliseconds: slots[indices[0]].serverMilliseconds, dropped: slots[indices[0]].dropped)))
    }

    // MARK: Answering

    /// False when the record was changed by someone else meanwhile: then the operation is decided again.
    private mutating func answer(_ pending: Pending, _ decision: Decision?) -> Bool {
      guard let decision, let index = slotIndices[name(of: pending)] else { return true }
      let slot = slots[index]
      if slot.changes > 0 || slot.isAssumed, slot.sequence == nil {
        known.forget(zone: slot.name.zone)
        return false
      }
      note(slot, of: pending.caller)
      let result: CommitResult
      switch decision {
      case .done(let done): result = done
      case .change(let number, let stamp):
        result = .committed(
          version: (slot.stored?.version ?? 0) + number, sequence: sequence(slot, after: number), stamp: stamp)
      case .conflict(var record, let changes):
        if changes > 0 { record?.sequence = sequence(slot, after: changes) }
        result = .conflict(record)
      }
      callers[pending.caller].results[pending.operation] = result
      return true
    }

    /// Notes how far the zone had come when a caller's operation was decided.
    private mutating func note(_ slot: Slot, of caller: Int) {
      if slot.cursor.sequence >= callers[caller].cursor.sequence { callers[caller].cursor = slot.cursor }
    }

    /// Each change has a number of its own: who made one of them has not seen the next.
    private func sequence(_ slot: Slot, after changes: Int64) -> Int64 { (slot.sequence ?? 0) - slot.changes + changes }
  }
#endif
