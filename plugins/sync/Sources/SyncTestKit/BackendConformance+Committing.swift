import SyncCore
import SyncEngine
import SyncPomodoro

/// The checks of commits.
extension BackendConformance {

  static let firstCommit: Body = { backend, zone in
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

  static let monotone: Body = { backend, zone in
    let now = try await backend.serverTime()
    var (version, sequence) = (Int64(0), try await start(backend, zone).sequence)
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

  static let conflict: Body = { backend, zone in
    let now = try await backend.serverTime()
    let none = try await backend.commit([operation(write(1, at: now), expected: 3)], zone: zone)
    try expect(none.results == [.conflict(nil)], "M12 no record is a conflict without one", "\(none)")
    _ = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    let reply = try await backend.commit([operation(write(2, at: now), expected: 0)], zone: zone)
    guard case .conflict(let record?) = reply.results.first else {
      throw Failure(rule: "M12 F10 another version is a conflict", seen: "\(reply)")
    }
    try expect(record.version == 1 && record.key == Pomodoro.timer, "the conflict brings the record", "\(record)")
    try expect(record == (try await all(backend, zone)).first, "it is the record that is stored", "\(record)")
  }

  static let idempotent: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    let before = try await backend.changes(zone: zone, since: nil, limit: 10, maximumBytes: 1 << 20)
    let reply = try await backend.commit([operation(write(1, at: now), expected: 1)], zone: zone)
    try expect(reply.results == [.unchanged], "M4 the same write again is unchanged", "\(reply)")
    let after = try await backend.changes(zone: zone, since: nil, limit: 10, maximumBytes: 1 << 20)
    try expect(before.records == after.records && before.cursor == after.cursor, "M4 nothing moved", "\(after)")
  }

  static let taken: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([operation(write(1, 5, at: now), expected: 0)], zone: zone)
    for number in [5, 4] as [Int64] {
      var other = write(1, number, at: now, kind: .idle)
      other.incarnation = 7
      let reply = try await backend.commit([operation(other, expected: 1)], zone: zone)
      guard case .conflict(let record?) = reply.results.first, record.version == 1 else {
        throw Failure(rule: "M1 another write under a taken number is a conflict", seen: "\(reply)")
      }
    }
  }

  static let named: Body = { backend, zone in
    let now = try await backend.serverTime()
    var writes = (1...4 as ClosedRange<Int64>).map { write(1, $0, at: now + $0) }
    for index in writes.indices { writes[index].incarnation = index < 2 ? 7 : .max }
    for (index, write) in writes.enumerated() {
      _ = try await backend.commit([operation(write, expected: Int64(index))], zone: zone)
    }
    for write in writes {
      let reply = try await backend.commit([operation(write, expected: 4)], zone: zone)
      try expect(reply.results == [.unchanged], "M4 an act that was taken is known", "\(write.dot): \(reply.results)")
    }
    for number in 1...4 as ClosedRange<Int64> {
      var other = write(1, number, at: now, kind: .idle)
      other.incarnation = 9
      let reply = try await backend.commit([operation(other, expected: 4)], zone: zone)
      guard case .conflict(let record?) = reply.results.first, record.version == 4 else {
        throw Failure(rule: "M1 an act of another copy is not taken for one that is known", seen: "\(reply)")
      }
    }
    var twin = write(1, 1, at: now, kind: .idle)
    twin.incarnation = 7
    let reply = try await backend.commit([operation(twin, expected: 4)], zone: zone)
    try expect(reply.results == [.refused(.nameTaken)], "M1 another act under a name is refused", "\(reply.results)")
  }

  static let perhaps: Body = { backend, zone in
    let now = try await backend.serverTime()
    var cell = Cell()
    cell.apply(write(1, 3, at: now), windowMilliseconds: 5000)
    let give = RecordOperation(key: Pomodoro.timer, expectedVersion: 0, change: .join(cell))
    _ = try await backend.commit([give], zone: zone)
    var earlier = write(1, 2, at: now)
    earlier.incarnation = 7
    let reply = try await backend.commit([operation(earlier, expected: 1)], zone: zone)
    try expect(reply.results == [.refused(.mayBeCounted)], "V23 the zone cannot tell", "\(reply.results)")
    let known = try await backend.commit([operation(write(1, 3, at: now), expected: 1)], zone: zone)
    try expect(known.results == [.unchanged], "V23 the last one is known", "\(known.results)")
    let next = try await backend.commit([operation(write(1, 4, at: now), expected: 1)], zone: zone)
    guard case .committed = next.results.first else {
      throw Failure(rule: "V23 a later one is taken", seen: "\(next.results)")
    }
  }

