import FlowBytes
import SyncCore
import Testing

/// The limits on requests and bytes, and the pauses between attempts (S34, S36, S43, V18, V19).
struct BudgetTests {
  private let hour: Int64 = 3_600_000
  private let start: Int64 = 1_704_628_800_000

  @Test func `V18, S43: no random schedule sends more than 100 requests in any hour`() {
    for seed in 1...UInt64(50) {
      var random = SplitMix64(seed: seed)
      var budget = RequestBudget()
      var sent: [Int64] = []
      var now = start
      while now < start + 6 * hour {
        now += Int64.random(in: 0...(Bool.random(using: &random) ? 1000 : 120_000), using: &random)
        if budget.permitted(.push, bytes: 0, atMilliseconds: now) <= now {
          budget.spendRequest(.push, atMilliseconds: now)
          sent.append(now)
        }
        if budget.permitted(.other, bytes: 0, atMilliseconds: now) <= now {
          budget.spendRequest(.other, atMilliseconds: now)
          sent.append(now)
        }
      }
      for (index, time) in sent.enumerated() where index >= 100 {
        #expect(time - sent[index - 100] > hour, "seed \(seed)")
      }
      #expect(sent.count > 500, "seed \(seed)")
    }
  }

  @Test func `80 requests at the end of an hour do not allow another 80 at the start of the next hour`() {
    var budget = RequestBudget()
    for second in 0..<80 { budget.spendRequest(.push, atMilliseconds: start + Int64(second)) }
    #expect(budget.permitted(.push, bytes: 0, atMilliseconds: start + 1000) == start + hour + 1)
  }

  @Test func `polls leave 20 requests per hour for pushes, and another 20 are reserved for polls`() {
    var budget = RequestBudget()
    for _ in 0..<59 { budget.spendRequest(.other, atMilliseconds: start) }
    for _ in 0..<2 {
      #expect(budget.permitted(.other, bytes: 0, atMilliseconds: start) == start)
      budget.spendRequest(.other, atMilliseconds: start)
    }
    // The last request was the first of those reserved for polls.
    #expect(budget.permitted(.other, bytes: 0, atMilliseconds: start) == start + 180_000)
    for _ in 0..<20 {
      #expect(budget.permitted(.push, bytes: 0, atMilliseconds: start) == start)
      budget.spendRequest(.push, atMilliseconds: start)
    }
    #expect(budget.permitted(.push, bytes: 0, atMilliseconds: start) == start + hour + 1)
    #expect(budget.permitted(.other, bytes: 0, atMilliseconds: start + 180_000) == start + 180_000)
  }

  @Test func `V18: a device that pushes up to the limit can still poll every three minutes`() {
    var budget = RequestBudget()
    var (now, heard) = (start, start)
    while now < start + 5 * hour {
      now += 1000
      while budget.permitted(.push, bytes: 0, atMilliseconds: now) <= now {
        budget.spendRequest(.push, atMilliseconds: now)
      }
      if budget.permitted(.other, bytes: 0, atMilliseconds: now) <= now {
        budget.spendRequest(.other, atMilliseconds: now)
        heard = now
      }
      #expect(now - heard <= 181_000)
      #expect(budget.requests(atMilliseconds: now) <= 100)
    }
  }

  @Test func `requests recorded by a clock that is a year ahead count for an hour, and bytes for a day`() {
    var budget = RequestBudget()
    let ahead = start + 365 * 24 * hour
    for _ in 0..<100 { budget.spendRequest(.push, atMilliseconds: ahead) }
    budget.spend(bytes: budget.limits.bytesPerDay, atMilliseconds: ahead)
    budget.correct(atMilliseconds: start)
    #expect(budget.requests(atMilliseconds: start) == 100)
    #expect(budget.bytesLeft(atMilliseconds: start) == 0)
    #expect(budget.permitted(.push, bytes: 0, atMilliseconds: start) == start + hour + 1)
    #expect(budget.permitted(.push, bytes: 1, atMilliseconds: start) <= start + 25 * hour)
    #expect(budget.bytesLeft(atMilliseconds: start + 25 * hour) == budget.limits.bytesPerDay)
  }

