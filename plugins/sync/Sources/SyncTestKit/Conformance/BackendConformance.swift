import SyncCore
import SyncEngine
import SyncPomodoro

/// What every backend must do, as one suite: run it over an adapter of your own.
///
/// ```swift
/// let failures = await BackendConformance.run { zone in try await MyBackend(zone: zone) }
/// #expect(failures == [])
/// ```
public enum BackendConformance {
  /// A rule that a backend broke.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule.
    public var rule: String
    /// What was seen instead.
    public var seen: String
    /// Rule and what was seen.
    public var description: String { "\(rule): \(seen)" }
  }

  /// Runs every check, each on a zone of its own that `make` prepares with `PomodoroPolicy`; gives what was broken.
  public static func run(_ make: @Sendable (_ zone: String) async throws -> any SyncBackend) async -> [Failure] {
    var failures: [Failure] = []
    for (index, check) in checks.enumerated() {
      let zone = "Conformance\(index)"
      do {
        try await check.body(try await make(zone), zone)
      } catch let failure as Failure {
        failures.append(failure)
      } catch {
        failures.append(Failure(rule: check.rule, seen: "\(error)"))
      }
    }
    return failures
  }

  /// How many rules there are.
  public static var count: Int { checks.count }

  private typealias Body = @Sendable (any SyncBackend, String) async throws -> Void

  private static let checks: [(rule: String, body: Body)] = [
    ("a first commit makes version 1", firstCommit),
    ("versions and sequences rise by one", monotone),
    ("another version than expected is a conflict that brings the record", conflict),
    ("the same write again changes nothing", idempotent),
    ("a stamp from the future is clamped to a second ahead of the server", clamp),
    ("one operation's trouble does not stop the others", independent),
    ("an operation that can never succeed is refused with the reason", refusal),
    ("one request may change a record twice, each change with a place of its own", twice),
    ("a name that not every store can hold is refused", malformedName),
    ("changes come in order, in pages, without gaps", pages),
    ("pages keep to the bytes they are given, beyond the first record", pageBytes),
    ("a cursor of another life of the zone has expired", expired),
    ("more operations than the limit are refused as a whole", tooMany),
    ("a zone that is not there is named", missingZone),
    ("a watcher is poked at once and after each change, across instances", pokes),
    ("commits of many at once all count, each once", concurrent),
    ("a joined cell is merged, not put in the other's place", join),
    ("the server's clock goes forward", time),
  ]

  // MARK: Helpers

  static func device(_ number: Int) -> DeviceID { DeviceID(stem: "device", random: UInt32(number)) }

  static func write(
    _ device: Int, _ number: Int64 = 1, at milliseconds: Int64, kind: TimerKind = .focus, seeing cell: Cell? = nil
  ) -> Write {
    Write(
      dot: Dot(device: self.device(device), number: number), milliseconds: milliseconds, seen: cell?.latestStamp,
      context: cell?.context ?? VersionVector(),
      payload: TimerState(kind: kind, remainingMilliseconds: kind.runsDown ? 60_000 : 0).payload,
      tally: Tally(count: number))
  }

  static func operation(_ write: Write, expected: Int64) -> Operation {
    Operation(key: PomodoroPolicy.timer, expectedVersion: expected, change: .write(write))
  }

  static func deviceRecord(_ device: Int, at milliseconds: Int64) -> Operation {
    Operation(
      key: RecordKey(type: PomodoroPolicy.deviceInfoType, name: self.device(device).name), expectedVersion: 0,
      change: .write(
        Write(
          dot: Dot(device: self.device(device), number: 1), milliseconds: milliseconds,
          fields: [.init(name: "platform", value: Array("linux".utf8))])))
  }

  private static func expect(_ condition: Bool, _ rule: String, _ seen: @autoclosure () -> String) throws {
    if !condition { throw Failure(rule: rule, seen: seen()) }
  }

  private static func all(_ backend: any SyncBackend, _ zone: String) async throws -> [Record] {
    try await backend.changes(zone: zone, since: nil, limit: SyncLimits.records, maximumBytes: 1 << 20).records
  }

  // MARK: Checks

  private static let firstCommit: Body = { backend, zone in
    let now = try await backend.serverTime()
    let reply = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    guard case .committed(1, let sequence, let stamp) = reply.results.first, reply.results.count == 1 else {
      throw Failure(rule: "a first commit makes version 1", seen: "\(reply)")
    }
    try expect(sequence >= 1 && stamp?.milliseconds == now, "the stamp stands", "\(reply)")
    let records = try await all(backend, zone)
    try expect(records.count == 1 && records[0].version == 1, "what was committed is read", "\(records)")
    try expect(records[0].cell.entries.map(\.dot) == [write(1, at: now).dot], "the write is in the cell", "\(records)")
  }

  private static let monotone: Body = { backend, zone in
    let now = try await backend.serverTime()
    var (version, sequence): (Int64, Int64) = (0, 0)
    for number in 1...5 as ClosedRange<Int64> {
      let reply = try await backend.commit([operation(write(1, number, at: now), expected: version)], zone: zone)
      guard case .committed(let newVersion, let newSequence, _) = reply.results.first else {
        throw Failure(rule: "V16 a commit after another succeeds", seen: "\(reply)")
      }
      try expect(newVersion == version + 1, "V16 F11 the version rises by one", "\(newVersion) after \(version)")
      try expect(newSequence == sequence + 1, "V16 the sequence rises by one", "\(newSequence) after \(sequence)")
      (version, sequence) = (newVersion, newSequence)
    }
  }

  private static let conflict: Body = { backend, zone in
    let now = try await backend.serverTime()
    let none = try await backend.commit([operation(write(1, at: now), expected: 3)], zone: zone)
    try expect(none.results == [.conflict(nil)], "M12 no record is a conflict without one", "\(none)")
    _ = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    let reply = try await backend.commit([operation(write(2, at: now), expected: 0)], zone: zone)
    guard case .conflict(let record?) = reply.results.first else {
      throw Failure(rule: "M12 F10 another version is a conflict", seen: "\(reply)")
    }
    try expect(record.version == 1 && record.key == PomodoroPolicy.timer, "the conflict brings the record", "\(record)")
    try expect(record == (try await all(backend, zone)).first, "it is the record that is stored", "\(record)")
  }

  private static let idempotent: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    let before = try await backend.changes(zone: zone, since: nil, limit: 10, maximumBytes: 1 << 20)
    let reply = try await backend.commit([operation(write(1, at: now + 5), expected: 1)], zone: zone)
    try expect(reply.results == [.unchanged], "M4 the same write again is unchanged", "\(reply)")
    let after = try await backend.changes(zone: zone, since: nil, limit: 10, maximumBytes: 1 << 20)
    try expect(before.records == after.records && before.cursor == after.cursor, "M4 nothing moved", "\(after)")
  }

  private static let clamp: Body = { backend, zone in
    let now = try await backend.serverTime()
    let reply = try await backend.commit([operation(write(1, at: now + 600_000), expected: 0)], zone: zone)
    guard case .committed(_, _, let stamp?) = reply.results.first else {
      throw Failure(rule: "M2 a write from the future is taken", seen: "\(reply)")
    }
    try expect(stamp.milliseconds < now + 60_000, "V24 it is clamped", "\(stamp.milliseconds - now) ms ahead")
    let stored = try await all(backend, zone).first?.cell.entries.first?.milliseconds
    try expect(stored == stamp.milliseconds, "what is told is what is stored", "\(String(describing: stored))")
  }

  private static let independent: Body = { backend, zone in
    let now = try await backend.serverTime()
    let operations = [
      operation(write(1, at: now), expected: 7), deviceRecord(1, at: now),
      Operation(
        key: RecordKey(type: "CD_Nothing", name: "x"), expectedVersion: 0, change: .write(write(1, 2, at: now))),
      deviceRecord(2, at: now),
    ]
    let reply = try await backend.commit(operations, zone: zone)
    guard reply.results.count == 4, reply.results[0] == .conflict(nil), case .committed = reply.results[1],
      case .refused = reply.results[2], case .committed = reply.results[3]
    else { throw Failure(rule: "each operation stands for itself", seen: "\(reply.results)") }
    let records = try await all(backend, zone)
    try expect(records.count == 2, "two were made", "\(records)")
  }

  private static let refusal: Body = { backend, zone in
    let now = try await backend.serverTime()
    let stray = Operation(
      key: RecordKey(type: "CD_Timer", name: "timer"), expectedVersion: 0, change: .write(write(1, at: now)))
    let reply = try await backend.commit([stray], zone: zone)
    guard case .refused(.invalid(let reason)) = reply.results.first, reason.contains("CD_TimerState") else {
      throw Failure(rule: "S10 an unknown record type is refused and the known ones are named", seen: "\(reply)")
    }
  }

  private static let twice: Body = { backend, zone in
    let now = try await backend.serverTime()
    let reply = try await backend.commit(
      [
        operation(write(1, 1, at: now), expected: 0), operation(write(1, 2, at: now), expected: 1),
        operation(write(2, 1, at: now), expected: 0), operation(write(1, 2, at: now), expected: 2),
      ], zone: zone)
    guard reply.results.count == 4, case .committed(1, let first, _) = reply.results[0],
      case .committed(2, let second, _) = reply.results[1], case .conflict(let record?) = reply.results[2]
    else { throw Failure(rule: "the second change sees the first", seen: "\(reply.results)") }
    // A device that made only the first must not take the second for read.
    try expect(second == first + 1, "each change has a place of its own", "\(first), then \(second)")
    try expect(record == (try await all(backend, zone)).first, "a conflict sees both", "\(record)")
    try expect(record.version == 2 && record.sequence == second, "the record is at the last place", "\(record)")
    try expect(reply.results[3] == .unchanged, "M4 the same write again is unchanged", "\(reply.results[3])")
  }

  private static let malformedName: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([deviceRecord(1, at: now)], zone: zone)
    let before = try await all(backend, zone)
    for name in [before[0].key.name + "\0x", "a\nb", "", String(repeating: "n", count: RecordKey.maximumLength + 1)] {
      var stray = deviceRecord(2, at: now)
      stray.key.name = name
      let reply = try await backend.commit([stray], zone: zone)
      guard case .refused(.invalid(let reason)) = reply.results.first, reason.contains("128 bytes") else {
        throw Failure(rule: "a name of 1 to 128 bytes without control characters", seen: "\(reply)")
      }
    }
    try expect(try await all(backend, zone) == before, "nothing was changed", "\(before)")
  }

  private static let pages: Body = { backend, zone in
    let now = try await backend.serverTime()
    let expected = (1...7).map { device($0).name }
    for number in 1...7 { _ = try await backend.commit([deviceRecord(number, at: now)], zone: zone) }
    var (cursor, names, hasMore): (Cursor?, [String], Bool) = (nil, [], true)
    while hasMore {
      let page = try await backend.changes(zone: zone, since: cursor, limit: 3, maximumBytes: 1 << 20)
      try expect(page.records.count <= 3, "a page keeps to its limit", "\(page.records.count)")
      names += page.records.map(\.key.name)
      (cursor, hasMore) = (page.cursor, page.hasMore)
    }
    try expect(names == expected, "V16 all changes come in order, once", "\(names)")
    let rest = try await backend.changes(zone: zone, since: cursor, limit: 3, maximumBytes: 1 << 20)
    try expect(rest.records.isEmpty && !rest.hasMore && rest.cursor == cursor, "then there is nothing", "\(rest)")
  }

  private static let pageBytes: Body = { backend, zone in
    let now = try await backend.serverTime()
    for number in 1...3 { _ = try await backend.commit([deviceRecord(number, at: now)], zone: zone) }
    let page = try await backend.changes(zone: zone, since: nil, limit: 10, maximumBytes: 1)
    try expect(page.records.count == 1 && page.hasMore, "one record comes even if it is larger", "\(page)")
  }

  private static let expired: Body = { backend, zone in
    let page = try await backend.changes(zone: zone, since: nil, limit: 1, maximumBytes: 1000)
    let strangers = [
      Cursor(generation: page.cursor.generation ^ 1, sequence: 0),
      Cursor(generation: page.cursor.generation, sequence: page.cursor.sequence + 5),
    ]
    for cursor in strangers {
      do {
        let stray = try await backend.changes(zone: zone, since: cursor, limit: 1, maximumBytes: 1000)
        throw Failure(rule: "V23 the cursor \(cursor) has expired", seen: "\(stray)")
      } catch BackendError.cursorExpired {}
    }
  }

  private static let tooMany: Body = { backend, zone in
    let now = try await backend.serverTime()
    let operations = (1...SyncLimits.operations + 1).map { deviceRecord($0, at: now) }
    do {
      let reply = try await backend.commit(operations, zone: zone)
      throw Failure(rule: "201 operations are too many", seen: "\(reply.results.count) results")
    } catch BackendError.limitExceeded {}
    let reply = try await backend.commit(Array(operations.dropLast()), zone: zone)
    try expect(reply.results.count == SyncLimits.operations, "200 are not", "\(reply.results.count)")
  }

  private static let missingZone: Body = { backend, _ in
    do {
      let page = try await backend.changes(zone: "NoSuchZone", since: nil, limit: 1, maximumBytes: 1000)
      throw Failure(rule: "S10 an unknown zone is an error", seen: "\(page)")
    } catch let error as BackendError {
      try expect(error.remedy == .pause, "S10 an unknown zone needs a person", "\(error)")
    }
  }

  private static let pokes: Body = { backend, zone in
    let now = try await backend.serverTime()
    var signs = backend.watch(zone: zone, device: device(9)).makeAsyncIterator()
    guard case .poke(let first)? = try await next(&signs) else {
      throw Failure(rule: "S11 a watcher is poked at once", seen: "the stream ended")
    }
    for number in 1...3 as ClosedRange<Int64> {
      _ = try await backend.commit([operation(write(1, number, at: now), expected: number - 1)], zone: zone)
      let goal = first.sequence + number
      var reached = first.sequence
      while reached < goal {
        guard case .poke(let cursor)? = try await next(&signs) else {
          throw Failure(rule: "S11 a watcher is poked after each change", seen: "the stream ended")
        }
        reached = cursor.sequence
      }
    }
  }

  private static func next(
    _ signs: inout AsyncThrowingStream<ChannelSign, any Error>.Iterator
  ) async throws -> ChannelSign? {
    while let sign = try await signs.next() { if case .poke = sign { return sign } }
    return nil
  }

  private static let concurrent: Body = { backend, zone in
    let now = try await backend.serverTime()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 1...8 {
        group.addTask {
          for number in 1...4 as ClosedRange<Int64> {
            var (expected, cell): (Int64, Cell?) = (0, nil)
            for attempt in 1... {
              let reply = try await backend.commit(
                [operation(write(writer, number, at: now, seeing: cell), expected: expected)], zone: zone)
              if case .conflict(let record) = reply.results.first {
                (expected, cell) = (record?.version ?? 0, record?.cell)
                if attempt < 500 { continue }
              }
              guard case .committed = reply.results.first else {
                throw Failure(rule: "every writer gets through", seen: "\(reply)")
              }
              break
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let record = try await all(backend, zone).first
    try expect(record?.version == 32, "32 commits are 32 versions", "\(String(describing: record?.version))")
    try expect(record?.cell.context.count == 8, "all writers are in it", "\(String(describing: record))")
    try expect(
      record?.cell.context.dots.allSatisfy { $0.number == 4 } == true, "with all their writes",
      "\(String(describing: record))")
  }

  private static let join: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    var other = Cell()
    other.apply(write(2, at: now, kind: .idle), windowMilliseconds: 5000)
    let give = Operation(key: PomodoroPolicy.timer, expectedVersion: 1, change: .join(other))
    let reply = try await backend.commit([give], zone: zone)
    guard case .committed(2, _, nil) = reply.results.first else {
      throw Failure(rule: "V23 a cell can be given back", seen: "\(reply)")
    }
    let record = try await all(backend, zone).first
    try expect(record?.cell.entries.count == 2, "V23 it is joined", "\(String(describing: record))")
  }

  private static let time: Body = { backend, _ in
    let first = try await backend.serverTime()
    let second = try await backend.serverTime()
    try expect(first > 1_600_000_000_000 && second >= first, "the clock goes forward", "\(first), then \(second)")
  }
}
