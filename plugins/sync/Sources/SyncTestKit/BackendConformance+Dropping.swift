import SyncCore
import SyncEngine

/// The checks that a zone forgets old deletions.
extension BackendConformance {
  private static let note = RecordKey(type: "notes", name: "a")

  private static func rules(
    of collection: String, _ texts: [String: String], at milliseconds: Int64
  ) -> RecordOperation {
    let fields = texts.map { Write.FieldChange(name: $0.key, value: Array($0.value.utf8)) }
    let write = Write(dot: Dot(device: device(1), number: 1), milliseconds: milliseconds, fields: fields)
    return RecordOperation(key: ZoneRules.key(of: collection), expectedVersion: 0, change: .write(write))
  }

  private static func put(
    _ key: RecordKey, _ device: Int, _ number: Int64, at milliseconds: Int64, expected: Int64 = 0,
    incarnation: Int64 = 0
  ) -> RecordOperation {
    let write = Write(
      dot: Dot(device: self.device(device), number: number), milliseconds: milliseconds,
      record: RecordWrite(incarnation: incarnation, changes: [.init(name: "likes", kind: .add(1))]))
    return RecordOperation(key: key, expectedVersion: expected, change: .write(write))
  }

  private static func deletion(
    of record: SyncRecord, _ device: Int, _ number: Int64, at milliseconds: Int64
  ) -> RecordOperation {
    let write = Write(
      dot: Dot(device: self.device(device), number: number), milliseconds: milliseconds, context: record.cell.context,
      record: RecordWrite(incarnation: record.cell.content.incarnation, isDeletion: true))
    return RecordOperation(key: record.key, expectedVersion: record.version, change: .write(write))
  }

  private static func page(_ backend: any SyncBackend, _ zone: String) async throws -> ChangePage {
    try await backend.changes(
      zone: zone, since: nil, limit: SyncLimits.records, maximumBytes: 1 << 20, reader: .device(device(1)), of: nil)
  }

  static let forgotten: Body = { backend, zone in
    let now = try await backend.serverTime()
    let other = RecordKey(type: "notes", name: "b")
    let made = try await backend.commit(
      [
        rules(of: "notes", ["likes": "integer counter", ZoneRules.limitName: "2"], at: now), put(note, 1, 2, at: now),
        put(other, 1, 3, at: now),
      ], zone: zone)
    let first = try await page(backend, zone)
    guard made.results.count == 3, let living = first.records.first(where: { $0.key == note }) else {
      throw Failure(rule: "a record that was put is there", seen: "\(first)")
    }
    _ = try await backend.commit([deletion(of: living, 1, 4, at: now)], zone: zone)
    let kept = try await page(backend, zone)
    try expect(
      kept.dropped == Dropped() && kept.records.contains { $0.key == note }, "a deletion is kept while there is room",
      "\(kept)")
    let third = RecordKey(type: "notes", name: "c")
    // The change has too low an incarnation: to make room, the zone has just forgotten a deletion that the device has
    // not seen.
    let early = try await backend.commit([put(third, 1, 5, at: now)], zone: zone)
    try expect(early.results == [.conflict(nil)], "a full collection forgets a deletion for a new record", "\(early)")
    let reply = try await backend.commit([put(third, 1, 5, at: now, incarnation: 1)], zone: zone)
    guard case .committed(1, _, _) = reply.results.first else {
      throw Failure(rule: "and takes the new record", seen: "\(reply)")
    }
    let gone = try await page(backend, zone)
    try expect(!gone.records.contains { $0.key == note }, "a deletion that made room is forgotten", "\(gone)")
    try expect(
      gone.dropped == Dropped(sequence: kept.cursor.sequence, incarnation: 1), "a page tells what was forgotten",
      "\(gone.dropped)")
    // A device that was offline for longer changes the forgotten record, returns it, and creates another record.
    let late = try await backend.commit(
      [
        put(note, 3, 1, at: now), RecordOperation(key: note, expectedVersion: 0, change: .join(living.cell)),
        put(RecordKey(type: "notes", name: "d"), 3, 2, at: now, incarnation: 1),
      ], zone: zone)
    guard late.results.count == 3, late.results.prefix(2) == [.conflict(nil), .unchanged],
      case .refused = late.results[2]
    else { throw Failure(rule: "what was forgotten does not come back, and a limit holds", seen: "\(late)") }
    let living2 = try await page(backend, zone).records.first { $0.key == other }
    guard let living2 else { throw Failure(rule: "a record that was put is there", seen: "nothing") }
    _ = try await backend.commit([deletion(of: living2, 1, 6, at: now)], zone: zone)
    let again = try await backend.commit([put(note, 3, 3, at: now, incarnation: 1)], zone: zone)
    guard case .committed(1, _, _) = again.results.first else {
      throw Failure(rule: "what is made again is taken", seen: "\(again)")
    }
  }

  static let heldDeletion: Body = { backend, zone in
    let now = try await backend.serverTime()
    let links = rules(of: "links", ["note": "reference:notes newest clear"], at: now)
    let notes = rules(of: "notes", ["likes": "integer counter", ZoneRules.limitName: "1"], at: now)
    _ = try await backend.commit([links, notes, put(note, 1, 2, at: now)], zone: zone)
    guard let living = try await page(backend, zone).records.first(where: { $0.key == note }) else {
      throw Failure(rule: "a record that was put is there", seen: "nothing")
    }
    _ = try await backend.commit([deletion(of: living, 1, 3, at: now)], zone: zone)
    let reply = try await backend.commit([put(RecordKey(type: "notes", name: "b"), 1, 4, at: now)], zone: zone)
    guard case .refused = reply.results.first else {
      throw Failure(rule: "what may be referred to stays deleted, and has its place", seen: "\(reply)")
    }
    let kept = try await page(backend, zone)
    try expect(kept.records.contains { $0.key == note }, "what may be referred to stays deleted", "\(kept)")
  }
}
