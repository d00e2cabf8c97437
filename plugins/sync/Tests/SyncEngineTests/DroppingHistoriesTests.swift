import SyncCore
import SyncEngine
import Testing

/// Histories of devices that make, change and delete records while others are away, are put back or lose their place.
@Suite struct DroppingHistoriesTests {
  private static let keys = ["kept", "a", "b", "c"]

  /// What must come of it: `kept` is never deleted.
  private struct Story {
    var likesOfKept: Int64 = 0
  }

  private func play(_ seed: UInt64, losesPlaces: Bool) throws -> (fleet: RecordFleet, story: Story) {
    var (random, story) = (SplitMix64(seed: seed), Story())
    var fleet = RecordFleet(3, delete: seed % 2 == 0 ? .editWins : .deleteWins)
    var old: [[String: [UInt8]]] = []
    for _ in 0..<(20 + Int(random.next() % 40)) {
      let device = Int(random.next() % UInt64(fleet.machines.count))
      let key = Self.keys[Int(random.next() % 4)]
      switch random.next() % 12 {
      case 0...4:
        fleet.like(device, key)
        if key == "kept" { story.likesOfKept += 1 }
      case 5, 6: if key != "kept", fleet.likes(device, key) != nil { fleet.delete(device, key) }
      case 7: fleet.isAway.formSymmetricDifference([device])
      case 8: fleet.advance(milliseconds: Int64(random.next() % 30_000))
      case 9: fleet.settle()
      case 10:
        if losesPlaces, random.next() % 4 == 0 {
          fleet.now += (RecordLimits.silentDays + 1) * 86_400_000
          fleet.settle()
        }
      default:
        // A file is put aside, and later a device begins with it beside the one that it was.
        if old.count < 2, fleet.machines[device].isFlushed { old.append(fleet.disks[device]) }
        if losesPlaces, fleet.machines.count < 5, random.next() % 3 == 0, let disk = old.popLast(), !disk.isEmpty,
          disk["identity"] != nil
        {
          _ = try fleet.addCopy(of: disk, seed: seed &+ UInt64(fleet.machines.count) &* 7919)
        }
      }
    }
    fleet.isAway = []
    // Whoever has used up his budget gets it back within an hour.
    fleet.advance(milliseconds: 7_200_000)
    fleet.settle()
    fleet.settle()
    return (fleet, story)
  }

  @Test func `while nobody loses a place all come to the same, and nothing is set aside`() throws {
    for seed in 1...250 as ClosedRange<UInt64> {
      let (fleet, story) = try play(seed, losesPlaces: false)
      try check(fleet, seed)
      #expect(fleet.parked.isEmpty, "seed \(seed): \(fleet.parked)")
      #expect(fleet.likes(0, "kept") ?? 0 == story.likesOfKept, "seed \(seed)")
    }
  }

  @Test func `who was away too long, or was put back, comes to the same, and what it did in vain is shown`() throws {
    for seed in 1000...1250 as ClosedRange<UInt64> {
      let (fleet, story) = try play(seed, losesPlaces: true)
      try check(fleet, seed)
      #expect(fleet.parked.allSatisfy { $0.contains("deleted meanwhile") }, "seed \(seed): \(fleet.parked)")
      #expect(fleet.likes(0, "kept") ?? 0 == story.likesOfKept, "seed \(seed)")
    }
  }

  private func check(_ fleet: RecordFleet, _ seed: UInt64) throws {
    for (device, machine) in fleet.machines.enumerated() {
      #expect(
        machine.replica.outbox.allSatisfy { $0.parkedBecause != nil },
        "seed \(seed): device \(device) still sends \(machine.replica.outbox.map(\.key))")
      for key in Self.keys where !machine.replica.outbox.holds(RecordFleet.key(key)) {
        #expect(
          machine.replica.confirmed[RecordFleet.key(key)]?.cell == fleet.zone.records[RecordFleet.key(key)]?.cell,
          "seed \(seed): \(key) on device \(device)")
      }
    }
  }
}
