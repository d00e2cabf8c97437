#if Network
  import SyncCore
  import SyncEngine

  /// Commits of several callers in one transaction. One round trip reads the records that are not cached, the arbiter
  /// decides, and one round trip swaps changes in unless another commit was faster.
  struct CommitBatch {
    /// The commit of one caller.
    struct Request: Sendable {
      var zone: String
      var operations: [RecordOperation]
      /// The furthest cursor that the caller has received.
      var heard: Cursor?
      /// The store of the database.
      var store: StoreIdentity

      /// True if some operations form a transaction. No other acts share their database transaction then.
      var isTransaction: Bool { operations.contains { $0.group != nil } }
    }

    /// The number of attempts for an operation whose record was changed meanwhile.
    private static let attempts = 4

    let cursors: ZoneCursors
    let known: KnownRecords
    var callers: [Caller]
    var slots: [Slot] = []
    var slotIndices: [Name: Int] = [:]
    /// The number of records of limited collections, by the slot of their rules.
    var counts: [Int: Int] = [:]
    /// The collections of each zone that were full, with the number of records that did not fit.
    var full: [String: [String: Int]] = [:]
    /// The durable changes by zone.
    var changes: [Change] = []

    /// All changes of one transaction in a zone, without others in between.
    struct Change: Sendable {
      var zone: String
      var since: Cursor
      var page: ChangePage
    }

    struct Caller {
      var request: Request
      var results: [CommitResult?]
      var cursor = Cursor(generation: 0, sequence: 0)
      var serverMilliseconds: Int64 = 0
      var error: BackendError?
    }

    struct Name: Hashable {
      var zone: String
      var key: RecordKey
    }

    /// An operation with the indexes of its caller and itself.
    struct Pending {
      var caller: Int
      var operation: Int
      /// The slot of its record.
      var slot = 0
      /// The slot of its collection's rules, or nil if it has no collection.
      var rules: Int?
    }

    /// A record during the decision.
    struct Slot {
      var name: Name
      /// As the database has it.
      var stored: SyncRecord?
      /// With what has been decided; its sequence number is not known yet.
      var record: SyncRecord?
      var changes: Int64 = 0
      /// The packed cell of the decided record, once it should be swapped in.
      var packed: [UInt8] = []
      /// The names that the zone stores besides the record.
      var names = TakenNames()
      /// The incarnation in which the record is then deleted, or nil.
      var deletedIncarnation: Int64?
      var dropped = Dropped()
      /// The zone's position when the record was read or swapped in.
      var cursor = Cursor(generation: 0, sequence: 0)
      var serverMilliseconds: Int64 = 0
      /// The zone's number of the last change, once swapped in.
      var sequence: Int64?
      var problem: BackendError?
      /// True if the record is cached. Only a successful swap proves that it is current.
      var isAssumed = false
    }

    enum Decision {
      /// The change with this number in its slot, with the stamp of its write.
      case change(Int64, Stamp?)
      /// The record as it was after this many changes.
      case conflict(SyncRecord?, after: Int64)
      case done(CommitResult)
    }

    init(_ requests: [Request], cursors: ZoneCursors, known: KnownRecords) {
      self.cursors = cursors
      self.known = known
      callers = requests.map { Caller(request: $0, results: Array(repeating: nil, count: $0.operations.count)) }
    }

    /// The answer for each caller.
    var replies: [Result<CommitReply, BackendError>] {
      callers.map { caller in
        if let error = caller.error { return .failure(error) }
        return .success(
          CommitReply(
            results: caller.results.map { $0 ?? .conflict(nil) }, cursor: caller.cursor,
            serverMilliseconds: caller.serverMilliseconds))
      }
    }

    /// Commits. Everything is durable on return. Throws if nothing was done for anyone or, if the connection broke, if
    /// everything may have been done.
    mutating func run(on connection: ZoneConnection) throws(BackendError) {
      var open = callers.indices.flatMap { caller in
        callers[caller].request.operations.indices.map { Pending(caller: caller, operation: $0) }
      }
      let isWhole = callers.contains { $0.request.isTransaction }
      for attempt in 1...Self.attempts where !open.isEmpty {
        // The parts of a transaction are read, because a part that depends on an outdated record would be left out by
        // itself.
        try read(&open, mayAssume: attempt == 1 && !isWhole, connection)
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

    /// Answers callers that know a state lost by the zone, and returns the operations of the others.
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

    // MARK: Answering

    /// Answers an operation. Returns false if another commit changed the record meanwhile, so that the operation is
    /// decided again.
    private mutating func answer(_ pending: Pending, _ decision: Decision?) -> Bool {
      guard let decision else { return true }
      let index = pending.slot
      if slots[index].changes > 0 || slots[index].isAssumed, slots[index].sequence == nil {
        known.forget(zone: slots[index].name.zone)
        return false
      }
      note(index, of: pending.caller)
      let result: CommitResult
      switch decision {
      case .done(let done): result = done
      case .change(let number, let stamp):
        result = .committed(
          version: (slots[index].stored?.version ?? 0) + number, sequence: sequence(of: index, after: number),
          stamp: stamp)
      case .conflict(var record, let changes):
        if changes > 0 { record?.sequence = sequence(of: index, after: changes) }
        result = .conflict(record)
      }
      callers[pending.caller].results[pending.operation] = result
      return true
    }

    /// Records the zone's position when a caller's operation was decided.
    mutating func note(_ slot: Int, of caller: Int) {
      let cursor = slots[slot].cursor
      if cursor.sequence >= callers[caller].cursor.sequence { callers[caller].cursor = cursor }
    }

    /// The number of a change. Each has its own, because the author of one has not seen the next.
    private func sequence(of slot: Int, after changes: Int64) -> Int64 {
      (slots[slot].sequence ?? 0) - slots[slot].changes + changes
    }
  }
#endif
