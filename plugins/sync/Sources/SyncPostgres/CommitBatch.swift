#if Network
  import SyncCore
  import SyncEngine

  /// The commits of several callers in one transaction. One round trip reads the records that are not cached. The
  /// arbiter then decides, and a second round trip stores the changes, except those to records that another commit has
  /// changed meanwhile.
  struct CommitBatch {
    struct Request: Sendable {
      var zone: String
      var operations: [RecordOperation]
      /// The furthest cursor that the caller has received, or nil.
      var heard: Cursor?
      /// The identity of the store that the database contains.
      var store: StoreIdentity

      /// True if some operations form a transaction. They then do not share their database transaction with other
      /// commits.
      var isTransaction: Bool { operations.contains { $0.group != nil } }
    }

    /// The maximum number of attempts at an operation while others change its record.
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
    /// The durable changes.
    var changes: [Change] = []

    /// Consecutive changes that one database transaction has made in a zone.
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

    /// An operation without a result. Contains the indices of its caller and of the operation.
    struct Pending {
      var caller: Int
      var operation: Int
      /// The slot of the operation's record.
      var slot = 0
      /// The slot of the rules of its collection, or nil if the record does not belong to a collection.
      var rules: Int?
    }

    /// The state of a record while operations on it are decided.
    struct Slot {
      var name: Name
      /// The record as stored in the database, or nil if the database does not contain it.
      var stored: SyncRecord?
      /// The record after the decisions so far, without its new sequence number.
      var record: SyncRecord?
      var changes: Int64 = 0
      /// The packed cell of the decided record. It is set before the record is stored.
      var packed: [UInt8] = []
      /// The names of acts to store alongside the record.
      var names = TakenNames()
      /// The incarnation in which the record will be deleted, or nil if it will not be deleted.
      var deletedIncarnation: Int64?
      var dropped = Dropped()
      /// The zone's position when the record was read or stored.
      var cursor = Cursor(generation: 0, sequence: 0)
      var serverMilliseconds: Int64 = 0
      /// The sequence number of the record's last change in this transaction, or nil if the record has not been stored.
      var sequence: Int64?
      var problem: BackendError?
      /// True if the record comes from the cache. It is known to be current only once a change has been stored.
      var isAssumed = false
    }

    enum Decision {
      /// The operation is the change with this number in its slot. For a write, also contains its stamp.
      case change(Int64, Stamp?)
      /// The operation conflicts with the record as it was after `after` changes in its slot.
      case conflict(SyncRecord?, after: Int64)
      case done(CommitResult)
    }

    init(_ requests: [Request], cursors: ZoneCursors, known: KnownRecords) {
      self.cursors = cursors
      self.known = known
      callers = requests.map { Caller(request: $0, results: Array(repeating: nil, count: $0.operations.count)) }
    }

    /// The responses to the callers, in order.
    var replies: [Result<CommitReply, BackendError>] {
      callers.map { caller in
        if let error = caller.error { return .failure(error) }
        return .success(
          CommitReply(
            results: caller.results.map { $0 ?? .conflict(nil) }, cursor: caller.cursor,
            serverMilliseconds: caller.serverMilliseconds))
      }
    }

    /// Commits all operations. When the call returns, everything is durable. If it throws, the last attempt has
    /// committed nothing for any caller or, if the connection was lost, may have committed everything. Changes
    /// committed by earlier attempts are in `changes`.
    mutating func run(on connection: ZoneConnection) throws(BackendError) {
      var open = callers.indices.flatMap { caller in
        callers[caller].request.operations.indices.map { Pending(caller: caller, operation: $0) }
      }
      let isWhole = callers.contains { $0.request.isTransaction }
      for attempt in 1...Self.attempts where !open.isEmpty {
        // Records in transactions are always read. If a cached record were outdated, its part of the transaction would
        // be left out while the other parts were stored.
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

    /// Sets an error for callers that have seen a state which the zone has lost. Returns the operations of all other
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

    // MARK: Results

    /// Sets the result of an operation. Returns false if another commit has changed the record meanwhile, so that the
    /// operation must be decided again.
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

    /// Records the zone's position when an operation of this caller was decided.
    mutating func note(_ slot: Int, of caller: Int) {
      let cursor = slots[slot].cursor
      if cursor.sequence >= callers[caller].cursor.sequence { callers[caller].cursor = cursor }
    }

    /// Returns the sequence number of a change. Each change has a separate number, because its author has not seen the
    /// next one.
    private func sequence(of slot: Int, after changes: Int64) -> Int64 {
      (slots[slot].sequence ?? 0) - slots[slot].changes + changes
    }
  }
#endif
