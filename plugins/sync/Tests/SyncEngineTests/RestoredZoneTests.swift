import SyncCore
import SyncEngine
import Testing

/// A zone restored from a backup. The devices send its lost content again, whatever has happened in the meantime (V23).
struct RestoredZoneTests {
  /// The events after the restore of a zone.
  enum Restoring: CaseIterable {
    /// Its store is opened again, so that its next change begins a new incarnation.
    case opened
    /// An administrator announces the restore, and every cursor becomes invalid.
    case announced
    /// Its store stays open and does not detect the restore.
    case unnoticed
  }

  private func restore(_ fleet: inout RecordFleet, _ backup: ZoneState, _ restoring: Restoring) {
    fleet.zone = backup
    switch restoring {
    case .opened: fleet.zone.reopen(generation: .random(in: 1 ... .max))
    case .announced: fleet.zone.begin(generation: .random(in: 1 ... .max))
    case .unnoticed: break
    }
  }

  @Test(arguments: Restoring.allCases)
  func `an acknowledged action is restored even if its device acts before it fetches`(_ restoring: Restoring) throws {
    var fleet = RecordFleet(2)
    fleet.like(0, "k")
    fleet.settle()
    let backup = fleet.zone
    fleet.like(0, "k")
    fleet.advance(milliseconds: 1000)
    restore(&fleet, backup, restoring)
    fleet.isAway = [0]
    try fleet.restart(0, nil)
    fleet.like(0, "k")
    fleet.isAway = []
    fleet.settle()
    #expect(fleet.likes("k") == [3, 3])
  }

  @Test(arguments: Restoring.allCases)
  func `an acknowledged action is restored even if other changes took its sequence number`(_ restoring: Restoring) {
    for more in 1...4 {
      var fleet = RecordFleet(2)
      fleet.like(0, "k")
      fleet.settle()
      let backup = fleet.zone
      fleet.isAway = [1]
      fleet.like(0, "k")
      fleet.advance(milliseconds: 1000)
      restore(&fleet, backup, restoring)
      (fleet.isAway, fleet.now) = ([0], fleet.now + 1000)
      for _ in 0..<more { fleet.like(1, "k") }
      fleet.advance(milliseconds: 1000)
      fleet.isAway = []
      // The device's first request is about another record, whose version matches.
      fleet.like(0, "new")
      fleet.settle()
      #expect(fleet.likes("k") == [Int64(2 + more), Int64(2 + more)], "\(more) more")
    }
  }

  @Test(arguments: Restoring.allCases)
  func `each action whose response was lost counts once, even if the zone is restored`(_ restoring: Restoring) {
    var fleet = RecordFleet(2)
    fleet.like(0, "k")
    fleet.settle()
    let backup = fleet.zone
    fleet.losesAnswer = true
    fleet.like(0, "k")
    fleet.like(0, "k")
    fleet.settle()
    #expect(fleet.likes("k") == [3, 3])
    restore(&fleet, backup, restoring)
    fleet.losesAnswer = true
    fleet.like(0, "k")
    fleet.settle()
    #expect(fleet.likes("k") == [4, 4])
  }

  @Test func `a write is restored to a zone even if its first response was lost`() throws {
    var fleet = RecordFleet(2)
    fleet.like(0, "k")
    fleet.settle()
    let backup = fleet.zone
    fleet.losesAnswer = true
    fleet.like(0, "k")
    // The zone responds to the resent write that it already has it. The device has not fetched that change yet.
    fleet.advance(milliseconds: 400)
    #expect(fleet.machines[0].replica.outbox.isEmpty)
    restore(&fleet, backup, .unnoticed)
    for _ in 0..<3 { fleet.like(1, "other") }
    fleet.settle()
    #expect(fleet.likes("k") == [2, 2])
  }

  @Test func `a transaction is restored to a zone as a whole`() throws {
    var fleet = RecordFleet(2)
    fleet.likeTogether(0, ["a", "b"])
    fleet.settle()
    let backup = fleet.zone
    fleet.likeTogether(0, ["a", "b"])
    fleet.advance(milliseconds: 1000)
    restore(&fleet, backup, .opened)
    fleet.isAway = [0]
    try fleet.restart(0, nil)
    fleet.like(0, "a")
    fleet.isAway = []
    fleet.settle()
    #expect(fleet.likes("a") == [3, 3])
    #expect(fleet.likes("b") == [2, 2])
  }

  @Test func `a device without a cursor restores lost changes that had been acknowledged`() throws {
    var rig = Rig()
    rig.start()
    rig.advance(milliseconds: 100)
    rig.act(.focus, completed: 1)
    rig.advance(milliseconds: 1000)
    let backup = rig.zone
    rig.act(.idle, completed: 1)
    rig.advance(milliseconds: 1000)
    // The cursor is lost with a page of the file, but the record of acknowledged changes is not.
    rig.disk["cursor"] = nil
    var again = Rig(replica: try #require(try Replica(stored: rig.disk.filter { !$0.key.hasPrefix("journal/") })))
    (again.zone, again.now) = (backup, rig.now)
    again.commitElsewhere(.breakTime)
    again.commitElsewhere(.snooze, number: 2)
    again.start()
    again.act(.focus, completed: 1)
    again.advance(milliseconds: 2000)
    #expect(again.zone.completed == 3)
  }

  @Test func `a device that lost its cursor but has acknowledged changes reads the whole zone again`() throws {
    var rig = Rig()
    rig.start()
    rig.act(.focus)
    rig.advance(milliseconds: 1000)
    rig.disk["cursor"] = nil
    let again = try #require(try Replica(stored: rig.disk.filter { !$0.key.hasPrefix("journal/") }))
    #expect(again.isResynchronizing)
    #expect(again.heard == nil)
  }

  @Test func `a tag applies to all changes of its commit, and old tags are dropped`() {
    var tags = CommitTags()
    tags.note(3, tag: 7)
    tags.note(4, tag: 8)
    #expect((0...5).map { tags.tag(of: $0) } == [0, 7, 7, 7, 8, 0])
    for number in stride(from: 10, through: 10 + 3 * CommitTags.limit, by: 1000) {
      tags.note(number, tag: UInt64(number))
    }
    #expect(tags.tag(of: 3) != 7)
  }

  @Test func `the cursor in a commit counts toward the bytes that were sent`() throws {
    var rig = Rig()
    rig.start()
    rig.act(.focus)
    rig.advance(milliseconds: 1000)
    let before = rig.machine.replica.budget.bytes(atMilliseconds: rig.now)
    rig.act(.focus)
    rig.advance(milliseconds: 1000)
    let sent = rig.machine.replica.budget.bytes(atMilliseconds: rig.now) - before
    let write = try #require(
      rig.commits.last?.first.flatMap { if case .write(let write) = $0.change { write } else { nil } })
    #expect(sent >= write.packed().count + Cursor.packedBytes)
  }
}
