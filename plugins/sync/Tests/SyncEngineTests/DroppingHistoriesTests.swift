import FlowBytes
import SyncCore
import SyncEngine
import TestSupport
import Testing

/// Random histories in which devices create, change and delete records while others are offline, start from an older
/// file or are copied.
struct DroppingHistoriesTests {
  /// Each test adds a different number to these seeds.
  private static let seeds = TestExtent.seeds(15, of: 250, release: 250)
  private static let keys = ["kept", "a", "b", "c"]

  /// The expected result. The record `kept` is never deleted.
  private struct Story {
    var likesOfKept: Int64 = 0
  }

  private func play(
    _ seed: UInt64, losesPlaces: Bool = false, restores: Bool = false, copies: Bool = false, skews: [Int64] = []
  ) throws -> (fleet: RecordFleet, story: Story) {
    var (random, story) = (SplitMix64(seed: seed), Story())
    var fleet = RecordFleet(3, delete: seed % 2 == 0 ? .editWins : .deleteWins, skews: skews)
    var old: [[String: [UInt8]]] = []
    var backup: ZoneState?
    for _ in 0..<(20 + Int(random.next() % 40)) {
      let device = Int(random.next() % UInt64(fleet.machines.count))
      let key = Self.keys[Int(random.next() % 4)]
      if restores {
        switch random.next() % 16 {
        case 0: backup = fleet.zone
        case 1:
          guard let copy = backup else { break }
          backup = nil
          fleet.zone = copy
          switch random.next() % 3 {
          case 0: fleet.zone.reopen(generation: random.next() | 1)
          case 1: fleet.zone.begin(generation: random.next() | 1)
          default: break
          }
        case 2: fleet.losesAnswer = true
        case 3:
          fleet.likeTogether(device, ["kept", key == "kept" ? "a" : key])
          story.likesOfKept += 1
        default: break
        }
      }
      switch random.next() % 12 {
      case 0...4:
        fleet.like(device, key)
        if key == "kept" { story.likesOfKept += 1 }
      case 5, 6: if key != "kept", fleet.likes(device, key) != nil { fleet.delete(device, key) }
      case 7: fleet.isAway.formSymmetricDifference([device])
      case 8: fleet.advance(milliseconds: Int64(random.next() % 30_000))
      case 9: fleet.settle()
      case 10:
        if random.next() % 4 == 0, losesPlaces || restores || fleet.isAway.isEmpty {
          if !losesPlaces {
            // A device that could not reach the zone tries again within five minutes.
            fleet.advance(milliseconds: Backoff.capMilliseconds)
            fleet.settle()
          }
          fleet.forget()
          fleet.settle()
        }
      default:
        // Saves a copy of the device's file. Later, a second device may start with it.
        if old.count < 2, copies || fleet.machines[device].isFlushed { old.append(fleet.disks[device]) }
        if copies, random.next() % 3 == 0, fleet.machines[device].isFlushed, let disk = old.last, !disk.isEmpty,
          Self.device(in: disk) == fleet.machines[device].replica.device
        {
          // Restores the file, which contains no unsent changes.
          fleet.disks[device] = disk
          try fleet.restart(device, nil, seed: random.next())
        }
        if losesPlaces || copies, fleet.machines.count < 5, random.next() % 3 == 0, let disk = old.popLast(),
          !disk.isEmpty,
          disk["identity"] != nil
        {
          _ = try fleet.addCopy(of: disk, seed: seed &+ UInt64(fleet.machines.count) &* 7919)
        }
      }
    }
    fleet.isAway = []
    // A device that has used up its budget can send again within two hours.
    fleet.advance(milliseconds: 7_200_000)
    fleet.settle()
    fleet.settle()
    return (fleet, story)
  }

  @Test func `if no device misses a forgotten deletion, all devices end with equal records, and nothing is parked`()
    throws
  {
    for seed in Self.seeds {
      let (fleet, story) = try play(seed, losesPlaces: false)
      try check(fleet, seed)
      #expect(fleet.parked.isEmpty, "seed \(seed): \(fleet.parked)")
      #expect(fleet.likes(0, "kept") ?? 0 == story.likesOfKept, "seed \(seed)")
    }
  }

  @Test func `a device that is restored or was offline for too long parks only its changes to deleted records`() throws
  {
    for seed in Self.seeds.map({ $0 + 1000 }) {
      let (fleet, story) = try play(seed, losesPlaces: true)
      try check(fleet, seed)
      #expect(fleet.parked.allSatisfy { $0.contains("deleted meanwhile") }, "seed \(seed): \(fleet.parked)")
      #expect(fleet.likes(0, "kept") ?? 0 == story.likesOfKept, "seed \(seed)")
    }
  }

  @Test func `with clocks wrong by 90 days or a year, only changes to deleted records are parked`() throws {
    let day: Int64 = 86_400_000
    for seed in Self.seeds.map({ $0 + 4000 }) {
      var skews = [365 * day, 90 * day, -90 * day]
      skews.swapAt(Int(seed % 3), Int(seed / 3 % 3))
      let (fleet, story) = try play(seed, losesPlaces: seed % 2 == 0, skews: skews)
      try check(fleet, seed)
      #expect(fleet.parked.allSatisfy { $0.contains("deleted meanwhile") }, "seed \(seed): \(fleet.parked)")
      #expect(fleet.likes(0, "kept") ?? 0 == story.likesOfKept, "seed \(seed)")
    }
  }

  private static func device(in disk: [String: [UInt8]]) -> DeviceID? {
    try? Replica(stored: disk.filter { !$0.key.hasPrefix("journal/") })?.device
  }

  @Test func `each action counts once, even if several copies of a file send it`() throws {
    for seed in Self.seeds.map({ $0 + 3000 }) {
      let (fleet, story) = try play(seed, copies: true)
      try check(fleet, seed)
      #expect(fleet.likes(0, "kept") ?? 0 == story.likesOfKept, "seed \(seed)")
    }
  }

  @Test func `every action is counted or parked if a zone is restored from a backup`() throws {
    for seed in Self.seeds.map({ $0 + 2000 }) {
      let (fleet, story) = try play(seed, restores: true)
      try check(fleet, seed, mayForget: true)
      // A transaction that also changes a deleted record is parked completely.
      let kept = RecordFleet.key("kept")
      let parked = fleet.machines.reduce(0) { sum, machine in
        sum + machine.replica.outbox.reduce(0) { $0 + ($1.key == kept && $1.parkedBecause != nil ? 1 : 0) }
      }
      let counted = fleet.zone.records[kept]?.cell.content.part("likes")?.state.total ?? 0
      #expect(counted + Int64(parked) == story.likesOfKept, "seed \(seed): \(fleet.parked)")
    }
  }

  private func check(_ fleet: RecordFleet, _ seed: UInt64, mayForget: Bool = false) throws {
    for (device, machine) in fleet.machines.enumerated() {
      #expect(
        machine.replica.outbox.allSatisfy { $0.parkedBecause != nil },
        "seed \(seed): device \(device) still sends \(machine.replica.outbox.map(\.key))")
      for key in Self.keys where !machine.replica.outbox.holds(RecordFleet.key(key)) {
        // A restored zone may contain a forgotten deletion again. The record is still not visible.
        if mayForget, fleet.likes(device, key) == nil,
          fleet.zone.records[RecordFleet.key(key)]?.cell.content.deleted != nil
        {
          continue
        }
        #expect(
          machine.replica.confirmed[RecordFleet.key(key)]?.cell == fleet.zone.records[RecordFleet.key(key)]?.cell,
          "seed \(seed): \(key) on device \(device)")
      }
    }
  }
}
