#if Network
  import SyncCore
  import SyncEngine

  /// Commits of several callers in one transaction: a round trip reads every record that they name and that is not known
  /// here, the arbiter decides here, and a round trip swaps in what changes, where no other commit was faster.
  struct CommitBatch {
    /// What one caller asks for.
    struct Request: Sendable {
      var zone: String
      var operations: [RecordOperation]
      /// The furthest cursor that the caller has been given.
      var heard: Cursor?
      /// The store that the database holds.
      var store: StoreIdentity

      /// Whether some of them are all done or none: then no other acts are in their transaction.
      var isTransaction: Bool { operations.contains { $0.group != nil } }
    }

    /// How often an operation whose record was changed meanwhile is decided again.
    private static let attempts = 4

    let cursors: ZoneCursors
    let known: KnownRecords
    var callers: [Caller]
    var slots: [Slot] = []
    var slotIndices: [Name: Int] = [:]
    /// The number of records that a collection has, where its zone limits them; by the slot of its rules.
    var counts: [Int: Int] = [:]
    /// The collections of each zone that had no room, and for how many records.
    var full: [String: [String: Int]] = [:]
    /// What has become durable, zone by zone.
    var changes: [Change] = []

    /// What one transaction has changed in a zone, all of it: no other change is between.
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

    /// An operation: the caller's number and its own.
    struct Pending {
      var caller: Int
      var operation: Int
      /// Where its record is.
      var slot = 0
      /// Where the rules of its collection are; nil if it is about none.
      var rules: Int?
    }

    /// A record while it is decided on.
    struct Slot {
      var name: Name
      /// As the database has it.
      var stored: SyncRecord?
      /// With what has been decided; its sequence number is not known yet.
      var record: SyncRecord?
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
      var serverMilliseconds: Int64 = 0
      /// The zone's number of the last change, once it has been swapped in.
      var sequence: Int64?
      var problem: BackendError?
      /// Whether this is what was known before, so that nothing but a swap that succeeds says that it is true.
      var isAssumed = false
    }

    enum Decision {
      /// The change with this number in its slot, and the stamp of its write.
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
      let isWhole = callers.contains { $0.request.isTransaction }
      for attempt in 1...Self.attempts where !open.isEmpty {
        // The parts of a transaction are read: one that rests on what is no longer true would be left out by itself.
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

    // MARK: Answering

    /// False when the record was changed by someone else meanwhile: then the operation is decided again.
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

    /// Notes how far the zone had come when a caller's operation was decided.
    mutating func note(_ slot: Int, of caller: Int) {
      let cursor = slots[slot].cursor
      if cursor.sequence >= callers[caller].cursor.sequence { callers[caller].cursor = cursor }
    }

    /// Each change has a number of its own: who made one of them has not seen the next.
    private func sequence(of slot: Int, after changes: Int64) -> Int64 {
      (slots[slot].sequence ?? 0) - slots[slot].changes + changes
    }
  }
#endif
