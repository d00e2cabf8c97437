#if Network && os(Linux) && DEBUG
  import Foundation
  import TestSupport
  import Testing

  /// Histories of real processes on a network with every fault. Without a database, the clocks run at four times the
  /// normal speed, which only debug builds support.
  @Suite(.serialized) struct ProcessHistoriesTests {
    private static let seeds = TestExtent.seeds(3, of: 60, release: 60, long: 500)

    @Test(.timeLimit(.minutes(30)))
    func `V13, V14, V15, V18, V20, S40: killed processes on a bad network lose nothing and end as the oracle predicts`()
      async
    {
      let problems = await withTaskGroup(of: [String].self) { group in
        var all: [String] = []
        for (number, seed) in Self.seeds.enumerated() {
          if number >= 8, let some = await group.next() { all += some }
          group.addTask { await Self.play(seed) }
        }
        return await group.reduce(into: all) { $0 += $1 }
      }
      #expect(problems == [])
      let kills = ProcessHistory.kills.withLock { $0 }
      print(
        "timers: \(Self.seeds.count) histories, \(kills.devices) kills of devices, \(kills.servers) of the server, "
          + "\(kills.databases) of PostgreSQL")
    }

    /// Runs a history on a separate thread, because it blocks while it waits for processes.
    private static func play(_ seed: UInt64) async -> [String] {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: problems(of: seed)) }
      }
    }

    /// Returns the problems of a history as text. Its database is removed before the test can end, and so is its folder
    /// unless there are problems.
    private static func problems(of seed: UInt64) -> [String] {
      do {
        let history = try ProcessHistory(seed: seed)
        try history.play()
        return history.problems.map { "FLOWRUN_SEED=\(seed): \($0)" }
      } catch {
        return ["FLOWRUN_SEED=\(seed): \(error)"]
      }
    }
  }
#endif
