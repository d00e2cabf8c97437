import SyncCore
import SyncEngine
import Testing

/// Zones that forget deletions after 90 days. Deleted records must not return, unless the zone is restored from a
/// backup.
struct DroppingTests {
  private let key = RecordFleet.key("a")

  @Test func `the zone and all devices forget a deletion after 90 days`() {
    var fleet = RecordFleet(3)
    fleet.like(0, "a")
    fleet.settle()
    #expect(fleet.likes("a") == [1, 1, 1])
    fleet.delete(1, "a")
    fleet.settle()
    #expect(fleet.zone.records[key] != nil)
    fleet.forget()
    fleet.settle()
    #expect(fleet.zone.records[key] == nil)
    #expect(fleet.zone.dropped.incarnation == 1)
    for machine in fleet.machines { #expect(machine.replica.confirmed[key] == nil) }
    #expect(fleet.likes("a") == [nil, nil, nil])
    // If two devices that have seen the deletion create the record again, it contains the changes of both.
    fleet.isAway = [0, 1]
    fleet.like(0, "a")
    fleet.like(1, "a")
    fleet.isAway = []
    fleet.settle()
    #expect(fleet.likes("a") == [2, 2, 2])
    #expect(fleet.parked.isEmpty)
  }

  @Test func `a deletion is kept while a device is offline, and an edit made on that device wins`() {
    var fleet = RecordFleet(3)
    fleet.like(0, "a")
    fleet.settle()
    fleet.isAway = [2]
    fleet.like(2, "a")
    fleet.delete(1, "a")
    fleet.settle()
    #expect(fleet.zone.records[key] != nil)
    fleet.isAway = []
    fleet.advance(milliseconds: 600_000)
    fleet.settle()
    #expect(fleet.likes("a") == [2, 2, 2])
  }

  @Test func `a device that was offline for too long removes forgotten records and parks its changes to them`()
    throws
  {
    var fleet = RecordFleet(3)
    for name in ["a", "b", "c"] { fleet.like(0, name) }
    fleet.settle()
    fleet.isAway = [2]
    fleet.like(2, "a")
    fleet.delete(2, "b")
    fleet.like(2, "new")
    for name in ["a", "b", "c"] { fleet.delete(1, name) }
    fleet.settle()
    #expect(fleet.zone.records[key] != nil)
    // The device is offline for longer than a deletion is kept.
    fleet.forget()
    fleet.settle()
    #expect(fleet.zone.records[key] == nil)
    fleet.like(0, "c")
    fleet.settle()
    fleet.isAway = []
    fleet.advance(milliseconds: 600_000)
    fleet.settle()
    #expect(fleet.likes("a") == [nil, nil, 1])
    #expect(fleet.likes("b") == [nil, nil, nil])
    #expect(fleet.likes("c") == [1, 1, 1])
    #expect(fleet.likes("new") == [1, 1, 1])
    #expect(fleet.parked.count == 1)
    #expect(fleet.parked.first?.contains("deleted meanwhile") == true)
    // A retried change is parked again. After it is discarded, all devices are equal.
    let position = try #require(fleet.machines[2].replica.outbox.first?.position)
    fleet.give(2, .retried(position: position))
    fleet.settle()
    #expect(fleet.parked.count == 1 && fleet.zone.records[key] == nil)
    fleet.give(2, .discarded(position: position))
    #expect(fleet.likes("a") == [nil, nil, nil])
  }

  @Test func `a full collection refuses a new record only if it has no old deletion left to forget`() {
    var fleet = RecordFleet(2)
    fleet.give(0, .acted(ZoneRules.key(of: "notes"), .rules(["_limit": "3"])))
    for name in ["a", "b", "c"] { fleet.like(0, name) }
    fleet.settle()
    for name in ["a", "b"] { fleet.delete(1, name) }
    fleet.settle()
    fleet.isAway = [1]
    fleet.like(0, "d")
    fleet.settle()
    #expect(fleet.zone.records[key] == nil)
    #expect(fleet.zone.records[RecordFleet.key("b")] != nil)
    for name in ["e", "f"] { fleet.like(0, name) }
    fleet.isAway = []
    fleet.settle()
    for name in ["c", "d", "e"] { #expect(fleet.likes(name) == [1, 1]) }
    #expect(fleet.zone.records[RecordFleet.key("b")] == nil)
    #expect(fleet.parked.count == 1)
    #expect(fleet.parked.first?.contains("at most 3 are allowed") == true)
  }

  @Test func `a device that starts with an old file does not restore forgotten records`() throws {
    var fleet = RecordFleet(2)
    for name in ["a", "b"] { fleet.like(0, name) }
    fleet.settle()
    let old = fleet.disks[1]
    fleet.delete(0, "a")
    fleet.forget()
    fleet.settle()
    fleet.like(0, "b")
    fleet.settle()
    #expect(fleet.zone.records[key] == nil)
    let restored = try fleet.addCopy(of: old, seed: 77)
    #expect(fleet.likes(restored, "a") == 1 || fleet.likes(restored, "a") == nil)
    fleet.settle()
    #expect(fleet.likes("a") == [nil, nil, nil])
    #expect(fleet.likes("b") == [2, 2, 2])
    #expect(fleet.zone.records[key] == nil)
  }

  @Test func `a zone restored from a backup made before a deletion has the record again and loses no other change`() {
    var fleet = RecordFleet(2)
    for name in ["a", "b"] { fleet.like(0, name) }
    fleet.settle()
    let backup = fleet.zone
    fleet.delete(0, "a")
    fleet.settle()
    fleet.forget()
    fleet.settle()
    fleet.like(1, "b")
    fleet.like(1, "c")
    fleet.settle()
    fleet.zone = backup
    fleet.zone.reopen(generation: 99)
    fleet.settle()
    fleet.like(0, "b")
    fleet.settle()
    // No device has the deletion any more, so the record exists again on all devices.
    #expect(fleet.likes("a") == [1, 1])
    #expect(fleet.likes("b") == [3, 3])
    #expect(fleet.likes("c") == [1, 1])
  }

  @Test func `a record created offline is kept even if the zone meanwhile forgets another record's deletion`() {
    var fleet = RecordFleet(3)
    fleet.like(0, "a")
    fleet.settle()
    fleet.delete(0, "a")
    fleet.advance(milliseconds: 10)
    fleet.isAway = [2]
    fleet.like(2, "x")
    fleet.forget()
    fleet.isAway = []
    fleet.settle()
    fleet.like(0, "x")
    fleet.settle()
    #expect(fleet.zone.records[key] == nil)
    #expect(fleet.likes("x") == [2, 2, 2])
  }

  @Test func `V15: each of several changes to a record counts exactly once if the response to their request was lost`()
  {
    var fleet = RecordFleet(2)
    let device = fleet.machines[0].replica.device
    fleet.isAway = [0]
    for _ in 0..<3 { fleet.like(0, "a") }
    fleet.delete(0, "a")
    fleet.like(0, "a")
    fleet.like(0, "a")
    fleet.isAway = []
    fleet.losesAnswer = true
    fleet.advance(milliseconds: 600_000)
    fleet.like(1, "a")
    fleet.settle()
    #expect(fleet.likes("a") == [3, 3])
    #expect(fleet.machines[0].replica.device == device)
  }

  @Test func `V15: equal actions of two copies of a file at the same moment count as two`() throws {
    var fleet = RecordFleet(1)
    fleet.like(0, "a")
    fleet.settle()
    let copy = try fleet.addCopy(of: fleet.disks[0], seed: 1234)
    fleet.settle()
    fleet.isAway = [0, copy]
    fleet.like(0, "a")
    fleet.like(copy, "a")
    fleet.isAway = []
    fleet.settle()
    #expect(fleet.likes("a") == [3, 3])
    #expect(fleet.machines[0].replica.device != fleet.machines[copy].replica.device)
  }
}
