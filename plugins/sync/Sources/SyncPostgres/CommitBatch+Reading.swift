#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  // Reads the data that a commit depends on: its records and the rules of their collections.
  extension CommitBatch {
    mutating func read(
      _ open: inout [Pending], mayAssume: Bool, _ connection: ZoneConnection
    ) throws(BackendError) {
      slots.removeAll(keepingCapacity: true)
      slotIndices.removeAll(keepingCapacity: true)
      for index in open.indices { name(&open[index]) }
      if mayAssume { assume(open) }
      let asked = slots.indices.filter { !slots[$0].isAssumed }
      if asked.isEmpty { return }
      // A key that will be refused is not read, because PostgreSQL does not allow a zero byte in text.
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
          generation: slots[index].cursor.generation, dropped: slots[index].dropped,
          serverMilliseconds: slots[index].serverMilliseconds)
      }
    }

    /// Assigns slots to an operation's record and to the rules of its collection.
    private mutating func name(_ pending: inout Pending) {
      let request = callers[pending.caller].request
      let operation = request.operations[pending.operation]
      pending.slot = slot(of: Name(zone: request.zone, key: operation.key))
      if operation.key.isWellFormed, operation.isOfCollection {
        pending.rules = slot(of: Name(zone: request.zone, key: ZoneRules.key(of: operation.key.type)))
      }
    }

    private mutating func slot(of name: Name) -> Int {
      if let index = slotIndices[name] { return index }
      slotIndices[name] = slots.count
      slots.append(Slot(name: name))
      return slots.count - 1
    }

    /// Uses cached records instead of reading them. If a record must be read, the rules of its collection are read with
    /// it.
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
      for pending in open where !slots[pending.slot].isAssumed {
        if let rules = pending.rules { slots[rules] = Slot(name: slots[rules].name) }
      }
    }

    /// Returns the cached rules that decisions about these records depend on.
    func assumedRules(of changed: [Int]) -> [PostgresZone.AssumedRules] {
      var all: Set<PostgresZone.AssumedRules> = []
      for index in changed where slots[index].isAssumed {
        let (zone, collection) = (slots[index].name.zone, slots[index].name.key.type)
        guard let rules = slotIndices[Name(zone: zone, key: ZoneRules.key(of: collection))], slots[rules].isAssumed
        else {
          continue
        }
        // Other operations of this transaction may have declared rules.
        let version = (slots[rules].stored?.version ?? 0) + slots[rules].changes
        all.insert(.init(zone: zone, collection: collection, version: version))
      }
      return Array(all)
    }

    /// Checks whether the database has lost content of a zone.
    private func compare(_ cursor: Cursor, _ slot: Int, _ connection: ZoneConnection) throws(BackendError) {
      let zone = slots[slot].name.zone
      if cursors.fits(cursor, zone: zone) { return }
      // Get the known cursors before reading the database again. By then, the database must contain all of them.
      let known = cursors.known(zone: zone)
      let (incarnations, present) = try PostgresZone.incarnations(zone, connection)
      if known.allSatisfy({ incarnations.holds($0, last: present.sequence) }) {
        cursors.verify(present.generation, zone: zone)
      } else {
        cursors.goBack(zone: zone)
      }
    }

    /// Counts the records of the limited collections to which this batch would add records.
    mutating func count(_ open: [Pending], _ connection: ZoneConnection) throws(BackendError) {
      counts = [:]
      for pending in open where slots[pending.slot].stored == nil {
        guard let index = pending.rules, counts[index] == nil else { continue }
        let name = slots[index].name
        if known.rules(of: name.key.name, zone: name.zone, slots[index].stored?.cell).limit == nil { continue }
        counts[index] = try PostgresZone.count(name.key.name, zone: name.zone, connection)
      }
    }
  }
#endif
