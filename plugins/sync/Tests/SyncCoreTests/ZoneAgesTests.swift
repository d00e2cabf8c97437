import FlowBytes
import SyncCore
import TestSupport
import Testing

/// The time when a zone forgets deletions, depending on its commits.
struct ZoneAgesTests {
  private static let day = ZoneAges.dayMilliseconds
  private static let start: Int64 = 1_700_000_000_000

  /// Makes commits at times and with clocks returned by `next`. For each commit, returns its time and the times of the
  /// deletions that are then forgotten and kept.
  private func play(
    commits: Int, mostDays: Int64, _ next: (Int) -> (clock: String, time: Int64, shown: Int64)
  ) throws -> [(time: Int64, forgotten: ArraySlice<Int64>, kept: ArraySlice<Int64>)] {
    var (ages, old): (ZoneAges, Int64) = (ZoneAges(), 0)
    var times: [Int64] = []
    return try (1...commits).map { sequence in
      let (clock, time, shown) = next(sequence)
      times.append(time)
      if let number = ages.note(Int64(sequence), by: clock, atMilliseconds: shown, mostDays: mostDays) {
        #expect(number >= old)
        old = number
      }
      if sequence % 100 == 0 {
        #expect(ages.packed().count < 4_000)
        let again = try ZoneAges(packed: ages.packed())
        #expect(again == ages)
      }
      return (time, times[..<Int(old)], times[Int(old)...])
    }
  }

  @Test(arguments: TestExtent.seeds(12, of: 50, release: 50))
  func `with a correct clock, deletions are forgotten after 90 to 94 days`(_ seed: UInt64) throws {
    var (random, now) = (SplitMix64(seed: seed), Self.start)
    let ends = try play(commits: 1_000, mostDays: .max) { _ in
      now += Int64(random.next() % UInt64(Self.day))
      return ("", now, now)
    }
    for (time, forgotten, kept) in ends {
      #expect(forgotten.allSatisfy { $0 <= time - 90 * Self.day }, "seed \(seed)")
      #expect(kept.allSatisfy { $0 > time - 94 * Self.day }, "seed \(seed)")
    }
  }

  @Test(arguments: TestExtent.seeds(12, of: 50, release: 50))
  func `with clocks wrong by up to a year, no deletion is forgotten within 90 days`(_ seed: UInt64) throws {
    var (random, now) = (SplitMix64(seed: seed), Self.start)
    let skews = [365, 90, -90, 0].map { $0 * Self.day }
    let ends = try play(commits: 1_000, mostDays: 1) { _ in
      now += Int64(random.next() % UInt64(Self.day))
      let device = Int(random.next() % 4)
      return ("\(device)", now, now + skews[device])
    }
    for (time, forgotten, _) in ends {
      #expect(forgotten.allSatisfy { $0 <= time - 90 * Self.day }, "seed \(seed)")
    }
    #expect(ends.contains { !$0.forgotten.isEmpty })
  }

  @Test func `a clock set forward by a year ages deletions by one day, and a clock set back does not age them`() {
    var ages = ZoneAges()
    for number in 1...Int64(91) {
      #expect(ages.note(number * 2, by: "a", atMilliseconds: Self.start) == nil)
      #expect(ages.note(number * 2 + 1, by: "a", atMilliseconds: Self.start + 365 * Self.day) == nil)
    }
    #expect(ages.note(500, by: "a", atMilliseconds: Self.start) == nil)
    #expect(ages.note(501, by: "a", atMilliseconds: Self.start + Self.day) == 3)
  }

  @Test func `reading the ages of a zone from damaged bytes throws an error`() {
    for bytes: [UInt8] in [[], [9], [1, 0, 5, 1], [1, 0, 255, 255, 255, 255, 15], [1, 0, 0, 1, 1]] {
      #expect(throws: PackingError.self) { try ZoneAges(packed: bytes) }
    }
  }
}
