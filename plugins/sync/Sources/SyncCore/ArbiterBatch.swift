/// Decides on the operations of one commit, one after the other: each sees what those before it did, and those of one
/// transaction are all stored or none.
public struct ArbiterBatch {
  private let serverMilliseconds: Int64
  private let dropped: Dropped
  /// What the operations so far made of the records.
  private var changed: [RecordKey: SyncRecord] = [:]
  private var added: [String: Int] = [:]
  /// The records of which an operation was in conflict: what follows rests on it, even where its version fits by chance.
  private var conflicting: Set<RecordKey> = []
  /// How many operations changed nothing of a record: those after them were sent as if they had.
  private var unchanged: [RecordKey: Int64] = [:]
  /// The acts that were taken so far.
  private var names: [ActName: [UInt32]] = [:]
  /// The rules of collections that are known, and those that have been read.
  private var rules: [String: ZoneRules]
  /// The collections that had no room, and for how many records.
  public private(set) var full: [String: Int] = [:]

  /// A batch that is decided at this time of the server, in a zone that has forgotten so much and of which these rules
  /// are known.
  public init(serverMilliseconds: Int64, dropped: Dropped = Dropped(), rules: [String: ZoneRules] = [:]) {
    self.dropped = dropped
    self.rules = rules
    self.serverMilliseconds = serverMilliseconds
  }

  /// What is decided on one operation, and the record as it was then.
  public struct Outcome: Sendable {
    /// The decision.
    public var decision: Arbiter.Decision
    /// What the operation met.
    public var stored: SyncRecord?
    /// The incarnation in which the record is deleted after it; nil while it lives.
    public var deletedIncarnation: Int64?
    /// What the zone keeps of it besides the record.
    public var names = TakenNames()
  }

  /// Decides on all of them; `read` gives a record as it is stored, `count` how many records a collection has, and `taken`
  /// what the zone knows of an act.
  public mutating func decide(
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
      // Kept only where it may be needed: what is changed afterwards is copied.
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

  /// What happens to a transaction of which a part cannot be stored; nil when all of it can.
  private static func whole(_ part: [Outcome], _ operations: [RecordOperation]) -> [Outcome]? {
    // A later write to a record met what an earlier one would have made of it, which is never shown.
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
  /// Whether it is about a record of a collection, for which the zone keeps rules.
  public var isOfCollection: Bool {
    switch change {
    case .write(let write): write.record != nil
    case .join(let cell): cell.isRecord
    case .retire: false
    }
  }
}
