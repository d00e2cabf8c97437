import FlowBytes
import SyncCore
import Testing

@testable import SyncEngine

/// A device that comes online with many changes to send. The work per change must not depend on the number of changes.
struct BacklogTests {
  /// The changes that a device makes while offline.
  enum Kind: CaseIterable {
    /// Single writes, each to a different record.
    case records
    /// Single writes, all to one record.
    case oneRecord
    /// Transactions of 50 records.
    case transactions
    /// Single writes before the first contact with the zone. The collection's rules are waiting, too.
    case beforeRules
    /// Transactions that follow parked ones in the outbox.
    case behindParked
  }

  /// Returns the number of visits to changes while `writes` writes are made and sent. The status is read regularly.
  private func visits(_ kind: Kind, writes: Int) -> Int {
    var fleet = RecordFleet(kind == .beforeRules ? 0 : 1)
    if kind == .beforeRules {
      fleet.isAway = [0]
      fleet.add(Replica(device: DeviceID(stem: "device", random: 1)))
      fleet.nameRules(0)
    }
    if kind == .behindParked {
      fleet.commitError = .invalid("no")
      for number in 0..<writes / 50 { fleet.likeTogether(0, (0..<50).map { "parked\(number)-\($0)" }) }
      fleet.settle()
      fleet.commitError = nil
    }
    let counter = WorkCounter()
    fleet.machines[0].countVisits(in: counter)
    fleet.isAway = [0]
    for number in 0..<writes {
      switch kind {
      case .records, .beforeRules: fleet.like(0, "n\(number)")
      case .oneRecord: fleet.like(0, "n")
      case .transactions, .behindParked:
        if number % 50 == 0 { fleet.likeTogether(0, (0..<50).map { "n\(number + $0)" }) }
      }
      if number % 50 == 0 { _ = fleet.machines[0].isFlushed }
    }
    fleet.isAway = []
    fleet.advance(milliseconds: 600_000)
    #expect(fleet.machines[0].isFlushed)
    #expect(fleet.likes(0, kind == .oneRecord ? "n" : "n0") == (kind == .oneRecord ? Int64(writes) : 1))
    return counter.count
  }

  @Test(arguments: Kind.allCases)
  func `the work of a device with many changes is proportional to the number of changes`(_ kind: Kind) {
    let (some, twice) = (visits(kind, writes: 300), visits(kind, writes: 600))
    #expect(Double(twice) <= 2.2 * Double(some), "\(kind): \(some), then \(twice) visits")
    #expect(some <= 300 * 40, "\(kind): \(some) visits")
  }

  @Test func `a list of positions stays sorted and unique after insertions and removals`() {
    var (list, wanted, random) = (PositionList(), Set<Int64>(), SplitMix64(seed: 7))
    for step in 0..<20_000 {
      // The list first grows and then shrinks, mostly at its ends, like an outbox.
      let position = Int64(random.next() % (step % 3 == 0 ? 5000 : 300)) + Int64(step / 10)
      if random.next() % 20_000 > step {
        list.insert(position)
        wanted.insert(position)
      } else {
        list.remove(position)
        wanted.remove(position)
      }
      #expect(list.count == wanted.count && list.isEmpty == wanted.isEmpty)
      if step % 500 == 0 {
        #expect(Array(list) == wanted.sorted())
        #expect(list.first == wanted.min() && list.last == wanted.max())
      }
    }
  }
}
