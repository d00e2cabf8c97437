import FlowBytes
import SyncCore
import Testing

@testable import SyncEngine

/// A device that returns with many changes to send. The work per change does not depend on their number.
@Suite struct BacklogTests {
  /// The changes that a device makes offline.
  enum Kind: CaseIterable {
    /// Single writes, each to another record.
    case records
    /// Single writes, all to one record.
    case oneRecord
    /// Transactions of 50 records.
    case transactions
    /// Single writes before the zone was ever reached, so that the collection's rules wait, too.
    case beforeRules
    /// Transactions after parked ones.
    case behindParked
  }

  /// The number of changes visited while this many writes are made and sent, with the status read after each.
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
  func `twice as many changes take twice the work`(_ kind: Kind) {
    let (some, twice) = (visits(kind, writes: 300), visits(kind, writes: 600))
    #expect(Double(twice) <= 2.2 * Double(some), "\(kind): \(some), then \(twice) visits")
    #expect(some <= 300 * 40, "\(kind): \(some) visits")
  }

  @Test func `positions stay sorted and unique through insertions and removals`() {
    var (list, wanted, random) = (PositionList(), Set<Int64>(), SplitMix64(seed: 7))
    for step in 0..<20_000 {
      // The list grows, then shrinks, mostly at its ends, like an outbox.
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
