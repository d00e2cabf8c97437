/// Decides on the operations of one commit in order. Each operation sees the effects of earlier ones. The operations of
/// a transaction are stored together or not at all.
package struct ArbiterBatch {
  private let serverMilliseconds: Int64
  private let dropped: Dropped
  /// The records that operations of this commit have changed so far.
  private var changed: [RecordKey: SyncRecord] = [:]
  private var added: [String: Int] = [:]
  /// The records with a conflicting operation. Later operations that would change them conflict, too, even if the
  /// expected version matches.
  private var conflicting: Set<RecordKey> = []
  /// The number of operations on each record that changed nothing. Later operations expect a version that is higher by
  /// this number.
  private var unchanged: [RecordKey: Int64] = [:]
  /// The acts of this commit that were accepted so far, with their checksums.
  private var names: [ActName: [UInt32]] = [:]
  /// The rules read so far, by collection.
  private var rules: [String: ZoneRules]
  /// The full collections, with the number of records that did not fit into each.
  package private(set) var full: [String: Int] = [:]

  /// Creates a batch for a commit at the given server time. `dropped` contains the limits up to which the zone has
  /// forgotten deletions; `rules` are the rules that have already been read.
  package init(serverMilliseconds: Int64, dropped: Dropped = Dropped(), rules: [String: ZoneRules] = [:]) {
    self.dropped = dropped
    self.rules = rules
    self.serverMilliseconds = serverMilliseconds
  }

  /// The decision on one operation, with the record before it.
  package struct Outcome: Sendable {
    package var decision: Arbiter.Decision
    /// The record before the operation.
    package var stored: SyncRecord?
    /// The incarnation in which the record is deleted after the operation, or nil if it is not deleted.
    package var deletedIncarnation: Int64?
    /// The names of acts to store alongside the record.
    public var names = TakenNames()
  }

  /// Decides on all operations. `read` returns a stored record, `count` the number of records in a collection, and
  /// `taken` the state of an act in the zone.
  package mutating func decide(
    _ operations: [RecordOperation], read: (RecordKey) throws -> SyncRecord?, count: (String) throws -> Int,
    taken: (ActName) throws -> TakenAct
  ) throws -> [Outcome] {
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(operations.count)
    var index = 0
    while index < operations.count {
      let group = operations[index].group
      var end = index + 1
      while group != nil, end < operations.count, operations[end].group == group { end += 1 }
      // Copied only if the group may have to be rolled back, because the next change then copies the storage.
      let before = group == nil ? nil : (changed, added, names)
      var part: [Outcome] = []
      for operation in operations[index..<end] { part.append(try decide(operation, read, count, taken)) }
      if let before, let whole = Self.whole(part, Array(operations[index..<end])) {
        (changed, added, names) = before
        part = whole
      }
      for (operation, outcome) in zip(operations[index..<end], part) where outcome.decision == .conflict {
        conflicting.insert(operation.key)
      }
      outcomes += part
      index = end
    }
    return outcomes
  }

  /// Returns the outcomes of a transaction that cannot be stored completely, or nil if it can be.
  private static func whole(_ part: [Outcome], _ operations: [RecordOperation]) -> [Outcome]? {
    // Return the record before the transaction, not the result of an earlier write that is rolled back.
    let met = Dictionary(zip(operations.map(\.key), part.map(\.stored))) { first, _ in first }
    func rolledBack(_ decision: Arbiter.Decision, _ operation: RecordOperation) -> Outcome {
      Outcome(decision: decision, stored: met[operation.key] ?? nil)
    }
    for (outcome, operation) in zip(part, operations) {
      guard case .refused(let refusal) = outcome.decision else { continue }
      let reason = "the transaction is refused: \(operation.key): \(refusal)"
      return operations.map { rolledBack(.refused(.invalid(reason)), $0) }
    }
    guard part.contains(where: { $0.decision == .conflict }) else { return nil }
    return zip(part, operations).map { rolledBack($0.decision == .unchanged ? .unchanged : .conflict, $1) }
  }

  private mutating func decide(
    _ operation: RecordOperation, _ read: (RecordKey) throws -> SyncRecord?, _ count: (String) throws -> Int,
    _ taken: (ActName) throws -> TakenAct
  ) throws -> Outcome {
    func present(_ key: RecordKey) throws -> SyncRecord? {
      if let known = changed[key] { known } else { try read(key) }
    }
    guard operation.key.isWellFormed else {
      return Outcome(decision: .refused(.invalid(RecordKey.rule)), stored: nil)
    }
    let stored = try present(operation.key)
    var operation = operation
    operation.expectedVersion -= unchanged[operation.key] ?? 0
    if let decision = dropped.decision(on: operation, stored: stored) {
      return Outcome(decision: decision, stored: stored)
    }
    var rules: ZoneRules?
    if operation.isOfCollection {
      let collection = operation.key.type
      rules = self.rules[collection]
      if rules == nil {
        rules = ZoneRules(collection: collection, cell: try present(ZoneRules.key(of: collection))?.cell)
        self.rules[collection] = rules
      }
      if stored == nil, let limit = rules?.limit {
        let records = try count(operation.key.type) + added[operation.key.type, default: 0]
        if records >= limit {
          full[collection, default: 0] += 1
          let reason = "'\(operation.key.type)' has \(records) records, at most \(limit) are allowed"
          return Outcome(decision: .refused(.invalid(reason)), stored: nil)
        }
      }
    }
    let decision = try Arbiter.decide(
      operation, stored: stored, rules: rules, serverMilliseconds: serverMilliseconds
    ) { name in
      if let checks = names[name] { return .yes(checks: checks) }
      return try taken(name)
    }
    if decision == .unchanged { unchanged[operation.key, default: 0] += 1 }
    if case .store = decision, conflicting.contains(operation.key) {
      return Outcome(decision: .conflict, stored: stored)
    }
    if case .store(let cell, _) = decision {
      if operation.key.type == ZoneRules.type { self.rules = [:] }
      if stored == nil { added[operation.key.type, default: 0] += 1 }
      changed[operation.key] = SyncRecord(
        key: operation.key, version: (stored?.version ?? 0) + 1, sequence: stored?.sequence ?? 0, cell: cell)
    }
    var outcome = Outcome(decision: decision, stored: stored)
    if case .store(let cell, _) = decision {
      outcome.deletedIncarnation = cell.deletedIncarnation(by: rules?.delete ?? .editWins)
      outcome.names = TakenNames(operation.change, over: stored?.cell ?? Cell())
      for act in outcome.names.acts { names[act.name, default: []].append(act.check) }
    }
    return outcome
  }
}

extension RecordOperation {
  /// True for an operation on a record of a collection with rules in the zone.
  package var isOfCollection: Bool {
    switch change {
    case .write(let write): write.record != nil
    case .join(let cell): cell.isRecord
    case .retire: false
    }
  }
}
