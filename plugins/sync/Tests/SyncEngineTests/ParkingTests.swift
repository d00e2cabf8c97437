import SyncCore
import SyncEngine
import Testing

/// Changes that the zone refuses. A user must retry or discard them.
struct ParkingTests {
  /// Returns two devices. The changes that the first one makes in `body` are parked.
  private func fleet(parking body: (inout RecordFleet) -> Void) -> RecordFleet {
    var fleet = RecordFleet(2)
    for name in ["a", "b"] { fleet.like(1, name) }
    fleet.settle()
    fleet.commitError = .invalid("no")
    body(&fleet)
    fleet.settle()
    fleet.commitError = nil
    return fleet
  }

  @Test func `a request damaged in transit is sent again, and nothing is parked`() {
    var fleet = RecordFleet(2)
    fleet.settle()
    fleet.commitError = .damaged("its body has another checksum")
    fleet.likeTogether(0, ["a", "b", "c"])
    fleet.like(0, "d")
    fleet.settle()
    #expect(fleet.parked.isEmpty)
    #expect(fleet.machines[0].replica.outbox.waitingCount == 4)
    fleet.commitError = nil
    fleet.advance(milliseconds: 900_000)
    fleet.settle()
    #expect(["a", "b", "c", "d"].map { fleet.likes(1, $0) } == [1, 1, 1, 1])
  }

  @Test func `a device shows all changes of its parked transaction, even after later changes to the same records`() {
    var fleet = fleet { $0.likeTogether(0, ["a", "b", "c"]) }
    #expect(fleet.parked.count == 3)
    #expect(["a", "b", "c"].map { fleet.likes(0, $0) } == [2, 2, 1])
    fleet.like(0, "a")
    fleet.name(0, "b", 7)
    #expect(["a", "b", "c"].map { fleet.likes(0, $0) } == [3, 2, 1])
    fleet.settle()
    #expect(["a", "b", "c"].map { fleet.likes(0, $0) } == [3, 2, 1])
    #expect(["a", "b", "c"].map { fleet.likes(1, $0) } == [2, 1, nil])
    // Changes of the other device are merged below the parked changes.
    fleet.like(1, "b")
    fleet.settle()
    #expect(["a", "b", "c"].map { fleet.likes(0, $0) } == [3, 3, 1])
    // After a retry, all devices show the transaction. The title that was set later is kept.
    let position = fleet.machines[0].status(atMilliseconds: 0).parked[0].position
    fleet.give(0, .retried(position: position))
    fleet.settle()
    #expect(fleet.parked.isEmpty)
    for device in 0...1 {
      #expect(["a", "b", "c"].map { fleet.likes(device, $0) } == [3, 3, 1])
      #expect(fleet.title(device, "b") == 7)
    }
  }

  @Test func `a parked change does not restore a record that was deleted later`() {
    var fleet = fleet { $0.likeTogether(0, ["a", "b"]) }
    fleet.delete(0, "a")
    fleet.settle()
    #expect(fleet.likes(0, "a") == nil)
    #expect(fleet.likes(0, "b") == 2)
  }

  @Test func `a retried change is added to later changes and does not replace them`() {
    var fleet = fleet { $0.like(0, "a") }
    fleet.isAway = [0]
    fleet.like(0, "a")
    let position = fleet.machines[0].status(atMilliseconds: 0).parked[0].position
    fleet.give(0, .retried(position: position))
    #expect(fleet.likes(0, "a") == 3)
    fleet.isAway = []
    fleet.settle()
    fleet.advance(milliseconds: 600_000)
    fleet.settle()
    #expect(fleet.likes("a") == [3, 3])
    #expect(fleet.parked.isEmpty)
  }

  @Test func `the state of a change does not depend on parked changes to the same record`() {
    var fleet = fleet { $0.likeTogether(0, ["a", "b"]) }
    func fate(_ acts: [Int64]) -> SyncFate { fleet.machines[0].fate(of: acts) }
    let parked = fleet.machines[0].status(atMilliseconds: 0).parked.map(\.position)
    #expect(fate(parked) == .parked(RecordFleet.key("a"), reason: "the request is invalid: no"))
    fleet.isAway = [0]
    fleet.like(0, "a")
    let acts = fleet.machines[0].replica.outbox.waiting.map(\.position)
    #expect(fate(acts) == .waiting)
    fleet.isAway = []
    fleet.advance(milliseconds: 600_000)
    fleet.settle()
    #expect(fate(acts) == .acknowledged)
    // A retried change has a new position. Its state is still found by the old position.
    fleet.give(0, .retried(position: parked[0]))
    #expect(fate(parked) != .parked(RecordFleet.key("a"), reason: "the request is invalid: no"))
    fleet.settle()
    #expect(fate(parked) == .acknowledged)
    #expect(fleet.likes("a") == [3, 3])
  }

  @Test func `changes that are too large for a proxy are sent in smaller requests, and nothing is parked`() {
    var fleet = RecordFleet(2)
    fleet.isAway = [0]
    for number in 0..<60 { fleet.like(0, "n\(number)") }
    (fleet.isAway, fleet.mostOperations) = ([], 10)
    fleet.advance(milliseconds: 600_000)
    #expect(fleet.parked.isEmpty && fleet.machines[0].isFlushed)
    fleet.settle()
    #expect((0..<60).allSatisfy { fleet.likes(1, "n\($0)") == 1 })
  }

  @Test func `a write that exceeds a limit of this version parks its whole transaction`() throws {
    var fleet = RecordFleet(2)
    fleet.settle()
    fleet.isAway = [0]
    fleet.likeTogether(0, ["a", "b"])
    let key = try #require(fleet.disks[0].keys.filter { $0.hasPrefix("outbox/") }.max())
    var item = try OutboxItem(position: 2, packed: try #require(fleet.disks[0][key]))
    var write = try #require(item.write)
    write.fields = [.init(name: "title", value: Scalar.text(String(repeating: "x", count: 2_000_000)).bytes)]
    item.change = .write(write)
    fleet.disks[0][key] = item.packed()
    try fleet.restart(0, nil)
    #expect(fleet.parked.count == 2)
    fleet.isAway = []
    fleet.settle()
    #expect(fleet.likes(1, "a") == nil)
  }
}