  static let rules: Body = { backend, zone in
    let now = try await backend.serverTime()
    var cell = Cell()
    cell.apply(write(1, at: now), windowMilliseconds: 5000)
    let stray = RecordOperation(key: RecordKey(type: "CD_Foreign", name: "x"), expectedVersion: 0, change: .join(cell))
    let reply = try await backend.commit([stray], zone: zone)
    guard case .refused = reply.results.first else {
      throw Failure(rule: "S10 a foreign record cannot be given back", seen: "\(reply)")
    }
  }

  static let retire: Body = { backend, zone in
    let now = try await backend.serverTime()
    _ = try await backend.commit([operation(write(1, at: now), expected: 0)], zone: zone)
    let both = (1...2 as ClosedRange<Int64>).map {
      RecordOperation(key: Pomodoro.timer, expectedVersion: $0, change: .retire(device(1)))
    }
    let reply = try await backend.commit(both, zone: zone)
    guard reply.results.count == 2, case .committed(2, _, nil) = reply.results[0], reply.results[1] == .unchanged else {
      throw Failure(rule: "a device is retired once", seen: "\(reply)")
    }
    let live = try await all(backend, zone).first?.cell.context.liveDevices(atMilliseconds: now)
    try expect(live == [], "it takes no place", "\(String(describing: live))")
    _ = try await backend.commit([operation(write(1, 2, at: now), expected: 2)], zone: zone)
    let again = try await all(backend, zone).first?.cell.context.liveDevices(atMilliseconds: now)
    try expect(again == [device(1)], "it takes one when it writes again", "\(String(describing: again))")
  }

  static let clamp: Body = { backend, zone in
    let now = try await backend.serverTime()
    let reply = try await backend.commit([operation(write(1, at: now + 600_000), expected: 0)], zone: zone)
    guard case .committed(_, _, let stamp?) = reply.results.first else {
      throw Failure(rule: "M2 a write from the future is taken", seen: "\(reply)")
    }
    try expect(stamp.milliseconds < now + 60_000, "V24 it is clamped", "\(stamp.milliseconds - now) ms ahead")
    let stored = try await all(backend, zone).first?.cell.entries.first?.milliseconds
    try expect(stored == stamp.milliseconds, "what is told is what is stored", "\(String(describing: stored))")
  }

  static let independent: Body = { backend, zone in
    let now = try await backend.serverTime()
    let operations = [
      operation(write(1, at: now), expected: 7), deviceRecord(1, at: now),
      RecordOperation(
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

  static let refusal: Body = { backend, zone in
    let now = try await backend.serverTime()
    let stray = RecordOperation(
      key: RecordKey(type: "clocks", name: "timer"), expectedVersion: 0, change: .write(write(1, at: now)))
    let reply = try await backend.commit([stray], zone: zone)
    guard case .refused(.invalid(let reason)) = reply.results.first, reason.contains("'clocks'") else {
      throw Failure(rule: "S10 an unknown collection is refused by its name", seen: "\(reply)")
    }
  }

  static let twice: Body = { backend, zone in
    let now = try await backend.serverTime()
    let reply = try await backend.commit(
      [
        operation(write(1, 1, at: now), expected: 0), operation(write(1, 2, at: now), expected: 1),
        operation(write(2, 1, at: now), expected: 0), operation(write(1, 2, at: now), expected: 2),
      ], zone: zone)
    guard reply.results.count == 4, case .committed(1, let first, _) = reply.results[0],
      case .committed(2, let second, _) = reply.results[1], case .conflict(let record?) = reply.results[2]
    else { throw Failure(rule: "the second change sees the first", seen: "\(reply.results)") }
    // A device that made only the first change must not skip the second one when it fetches.
    try expect(second == first + 1, "each change has a place of its own", "\(first), then \(second)")
    try expect(record == (try await all(backend, zone)).first, "a conflict sees both", "\(record)")
    try expect(record.version == 2 && record.sequence == second, "the record is at the last place", "\(record)")
    try expect(reply.results[3] == .unchanged, "M4 the same write again is unchanged", "\(reply.results[3])")
  }

  static let malformedName: Body = { backend, zone in
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
}