  @Test func `a budget without limits permits every request, and a saved budget is restored unchanged`() throws {
    var budget = RequestBudget(limits: .none)
    for second in 0..<5000 { budget.spendRequest(.other, atMilliseconds: start + Int64(second)) }
    budget.spend(bytes: 1 << 40, atMilliseconds: start)
    #expect(budget.permitted(.other, bytes: 1 << 40, atMilliseconds: start + 5000) == start + 5000)
    #expect(budget.usedShare(atMilliseconds: start + 5000) == 0)
    #expect(budget.log.count == 1000)
    var limited = RequestBudget()
    for _ in 0..<65 { limited.spendRequest(.other, atMilliseconds: start) }
    #expect(try RequestBudget(packed: limited.packed(), limits: .init()) == limited)
  }

  @Test func `V18: no random schedule sends more than 1 MB in any day`() {
    for seed in 1...UInt64(20) {
      var random = SplitMix64(seed: seed)
      var budget = RequestBudget()
      var sent: [(time: Int64, bytes: Int)] = []
      var now = start
      while now < start + 72 * hour {
        now += Int64.random(in: 0...600_000, using: &random)
        let bytes = Int.random(in: 1...20_000, using: &random)
        if budget.permitted(.push, bytes: bytes, atMilliseconds: now) <= now {
          budget.spend(bytes: bytes, atMilliseconds: now)
          sent.append((now, bytes))
        }
      }
      for (index, last) in sent.enumerated() {
        let day = sent[...index].filter { last.time - $0.time <= 24 * hour }.reduce(0) { $0 + $1.bytes }
        #expect(day <= 1_000_000, "seed \(seed)")
      }
    }
  }

  @Test func `V19, S34: pauses are random, and their maximum grows with each failure up to five minutes`() {
    var random = SplitMix64(seed: 1)
    let limits: [Int64] = [
      200, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000,
    ]
    var waits = Array(repeating: [Int64](), count: limits.count)
    for _ in 0..<200 {
      var backoff = Backoff()
      for (index, limit) in limits.enumerated() {
        let wait = backoff.fail(using: &random)
        #expect((0...limit).contains(wait))
        waits[index].append(wait)
      }
      backoff.succeed()
      #expect(backoff.fail(using: &random) <= 200)
    }
    // All pauses up to the maximum are equally likely. Therefore, 200 of them include values near both ends, and their
    // mean is near the middle.
    for (limit, waits) in zip(limits, waits) {
      #expect(waits.min()! < limit / 10 && waits.max()! > limit * 9 / 10, "limit \(limit)")
      let mean = waits.reduce(0, +) / Int64(waits.count)
      #expect((limit * 4 / 10...limit * 6 / 10).contains(mean), "limit \(limit), mean \(mean)")
    }
  }

  @Test func `S36, V19: a pause is at least as long as the server requested`() {
    var random = SplitMix64(seed: 1)
    var backoff = Backoff()
    for _ in 0..<20 { #expect(backoff.fail(retryAfterMilliseconds: 7000, using: &random) >= 7000) }
  }

  @Test func `S28: a device's identity contains only valid characters, whatever the device is called`() {
    let device = DeviceID(stem: "Zoë's Mac", random: 0xab)
    #expect(device.name.hasSuffix("-000000ab"))
    #expect(DeviceID.isWellFormed(device.name))
    #expect(DeviceID.isWellFormed(DeviceID(stem: String(repeating: "x", count: 200), random: 1).name))
    #expect(DeviceID("a b") == nil)
    #expect(DeviceID("") == nil)
  }

  @Test func `M2: a clock never returns a stamp twice, and each stamp is later than all received ones`() {
    let device = DeviceID(stem: "d", random: 1)
    var clock = HybridLogicalClock()
    var last = clock.stamp(device, nowMilliseconds: 1000)
    for now in [1000, 1000, 900, 1001, 5, 1001] as [Int64] {
      let next = clock.stamp(device, nowMilliseconds: now)
      #expect(next > last)
      last = next
    }
    clock.receive(Stamp(milliseconds: 9000, counter: 3, device: device))
    #expect(clock.stamp(device, nowMilliseconds: 1002) > Stamp(milliseconds: 9000, counter: 3, device: device))
  }
}
