import SyncCore
import SyncEngine
import SyncPomodoro

/// The checks of pages, cursors, notifications and concurrent commits.
extension BackendConformance {
  static let pages: Body = { backend, zone in
    let now = try await backend.serverTime()
    let expected = (1...7).map { device($0).name }
    var cursor = try await start(backend, zone)
    for number in 1...7 { _ = try await backend.commit([deviceRecord(number, at: now)], zone: zone) }
    var (names, hasMore): ([String], Bool) = ([], true)
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

  static let pageBytes: Body = { backend, zone in
    let now = try await backend.serverTime()
    let start = try await start(backend, zone)
    for number in 1...3 { _ = try await backend.commit([deviceRecord(number, at: now)], zone: zone) }
    let page = try await backend.changes(zone: zone, since: start, limit: 10, maximumBytes: 1)
    try expect(page.records.count == 1 && page.hasMore, "one record comes even if it is larger", "\(page)")
  }

  static let expired: Body = { backend, zone in
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

  static let lost: Body = { backend, zone in
    let now = try await backend.serverTime()
    let heard = try await backend.commit(
      [operation(write(1, at: now), expected: 0), deviceRecord(1, at: now)], zone: zone
    ).cursor
    let present = try await backend.changes(zone: zone, since: nil, limit: 9, maximumBytes: 1 << 20).cursor
    try expect(present == heard && heard.tag != 0, "V23 a commit's cursor is the zone's", "\(heard), then \(present)")
    let half = Cursor(generation: heard.generation, sequence: heard.sequence - 1, tag: heard.tag)
    for cursor in [heard, half] {
      let reply = try await backend.commit([operation(write(1, at: now), expected: 1)], zone: zone, heard: cursor)
      try expect(reply.results == [.unchanged], "V23 a cursor of this history is taken", "\(reply)")
      try expect(reply.cursor == heard, "V23 what changes nothing tells where the zone is", "\(reply.cursor)")
    }
    let strangers = [
      Cursor(generation: heard.generation, sequence: heard.sequence, tag: heard.tag ^ 1),
      Cursor(generation: heard.generation, sequence: heard.sequence),
      Cursor(generation: heard.generation, sequence: heard.sequence + 1, tag: heard.tag),
      Cursor(generation: heard.generation ^ 1, sequence: heard.sequence, tag: heard.tag),
    ]
    for cursor in strangers {
      do {
        let reply = try await backend.commit([deviceRecord(2, at: now)], zone: zone, heard: cursor)
        throw Failure(rule: "V23 the zone is not the one of \(cursor)", seen: "\(reply)")
      } catch BackendError.cursorExpired {}
      let reader = ZoneReader.device(device(1), heard: cursor)
      do {
        let page = try await backend.changes(
          zone: zone, since: heard, limit: 9, maximumBytes: 1 << 20, reader: reader, of: nil)
        throw Failure(rule: "V23 nor for who reads with \(cursor)", seen: "\(page)")
      } catch BackendError.cursorExpired {}
    }
    let records = try await all(backend, zone)
    try expect(records.count == 2, "V23 nothing of it was applied", "\(records.map(\.key))")
  }

  static let tagged: Body = { backend, zone in
    let now = try await backend.serverTime()
    var cursor = try await start(backend, zone)
    var heard: [Cursor] = []
    for number in 1...5 {
      heard.append(try await backend.commit([deviceRecord(number, at: now)], zone: zone).cursor)
    }
    try expect(Set(heard.map(\.tag)).count == 5, "V23 each commit has a tag of its own", "\(heard)")
    for expected in heard {
      let page = try await backend.changes(zone: zone, since: cursor, limit: 1, maximumBytes: 1 << 20)
      try expect(page.cursor == expected, "V23 a page ends at the cursor of its commit", "\(page.cursor), \(expected)")
      cursor = page.cursor
    }
    for cursor in heard {
      _ = try await backend.commit(
        [operation(write(1, at: now), expected: 1)], zone: zone, heard: cursor)
    }
  }

  static let tooMany: Body = { backend, zone in
    let now = try await backend.serverTime()
    let operations = (1...SyncLimits.operations + 1).map { deviceRecord($0, at: now) }
    do {
      let reply = try await backend.commit(operations, zone: zone)
      throw Failure(rule: "201 operations are too many", seen: "\(reply.results.count) results")
    } catch BackendError.limitExceeded {}
    let reply = try await backend.commit(Array(operations.dropLast()), zone: zone)
    try expect(reply.results.count == SyncLimits.operations, "200 are not", "\(reply.results.count)")
  }

  static let missingZone: Body = { backend, _ in
    do {
      let page = try await backend.changes(zone: "NoSuchZone", since: nil, limit: 1, maximumBytes: 1000)
      throw Failure(rule: "S10 an unknown zone is an error", seen: "\(page)")
    } catch let error as BackendError {
      try expect(error.remedy == .pause, "S10 an unknown zone needs a person", "\(error)")
    }
  }

  static let notifications: Body = { backend, zone in
    let now = try await backend.serverTime()
    var signs = backend.watch(zone: zone, device: device(9)).makeAsyncIterator()
    guard case .notification(let first)? = try await next(&signs) else {
      throw Failure(rule: "S11 a watcher is notified at once", seen: "the stream ended")
    }
    for number in 1...3 as ClosedRange<Int64> {
      _ = try await backend.commit([operation(write(1, number, at: now), expected: number - 1)], zone: zone)
      let goal = first.sequence + number
      var reached = first.sequence
      while reached < goal {
        guard let cursor = try await next(&signs)?.cursor else {
          throw Failure(rule: "S11 a watcher is notified after each change", seen: "the stream ended")
        }
        reached = cursor.sequence
      }
    }
  }

  private static func next(
    _ signs: inout AsyncThrowingStream<ChannelSign, any Error>.Iterator
  ) async throws -> ChannelSign? {
    while let sign = try await signs.next() { if sign.cursor != nil { return sign } }
    return nil
  }

  static let concurrent: Body = { backend, zone in
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

  static let join: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    var other = Cell()
    other.apply(write(2, at: now, kind: .idle), windowMilliseconds: 5000)
    let give = RecordOperation(key: Pomodoro.timer, expectedVersion: 1, change: .join(other))
    let reply = try await backend.commit([give], zone: zone)
    guard case .committed(2, _, nil) = reply.results.first else {
      throw Failure(rule: "V23 a cell can be given back", seen: "\(reply)")
    }
    let record = try await all(backend, zone).first
    try expect(record?.cell.entries.count == 2, "V23 it is joined", "\(String(describing: record))")
  }

  static let time: Body = { backend, _ in
    let first = try await backend.serverTime()
    let second = try await backend.serverTime()
    try expect(first > 1_600_000_000_000 && second >= first, "the clock goes forward", "\(first), then \(second)")
  }
}
