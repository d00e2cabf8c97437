import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// Files of devices that are copied or restored, and machines that are copied while they run. Each action must count
/// once, even if several processes send it (M1, V15).
struct CopiedFileTests {
  /// Returns a fleet whose first device has saved two unsent likes, and a copy of the device's file.
  private func waiting() -> (fleet: RecordFleet, file: [String: [UInt8]]) {
    var fleet = RecordFleet(2)
    fleet.isAway = [0]
    fleet.like(0, "k")
    fleet.like(0, "k")
    let file = fleet.disks[0]
    fleet.isAway = []
    return (fleet, file)
  }

  @Test(arguments: [0, 1, 300])
  func `each action that waits in a copied file counts once, even if the original device continues`(_ more: Int) throws
  {
    var (fleet, file) = waiting()
    fleet.settle()
    for number in 0..<more {
      fleet.like(0, "k")
      if number % 50 == 49 { fleet.settle() }
    }
    fleet.settle()
    let copy = try fleet.addCopy(of: file, seed: 71)
    fleet.settle()
    #expect(fleet.likes("k") == Array(repeating: Int64(2 + more), count: 3))
    fleet.like(copy, "k")
    fleet.settle()
    #expect(fleet.likes("k") == Array(repeating: Int64(3 + more), count: 3))
    #expect(fleet.parked.isEmpty)
  }

  @Test(arguments: [false, true])
  func `each action made on copies of a device's file while offline counts once`(_ sendsFirst: Bool) throws {
    var (fleet, file) = waiting()
    if sendsFirst { fleet.settle() } else { fleet.isAway = [0] }
    fleet.like(0, "k")
    fleet.isAway.formUnion([2, 3])
    let copy = try fleet.addCopy(of: file, seed: 72)
    fleet.like(copy, "k")
    fleet.likeTogether(copy, ["k", "other"])
    // This is a copy of the copy, including the actions that are waiting in it.
    let second = try fleet.addCopy(of: fleet.disks[copy], seed: 73)
    fleet.like(second, "k")
    fleet.isAway = []
    fleet.settle()
    fleet.settle()
    #expect(fleet.likes("k") == Array(repeating: 6, count: 4))
    #expect(fleet.likes("other") == Array(repeating: 1, count: 4))
    #expect(fleet.parked.isEmpty)
  }

  @Test func `each action that waits in a file restored from a copy counts once`() throws {
    var (fleet, file) = waiting()
    fleet.settle()
    fleet.like(0, "k")
    fleet.settle()
    fleet.disks[0] = file
    try fleet.restart(0, nil, seed: 74)
    fleet.like(0, "k")
    fleet.settle()
    #expect(fleet.likes("k") == [4, 4])
    #expect(fleet.parked.isEmpty)
  }

  @Test func `a waiting action in a copied file counts once, even if the clocks of both devices are wrong`() throws {
    var fleet = RecordFleet(2)
    fleet.skews[2] = 90_000
    fleet.isAway = [2]
    let late = fleet.add(Replica(device: DeviceID(stem: "late", random: 9)))
    fleet.like(late, "k")
    let file = fleet.disks[late]
    fleet.isAway = []
    fleet.settle()
    fleet.skews[3] = -40_000
    fleet.isAway = [3]
    let copy = try fleet.addCopy(of: file, seed: 75)
    fleet.like(copy, "k")
    fleet.isAway = []
    fleet.settle()
    #expect(fleet.likes("k") == Array(repeating: 2, count: 4))
    #expect(fleet.parked.isEmpty)
  }

  @Test func `if two copies of a running device act, one action is parked until it is retried`()
    throws
  {
    var fleet = RecordFleet(2)
    fleet.like(0, "k")
    fleet.settle()
    let twin = fleet.addTwin(of: 0)
    fleet.like(0, "k")
    fleet.now += 7
    fleet.like(twin, "k")
    fleet.settle()
    #expect(fleet.parked.count == 1)
    #expect(fleet.parked.first?.contains("same name") == true)
    for device in [0, twin] { fleet.give(device, .resumed) }
    fleet.settle()
    #expect(fleet.parked.isEmpty)
    #expect(fleet.likes("k") == [3, 3, 3])
    // From now on, the two machines have different device names.
    fleet.like(0, "k")
    fleet.like(twin, "k")
    fleet.settle()
    #expect(fleet.likes("k") == [5, 5, 5])
  }

  @Test func `a parked change counts once if two copies of a file retry it`() throws {
    var fleet = RecordFleet(2)
    fleet.refusesCommits = [0]
    fleet.like(0, "k")
    #expect(fleet.parked.count == 1)
    fleet.refusesCommits = []
    fleet.like(0, "k")
    fleet.settle()
    #expect(fleet.likes(1, "k") == 1)
    let copy = try fleet.addCopy(of: fleet.disks[0], seed: 76)
    for device in [0, copy] { fleet.give(device, .resumed) }
    fleet.settle()
    #expect(fleet.likes("k") == [2, 2, 2])
    #expect(fleet.parked.isEmpty)
  }

  @Test func `a set that a copied device changes twice has the same content on all devices`() throws {
    var (fleet, file) = waiting()
    fleet.settle()
    fleet.like(0, "k")
    fleet.isAway = [2]
    let copy = try fleet.addCopy(of: file, seed: 77)
    let (one, two) = (Scalar.text("1").bytes, Scalar.text("2").bytes)
    for (add, remove) in [([one], []), ([two], [one])] {
      let edit = RecordEdit(fields: ["tags": .elements(add: add, remove: remove)])
      fleet.give(copy, .acted(RecordFleet.key("k"), .edit(edit)))
    }
    fleet.isAway = []
    fleet.settle()
    for machine in fleet.machines {
      let tags = machine.view(of: RecordFleet.key("k")).content.part("tags")?.state.elements
      #expect(tags?.map(\.value) == [two])
    }
  }

  @Test func `each action of two processes that open the same file is sent and counts once`() throws {
    var rig = Rig()
    rig.start()
    rig.advance(milliseconds: 1000)
    rig.give(.switched(online: false))
    rig.act(.focus, completed: 1)
    rig.act(.idle, completed: 1)
    let saved = try #require(try Replica(stored: rig.disk.filter { !$0.key.hasPrefix("journal/") }))
    var again = Rig(replica: saved, seed: 2)
    again.zone = rig.zone
    again.act(.breakTime, completed: 1)
    #expect(again.machine.replica.outbox.count == 3)
    again.start()
    again.advance(milliseconds: 3000)
    #expect(again.zone.completed == 3)
    #expect(again.shown == .breakTime)
  }

  @Test func `the checksum of an action does not depend on shifted clocks or changes by the arbiter`() throws {
    var write = Write(
      dot: Dot(device: Rig.device, number: 1), milliseconds: Rig.start,
      record: RecordWrite(changes: [.init(name: "likes", kind: .add(1))]))
    write.incarnation = .max
    write = write.sealed()
    var changed = write.shifted(byMilliseconds: 5000)
    changed.record?.incarnation = 3
    #expect(changed.check == write.check)
    changed = try Write(packed: changed.packed())
    #expect(changed.check == write.check)
    #expect(changed.incarnation == .max)
    write.milliseconds += 1
    #expect(write.sealed().check != changed.check)
  }
}
