import SyncCore
import SyncEngine

/// What a backend does with what has been deleted.
extension BackendConformance {
  private static let note = RecordKey(type: "notes", name: "a")

  private static func rules(
    of collection: String, _ texts: [String: String], at milliseconds: Int64
  ) -> Operation {
    let fields = texts.map { Write.FieldChange(name: $0.key, value: Array($0.value.utf8)) }
    let write = Write(dot: Dot(device: device(1), number: 1), milliseconds: milliseconds, fields: fields)
    return Operation(key: ZoneRules.key(of: collection), expectedVersion: 0, change: .write(write))
  }

  private static func put(
    _ key: RecordKey, _ device: Int, _ number: Int64, at milliseconds: Int64, expected: Int64 = 0,
    incarnation: Int64 = 0
  ) -> Operation {
    let write = Write(
      dot: Dot(device: self.device(device), number: number), milliseconds: milliseconds,
      record: RecordWrite(incarnation: incarnation, changes: [.init(name: "likes", kind: .add(1))]))
    return Operation(key: key, expectedVersion: expected, change: .write(write))
  }

  private static func deletion(
    of record: Record, _ device: Int, _ number: Int64, at milliseconds: Int64
  ) -> Operation {
    let write = Write(
      dot: Dot(device: self.device(device), number: number), milliseconds: milliseconds, context: record.cell.context,
      record: RecordWrite(incarnation: record.cell.content.incarnation, isDeletion: true))
    return Operation(key: record.key, expectedVersion: record.version, change: .write(write))
  }

  private static func page(_ backend: any SyncBackend, _ zone: String) async throws -> ChangePage {
    try await backend.changes(
      zone: zone, since: nil, limit: SyncLimits.records, maximumBytes: 1 << 20, reader: .device(device(1)), of: nil)
  }

  private static func tell(_ device: Int, _ cursor: Cursor, _ backend: any SyncBackend, _ zone: String) async throws {
    let reply = try await backend.commit([.seen(cursor, by: self.device(device))], zone: zone)
    try expect(reply.results == [.unchanged], "saying how far one has read changes no record", "\(reply)")
  }

  /// A record that is made and deleted, in a zone in which two devices read.
  private static func deleted(
    _ backend: any SyncBackend, _ zone: String, at now: Int64
  ) async throws -> (living: Record, before: Cursor, page: ChangePage) {
    _ = try await backend.commit(
      [rules(of: "notes", ["likes": "integer counter"], at: now), put(note, 1, 2, at: now)], zone: zone)
    let first = try await page(backend, zone)
    for device in 1...2 { try await tell(device, first.cursor, backend, zone) }
    guard let living = first.records.first(where: { $0.key == note }) else {
      throw Failure(rule: "a record that was put is there", seen: "\(first)")
    }
    _ = try await backend.commit([deletion(of: living, 1, 3, at: now)], zone: zone)
    return (living, first.cursor, try await page(backend, zone))
  }

  static let forgotten: Body = { backend, zone in
    let now = try await backend.serverTime()
    let (living, before, deleted) = try await deleted(backend, zone, at: now)
    try await tell(1, deleted.cursor, backend, zone)
    try await tell(2, before, backend, zone)
    let kept = try await page(backend, zone)
    try expect(kept == with(kept.serverMilliseconds, deleted), "a deletion that one has not seen is kept", "\(kept)")
    try await tell(2, deleted.cursor, backend, zone)
    let gone = try await page(backend, zone)
    try expect(!gone.records.contains { $0.key == note }, "one that all have seen is forgotten", "\(gone)")
    try expect(gone.cursor == deleted.cursor, "forgetting is not a change", "\(gone.cursor) after \(deleted.cursor)")
    try expect(
      gone.dropped == Dropped(sequence: deleted.cursor.sequence, incarnation: 1), "a page tells what was forgotten",
      "\(gone.dropped)")
    // Someone who has been away longer writes to the record, gives it back, or makes it again without knowing.
    let late = try await backend.commit(
      [
        put(note, 3, 1, at: now), Operation(key: note, expectedVersion: 0, change: .join(living.cell)),
      ], zone: zone)
    try expect(
      late.results == [.conflict(nil), .unchanged], "what was forgotten does not come back", "\(late)")
    let again = try await backend.commit([put(note, 3, 2, at: now, incarnation: 1)], zone: zone)
    guard case .committed(1, _, _) = again.results.first else {
      throw Failure(rule: "what is made again is taken", seen: "\(again)")
    }
  }

