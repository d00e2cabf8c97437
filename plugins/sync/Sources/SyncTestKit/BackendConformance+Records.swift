import SyncCore
import SyncEngine

/// The checks of collections' records and their rules.
extension BackendConformance {
  private static let rulesKey = ZoneRules.key(of: "notes")

  private static func rules(
    _ device: Int, _ texts: [String: String], at milliseconds: Int64, expected: Int64 = 0
  ) -> RecordOperation {
    let fields = texts.map { Write.FieldChange(name: $0.key, value: Array($0.value.utf8)) }
    let write = Write(dot: Dot(device: self.device(device), number: 1), milliseconds: milliseconds, fields: fields)
    return RecordOperation(key: rulesKey, expectedVersion: expected, change: .write(write))
  }

  private static func note(
    _ key: String, _ device: Int, _ number: Int64 = 2, adding more: Int64 = 1, at milliseconds: Int64,
    expected: Int64 = 0, group: Int64? = nil
  ) -> RecordOperation {
    let write = Write(
      dot: Dot(device: self.device(device), number: number), milliseconds: milliseconds,
      record: RecordWrite(changes: [.init(name: "likes", kind: .add(more))]))
    return RecordOperation(
      key: RecordKey(type: "notes", name: key), expectedVersion: expected, change: .write(write), group: group)
  }

  static let zoneRules: Body = { backend, zone in
    let now = try await backend.serverTime()
    let early = try await backend.commit([note("a", 1, at: now)], zone: zone)
    guard case .refused = early.results.first else {
      throw Failure(rule: "a record of a collection without rules is refused", seen: "\(early)")
    }
    let texts = ["likes": "integer counter"]
    _ = try await backend.commit([rules(1, texts, at: now)], zone: zone)
    let same = try await backend.commit([rules(2, texts, at: now, expected: 1)], zone: zone)
    try expect(same.results == [.unchanged], "rules that the zone has change nothing", "\(same)")
    let other = try await backend.commit([rules(3, ["likes": "integer largest"], at: now, expected: 1)], zone: zone)
    guard case .refused(.invalid(let reason)) = other.results.first, reason.contains("'integer counter'") else {
      throw Failure(rule: "another rule for a name is refused with the difference", seen: "\(other)")
    }
    let good = try await backend.commit([note("a", 1, at: now), note("a", 2, at: now, expected: 1)], zone: zone)
    guard case .committed = good.results.first, case .committed = good.results.last else {
      throw Failure(rule: "records that keep to the rules are stored", seen: "\(good)")
    }
    let total = try await all(backend, zone).first { $0.key.type == "notes" }?.cell.content.part("likes")?.state.total
    try expect(total == 2, "both additions count", "\(total ?? -1)")
    let missing = Write(
      dot: Dot(device: device(1), number: 9), milliseconds: now,
      record: RecordWrite(changes: [.init(name: "best", kind: .largest(Scalar.integer(1).bytes))]))
    let key = RecordKey(type: "notes", name: "b")
    let refused = try await backend.commit(
      [RecordOperation(key: key, expectedVersion: 0, change: .write(missing))], zone: zone)
    guard case .refused = refused.results.first else {
      throw Failure(rule: "a field without a rule is refused", seen: "\(refused)")
    }
  }

  static let rulesAtOnce: Body = { backend, zone in
    let now = try await backend.serverTime()
    let texts = ["likes": ["integer counter", "integer largest"], "best": ["number largest", "number smallest"]]
    let all = (0...1).map { choice in texts.mapValues { $0[choice] } }
    async let one = backend.commit([rules(1, all[0], at: now)], zone: zone)
    async let other = backend.commit([rules(2, all[1], at: now)], zone: zone)
    let results = try await [one, other].map { $0.results.first }
    let taken = results.indices.filter { if case .committed = results[$0] { true } else { false } }
    guard taken.count == 1, let winner = taken.first, case .conflict(let record?) = results[1 - winner] else {
      throw Failure(rule: "one of two rules is taken, the other meets a conflict", seen: "\(results)")
    }
    let kept = ZoneRules(collection: "notes", cell: record.cell).texts
    try expect(kept == all[winner], "who comes second hears the rules of the first", "\(kept)")
    let again = try await backend.commit(
      [rules(2 - winner, all[1 - winner], at: now, expected: record.version), note("a", 2 - winner, at: now)],
      zone: zone)
    guard case .refused(.invalid(let reason)) = again.results.first, reason.contains("'\(kept["best"] ?? "")'") else {
      throw Failure(rule: "then the second is refused with the difference", seen: "\(again)")
    }
    let stored = try await Self.all(backend, zone).first { $0.key == rulesKey }
    try expect(
      ZoneRules(collection: "notes", cell: stored?.cell).texts == kept, "the zone keeps the rules of the first",
      "\(String(describing: stored))")
  }

