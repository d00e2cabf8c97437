#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  // Stores the decided changes.
  extension CommitBatch {
    /// The furthest cursors of callers without an error, by zone.
    private var heard: [String: [Cursor]] {
      var all: [String: Set<Cursor>] = [:]
      for caller in callers where caller.error == nil {
        if let heard = caller.request.heard { all[caller.request.zone, default: []].insert(heard) }
      }
      return all.mapValues(Array.init)
    }

    mutating func swap(_ connection: ZoneConnection, isWhole: Bool) throws(BackendError) {
      // Every server locks zones in the same order, which prevents deadlocks.
      let changed = slots.indices.filter { slots[$0].changes > 0 }.sorted { slots[$0].name.zone < slots[$1].name.zone }
      let heard = heard
      var statements = heard.keys.sorted().map { PostgresZone.require(heard[$0] ?? [], zone: $0) }
      if changed.isEmpty {
        // Even if nothing changes, a caller must be notified if the zone has lost a state that the caller has seen.
        if !statements.isEmpty { _ = try connection.runTogether(statements) }
        return
      }
      let tag = UInt64.random(in: 1 ... .max)
      for index in changed { slots[index].packed = (slots[index].record?.cell ?? Cell()).packed() }
      let (firsts, begun) = add(changed, tag: tag, isWhole: isWhole, to: &statements)
      let all = try connection.runTogether(statements)
      for zone in begun { cursors.begun(zone) }
      for (index, statement) in zip(changed, firsts) where all[statement].count == 1 {
        let sequence = all[statement].integer(0, 0)
        slots[index].sequence = sequence
        slots[index].cursor = Cursor(
          generation: UInt64(bitPattern: all[statement].integer(0, 1)), sequence: sequence, tag: tag)
      }
      note(changed.filter { slots[$0].sequence != nil })
    }

    /// Adds the statements that store the changed records. Returns the index of each slot's statement and the zones in
    /// which an incarnation starts. Does not change the batch, so that no slot is copied.
    private func add(
      _ changed: [Int], tag: UInt64, isWhole: Bool, to statements: inout [PostgresStatement]
    ) -> (firsts: [Int], begun: [String]) {
      var (firsts, begun): ([Int], [String]) = ([], [])
      // The number of sequence numbers that the transaction uses in each zone, minus those of the statements added so
      // far.
      var behind: [String: Int64] = [:]
      for index in changed { behind[slots[index].name.zone, default: 0] += slots[index].changes }
      let taken = behind
      for index in changed {
        let zone = slots[index].name.zone
        if begun.last != zone, cursors.mustBegin(zone) {
          statements += PostgresZone.beginIncarnation(zone)
          begun.append(zone)
        }
        firsts.append(statements.count)
        let isFirst = behind[zone] == taken[zone]
        behind[zone]? -= slots[index].changes
        var assumed: Cursor?
        if slots[index].isAssumed {
          let generation = slots[index].cursor.generation
          assumed = Cursor(generation: generation, sequence: cursors.furthest(of: generation, zone: zone))
          if !isFirst { assumed?.sequence += taken[zone] ?? 0 }
        }
        statements.append(
          PostgresZone.swap(
            slots[index], tag: tag, behind: behind[zone] ?? 0, assumed: assumed, isWhole: isWhole, isFirst: isFirst))
      }
      let zones = taken.keys.sorted()
      statements.append(PostgresZone.keep(tag, in: zones))
      let rules = assumedRules(of: changed)
      if !rules.isEmpty { statements.append(PostgresZone.require(rules)) }
      for index in changed where slots[index].name.key.type == ZoneRules.type {
        let name = slots[index].name
        let rules = known.rules(of: name.key.name, zone: name.zone, slots[index].record?.cell)
        if let statement = PostgresZone.limit(rules, zone: name.zone) { statements.append(statement) }
      }
      // Only one transaction in 64 removes old tags, so that the others need not check.
      if tag % 64 == 0 { statements += zones.map(PostgresZone.forgetTags) }
      return (firsts, begun)
    }

    /// Records the stored changes of these slots, which are sorted by zone. The transaction has locked the zone's row
    /// since its first change there, so the sequence numbers of these changes are consecutive.
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
      let generation = slots[indices[0]].cursor.generation
      var records: [SyncRecord] = []
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
      // A device that has read up to `since` knows the tag of that number. If this server does not know it, the device
      // fetches.
      let since = Cursor(
        generation: generation, sequence: begin, tag: cursors.tag(of: begin, generation, zone: zone))
      cursors.note(end, zone: zone)
      changes.append(
        Change(
          zone: zone, since: since,
          page: ChangePage(
            store: callers[0].request.store, records: records, cursor: end, hasMore: false,
            serverMilliseconds: slots[indices[0]].serverMilliseconds, dropped: slots[indices[0]].dropped)))
    }
  }
#endif