  private static func with(_ milliseconds: Int64, _ page: ChangePage) -> ChangePage {
    var page = page
    page.serverMilliseconds = milliseconds
    return page
  }

  static let awaitedReader: Body = { backend, zone in
    let now = try await backend.serverTime()
    let (_, _, deleted) = try await deleted(backend, zone, at: now)
    let fetched = try await backend.changes(
      zone: zone, since: nil, limit: 1, maximumBytes: 1000, reader: .device(device(3)), of: nil)
    try expect(fetched.isReaderNoted, "who fetches is noted", "\(fetched)")
    for device in 1...2 { try await tell(device, deleted.cursor, backend, zone) }
    let kept = try await page(backend, zone)
    try expect(
      kept.records.contains { $0.key == note }, "what one who has fetched may not have seen is kept", "\(kept)")
    let word = Operation.seen(deleted.cursor, by: device(3)).key
    let retired = try await backend.commit(
      [Operation(key: word, expectedVersion: 0, change: .retire(device(3)))], zone: zone)
    try expect(retired.results == [.unchanged], "retiring a device that never wrote changes no record", "\(retired)")
    let gone = try await page(backend, zone)
    try expect(!gone.records.contains { $0.key == note }, "a retired device is not waited for", "\(gone)")
    // It is not known what a program of an earlier version has seen.
    _ = try await backend.changes(zone: zone, since: nil, limit: 1, maximumBytes: 1000, reader: .unnamed, of: nil)
    _ = try await backend.commit([put(note, 1, 9, at: now, incarnation: 1)], zone: zone)
    guard let again = try await page(backend, zone).records.first(where: { $0.key == note }) else {
      throw Failure(rule: "what is made again is there", seen: "nothing")
    }
    _ = try await backend.commit([deletion(of: again, 1, 10, at: now)], zone: zone)
    let end = try await page(backend, zone).cursor
    for device in 1...2 { try await tell(device, end, backend, zone) }
    let last = try await page(backend, zone)
    try expect(last.records.contains { $0.key == note }, "what an unnamed reader may not have seen is kept", "\(last)")
  }

  static let heldDeletion: Body = { backend, zone in
    let now = try await backend.serverTime()
    let reference = Write(
      dot: Dot(device: device(1), number: 5), milliseconds: now,
      fields: [.init(name: "note", value: Scalar.text("a").bytes)], record: RecordWrite())
    let links = rules(of: "links", ["note": "reference:notes newest clear"], at: now)
    _ = try await backend.commit([links], zone: zone)
    let (_, _, deleted) = try await deleted(backend, zone, at: now)
    let link = RecordKey(type: "links", name: "l")
    _ = try await backend.commit([Operation(key: link, expectedVersion: 0, change: .write(reference))], zone: zone)
    for device in 1...2 { try await tell(device, deleted.cursor, backend, zone) }
    let kept = try await page(backend, zone)
    try expect(kept.records.contains { $0.key == note }, "what may be referred to stays deleted", "\(kept)")
    guard let known = kept.records.first(where: { $0.key == link }) else {
      throw Failure(rule: "a record that was put is there", seen: "\(kept)")
    }
    _ = try await backend.commit([deletion(of: known, 1, 6, at: now)], zone: zone)
    let end = try await page(backend, zone).cursor
    for device in 1...2 { try await tell(device, end, backend, zone) }
    let gone = try await page(backend, zone)
    try expect(
      !gone.records.contains { $0.key == link } && gone.records.contains { $0.key == note },
      "what may be referred to stays deleted, what refers to it is forgotten", "\(gone)")
  }
}
