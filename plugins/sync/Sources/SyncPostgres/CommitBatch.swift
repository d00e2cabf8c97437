#if Network
  import SyncCore
  import SyncEngine

  /// Commits of several callers in one transaction. One round trip reads records that are not cached, the arbiter
  /// decides, and a second round trip stores the changes unless another commit was faster.
  struct CommitBatch {
    /// The commit of one caller.
    struct Request: Sendable {
      var zone: String
      var operations: [RecordOperation]
      /// The furthest cursor that the caller has received.
      var heard: Cursor?
      /// The store of the database.
      var store: StoreIdentity

      /// True if some operations form a transaction. No other operations may then share their database transaction.
      var isTransaction: Bool { operations.contains { $0.group != nil } }
    }

    /// The maximum number of attempts at an operation whose record was changed by others meanwhile.
    private static let attempts = 4

    let cursors: ZoneCursors
    let known: KnownRecords
    var callers: [Caller]
    var slots: [Slot] = []
    var slotIndices: [Name: Int] = [:]
    /// The number of records in each limited collection, by the slot of its rules.
    var counts: [Int: Int] = [:]
    /// The full collections of each zone, with the number of records that did not fit.
    var full: [String: [String: Int]] = [:]
    /// The changes that are durable.
    var changes: [Change] = []

    /// Consecutive changes that one transaction made in a zone.
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

    /// An operation that is not answered yet. Contains the indices of its caller and of itself.
    struct Pending {
      var caller: Int
      var operation: Int
      /// The slot of the operation's record.
      var slot = 0
      /// The slot of the rules of its collection, or nil if the record is outside of collections.
      var rules: Int?
    }

    /// A record while operations on it are decided.
    struct Slot {
      var name: Name
      /// The record in the database.
      var stored: SyncRecord?
      /// The record after the decisions so far. Its sequence number is not known yet.
      var record: SyncRecord?
      var changes: Int64 = 0
      /// The packed cell of the decided record, set before it is stored.
      var packed: [UInt8] = []
      /// The names of acts to store in addition to the record.
      var names = TakenNames()
      /// The incarnation in which the record will be deleted, or nil if it is not deleted.
      var deletedIncarnation: Int64?
      var dropped = Dropped()
      /// The zone's position when the record was read or stored.
      var cursor = Cursor(generation: 0, sequence: 0)
      var serverMilliseconds: Int64 = 0
      /// The sequence number of the last change, or nil until the record is stored.
      var sequence: Int64?
      var problem: BackendError?
      /// True if the record is cached. Only storing a change successfully proves that it is current.
      var isAssumed = false
    }

    enum Decision {
      /// The operation is the change with this number in its slot. Contains the stamp of a write.
      case change(Int64, Stamp?)
      /// The operation is in conflict with the record as it was after this many changes.
      case conflict(SyncRecord?, after: Int64)
      case done(CommitResult)
    }

    init(_ requests: [Request], cursors: ZoneCursors, known: KnownRecords) {
      self.cursors = cursors
      self.known = known
      callers = requests.map { Caller(request: $0, results: Array(repeating: nil, count: $0.operations.count)) }
    }

    /// The response to each caller.
    var replies: [Result<CommitReply, BackendError>] {
      callers.map { caller in
        if let error = caller.error { return .failure(error) }
        return .success(
          CommitReply(
            results: caller.results.map { $0 ?? .conflict(nil) }, cursor: caller.cursor,
            serverMilliseconds: caller.serverMilliseconds))
      }
    }

    /// Commits all operations. Everything is durable on return. Throws if nothing was committed for any caller or, if
    /// the connection broke, if everything may have been committed.
    mutating func run(on connection: ZoneConnection) throws(BackendError) {
      var open = callers.indices.flatMap { caller in
        callers[caller].request.operations.indices.map { Pending(caller: caller, operation: $0) }
      }
      let isWhole = callers.contains { $0.request.isTransaction }
      for attempt in 1...Self.attempts where !open.isEmpty {
        // Records of transactions are always read. If a part depended on an outdated record, that part alone would be
        // left out.
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

    /// Sets an error for callers that know a state which the zone has lost. Returns the operations of the other
    /// callers.
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

    /// Answers an operation. Returns false if another commit has changed the record meanwhile, so that the operation
    /// must be decided again.
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

    /// Records the zone's position at which an operation of a caller was decided.
    mutating func note(_ slot: Int, of caller: Int) {
      let cursor = slots[slot].cursor
      if cursor.sequence >= callers[caller].cursor.sequence { callers[caller].cursor = cursor }
    }

    /// Returns the sequence number of a change. Each change has its own, because its author has not seen the next one.
    private func sequence(of slot: Int, after changes: Int64) -> Int64 {
      (slots[slot].sequence ?? 0) - slots[slot].changes + changes
    }
  }
#endif
