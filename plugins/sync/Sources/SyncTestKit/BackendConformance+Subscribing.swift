import SyncCore
import SyncEngine

/// The checks of the changes that a device with a subscription receives.
extension BackendConformance {
  private static func titled(
    _ key: String, _ title: String, _ number: Int64, at milliseconds: Int64, expected: Int64 = 0,
    collection: String = "notes"
  ) -> RecordOperation {
    let write = Write(
      dot: Dot(device: device(1), number: number), milliseconds: milliseconds,
      fields: [.init(name: "title", value: Scalar.text(title).bytes)], record: RecordWrite())
    return RecordOperation(
      key: RecordKey(type: collection, name: key), expectedVersion: expected, change: .write(write))
  }

  private static func rules(_ collection: String, at milliseconds: Int64) -> RecordOperation {
    let write = Write(
      dot: Dot(device: device(1), number: 1), milliseconds: milliseconds,
      fields: [.init(name: "title", value: Array("string newest".utf8))])
    return RecordOperation(key: ZoneRules.key(of: collection), expectedVersion: 0, change: .write(write))
  }

  private static let wanted = SyncSubscription(["notes": ["title": .text("in")]])

  static let subscription: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit(
      [
        rules("notes", at: now), rules("folders", at: now), titled("a", "in", 2, at: now),
        titled("b", "out", 3, at: now), titled("f", "in", 4, at: now, collection: "folders"),
        deviceRecord(1, at: now),
      ], zone: zone)
    let page = try await backend.changes(
      zone: zone, since: nil, limit: 9, maximumBytes: 1 << 20, reader: .nobody, of: wanted)
    let names = page.records.map(\.key.name)
    try expect(
      Array(names.suffix(3)) == ["notes", "folders", "a"], "what is subscribed to comes, and all that is not a record",
      "\(names)")
    try expect(page.others.isEmpty && !page.hasMore, "of the rest nothing comes at first", "\(page)")
    _ = try await backend.commit(
      [
        titled("a", "out", 5, at: now + 1, expected: 1), titled("b", "in", 6, at: now + 1, expected: 1),
        titled("f", "out", 7, at: now + 1, expected: 1, collection: "folders"),
      ], zone: zone)
    let next = try await backend.changes(
      zone: zone, since: page.cursor, limit: 9, maximumBytes: 1 << 20, reader: .nobody, of: wanted)
    try expect(next.records.map(\.key.name) == ["b"], "what has come to belong to it comes", "\(next.records)")
    try expect(
      next.others.map(\.key.name) == ["a", "f"], "of what does not the key comes alone", "\(next.others)")
    try expect(
      next.others.map(\.sequence).max() == next.cursor.sequence, "with its place", "\(next.others), \(next.cursor)")
  }

  static let subscriptionPages: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([rules("notes", at: now)], zone: zone)
    let named = try await backend.changes(
      zone: zone, since: nil, limit: 9, maximumBytes: 1 << 20, reader: .nobody, of: wanted
    ).records.count
    for number in 1...40 as ClosedRange<Int64> {
      let title = number % 8 == 0 ? "in" : "out"
      _ = try await backend.commit([titled("n\(number)", title, number + 1, at: now)], zone: zone)
    }
    let first = try await backend.changes(
      zone: zone, since: nil, limit: named + 2, maximumBytes: 1 << 20, reader: .nobody, of: wanted)
    try expect(
      first.records.suffix(3).map(\.key.name) == ["notes", "n8", "n16"] && first.hasMore,
      "a page counts what is wanted, not what is passed over", "\(first)")
    let moved = titled("n8", "out", 50, at: now + 1, expected: 1)
    _ = try await backend.commit([moved], zone: zone)
    var (cursor, names, others, hasMore) = (first.cursor, [String](), [String](), true)
    while hasMore {
      let page = try await backend.changes(
        zone: zone, since: cursor, limit: 7, maximumBytes: 1 << 20, reader: .nobody, of: wanted)
      try expect(page.records.count + page.others.count <= 7, "a page keeps to its limit", "\(page)")
      names += page.records.map(\.key.name)
      others += page.others.map(\.key.name)
      (cursor, hasMore) = (page.cursor, page.hasMore)
    }
    try expect(names == ["n24", "n32", "n40"], "the rest comes in order, once", "\(names)")
    try expect(others.last == "n8", "what has left meanwhile is mentioned", "\(others)")
  }
}