  static let ordered: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([rules(1, ["likes": "integer counter"], at: now), note("a", 1, at: now)], zone: zone)
    // The author has not seen the record. Another device has created the version that the second change expects.
    let late = try await backend.commit(
      [note("a", 2, 2, at: now), note("a", 2, 3, at: now, expected: 1)], zone: zone)
    for result in late.results {
      guard case .conflict = result else {
        throw Failure(rule: "no change is stored before one that its author made earlier", seen: "\(late)")
      }
    }
  }

  static let recordLimit: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([rules(1, ["likes": "integer counter", "_limit": "2"], at: now)], zone: zone)
    let reply = try await backend.commit(["a", "b", "c"].map { note($0, 1, at: now) }, zone: zone)
    guard case .refused(.invalid(let reason)) = reply.results.last, reason.contains("at most 2") else {
      throw Failure(rule: "a record beyond the collection's limit is refused", seen: "\(reply)")
    }
    let more = try await backend.commit([note("a", 2, at: now, expected: 1), note("d", 2, at: now)], zone: zone)
    guard case .committed = more.results.first, case .refused = more.results.last else {
      throw Failure(rule: "records that are there can be changed beyond the limit", seen: "\(more)")
    }
  }

  static let transactions: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([rules(1, ["likes": "integer counter"], at: now)], zone: zone)
    _ = try await backend.commit([note("a", 1, at: now)], zone: zone)
    let before = try await backend.changes(zone: zone, since: nil, limit: 100, maximumBytes: 1 << 20)
    // The version of one record differs from the expected one.
    let late = try await backend.commit(
      ["b", "a", "c"].map { note($0, 2, at: now, group: 7) }, zone: zone)
    guard case .conflict(nil) = late.results[0], case .conflict(_?) = late.results[1],
      case .conflict(nil) = late.results[2]
    else { throw Failure(rule: "a conflict in a transaction is one of all its parts", seen: "\(late)") }
    // One of the changes can never succeed.
    var wrong = note("b", 2, at: now, group: 8)
    wrong.key.type = "unknown"
    let refused = try await backend.commit([note("c", 2, at: now, group: 8), wrong], zone: zone)
    try expect(
      refused.results.allSatisfy { if case .refused = $0 { true } else { false } },
      "what is wrong with a part is wrong with the transaction", "\(refused)")
    let after = try await backend.changes(zone: zone, since: nil, limit: 100, maximumBytes: 1 << 20)
    try expect(before.records == after.records, "of a transaction that is not taken nothing is stored", "\(after)")
    let good = [note("b", 2, at: now, group: 9), note("a", 2, at: now, expected: 1, group: 9), note("c", 2, at: now)]
    let reply = try await backend.commit(good, zone: zone)
    try expect(
      reply.results.allSatisfy { if case .committed = $0 { true } else { false } }, "a good one is stored", "\(reply)")
    let again = try await backend.commit(
      [note("b", 2, at: now, expected: 1, group: 9), note("a", 2, at: now, expected: 2, group: 9)], zone: zone)
    try expect(again.results == [.unchanged, .unchanged], "a transaction that comes twice counts once", "\(again)")
  }

  /// Several devices repeatedly try to change the same two records in a transaction until it is committed. Every reader
  /// of the zone must see the same sum in both records.
  static let transactionsAtOnce: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([rules(1, ["likes": "integer counter"], at: now)], zone: zone)
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for device in 1...4 {
        group.addTask {
          for round in 1...200 {
            let records = try await all(backend, zone)
            let versions = ["a", "b"].map { key in records.first { $0.key.name == key }?.version ?? 0 }
            let totals = ["a", "b"].map { key in
              records.first { $0.key.name == key }?.cell.content.part("likes")?.state.total ?? 0
            }
            try expect(totals[0] == totals[1], "a transaction is seen whole", "\(totals)")
            let reply = try await backend.commit(
              zip(["a", "b"], versions).map { note($0, device, at: now, expected: $1, group: Int64(device)) },
              zone: zone)
            if reply.results.allSatisfy({ if case .conflict = $0 { false } else { true } }) { return round }
          }
          return 0
        }
      }
      var done: [Int] = []
      for try await rounds in group { done.append(rounds) }
      return done
    }
    try expect(!done.contains(0), "every transaction comes in after some attempts", "\(done)")
    let totals = try await all(backend, zone).compactMap { $0.cell.content.part("likes")?.state.total }
    try expect(totals == [4, 4], "each counts once", "\(totals)")
  }
}
