#if Network
  import SyncCore
  import SyncEngine

  // Decides each operation in memory.
  extension CommitBatch {
    /// Decides on the operations of each caller in order. Each operation sees the effects of earlier ones.
    mutating func decide(
      _ open: [Pending], mayChange: Bool, _ connection: ZoneConnection
    ) throws(BackendError) -> [Decision?] {
      var decisions: [Decision?] = []
      decisions.reserveCapacity(open.count)
      var rest = open[...]
      while let first = rest.first {
        let pendings = rest.prefix { $0.caller == first.caller }
        rest = rest.dropFirst(pendings.count)
        decisions += try decide(pendings, of: first.caller, mayChange: mayChange, connection)
      }
      return decisions
    }

    private mutating func decide(
      _ pendings: ArraySlice<Pending>, of caller: Int, mayChange: Bool, _ connection: ZoneConnection
    ) throws(BackendError) -> [Decision?] {
      if let index = pendings.firstIndex(where: { slots[$0.slot].problem != nil }) {
        callers[caller].error = slots[pendings[index].slot].problem
        return pendings.map { _ in nil }
      }
      if let first = pendings.first?.slot {
        note(first, of: caller)
        callers[caller].serverMilliseconds = slots[first].serverMilliseconds
      }
      let (outcomes, full) = try outcomes(of: pendings, caller, connection)
      if !full.isEmpty { self.full[callers[caller].request.zone, default: [:]].merge(full, uniquingKeysWith: +) }
      return zip(pendings, outcomes).map { pending, outcome in take(outcome, pending.slot, mayChange: mayChange) }
    }

    /// Decides without changing the batch. A function that both reads and changes the slots would copy them.
    private func outcomes(
      of pendings: ArraySlice<Pending>, _ caller: Int, _ connection: ZoneConnection
    ) throws(BackendError) -> (outcomes: [ArbiterBatch.Outcome], full: [String: Int]) {
      let request = callers[caller].request
      var rules: [String: ZoneRules] = [:]
      for case let index? in pendings.lazy.map(\.rules) {
        let collection = slots[index].name.key.name
        if rules[collection] != nil { continue }
        rules[collection] = known.rules(of: collection, zone: request.zone, slots[index].record?.cell)
      }
      var batch = ArbiterBatch(
        serverMilliseconds: callers[caller].serverMilliseconds,
        dropped: pendings.first.map { slots[$0.slot].dropped } ?? Dropped(), rules: rules)
      do {
        let outcomes = try batch.decide(
          pendings.map { request.operations[$0.operation] },
          read: { key in slotIndices[Name(zone: request.zone, key: key)].flatMap { slots[$0].record } },
          count: { collection in
            slotIndices[Name(zone: request.zone, key: ZoneRules.key(of: collection))].flatMap { counts[$0] } ?? 0
          },
          taken: { try taken($0, zone: request.zone, connection) })
        return (outcomes, batch.full)
      } catch {
        throw error as? BackendError ?? .storage("\(error)")
      }
    }

    /// Looks up an act in the zone and among the acts of this batch, which have not been stored yet.
    private func taken(
      _ name: ActName, zone: String, _ connection: ZoneConnection
    ) throws(BackendError) -> TakenAct {
      let here = slots.filter { $0.name.zone == zone }.flatMap(\.names.acts).filter { $0.name == name }
      return here.isEmpty
        ? try PostgresZone.taken(name, zone: zone, connection) : .yes(checks: here.map(\.check))
    }

    private mutating func take(_ outcome: ArbiterBatch.Outcome, _ index: Int, mayChange: Bool) -> Decision {
      switch outcome.decision {
      case .store(let cell, let stamp) where mayChange:
        slots[index].changes += 1
        slots[index].deletedIncarnation = outcome.deletedIncarnation
        slots[index].names.formUnion(outcome.names)
        slots[index].record = SyncRecord(
          key: slots[index].name.key, version: (slots[index].record?.version ?? 0) + 1, sequence: 0, cell: cell)
        return .change(slots[index].changes, stamp)
      case .store, .conflict: return .conflict(slots[index].record, after: slots[index].changes)
      case .unchanged: return .done(.unchanged)
      case .refused(let refusal): return .done(.refused(refusal))
      }
    }

    /// Forgets old deletions in the collections that are full. Returns false if there are none to forget.
    func makeRoom(_ connection: ZoneConnection) throws(BackendError) -> Bool {
      var hasRoom = false
      for (zone, collections) in full where try PostgresZone.makeRoom(collections, zone, connection) {
        known.forget(zone: zone)
        hasRoom = true
      }
      return hasRoom
    }
  }
#endif
