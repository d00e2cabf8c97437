#if Network && os(Linux) && DEBUG
  import Foundation
  import Testing

  /// Histories of real processes behind a network with every fault: the clocks run four times as fast, which only debug
  /// builds let them.
  @Suite(.serialized) struct ProcessHistoriesTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many histories: 60, 500 with the long tests, or as many as `FLOWRUN_SYNC_HISTORIES` says.
    private static let count =
      environment["FLOWRUN_SYNC_HISTORIES"].flatMap { Int($0) } ?? (environment["FLOWRUN_LONG_TESTS"] == nil ? 60 : 500)
    private static let first = environment["FLOWRUN_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(.timeLimit(.minutes(30)))
    func `V13 V14 V15 V18 V20 S40: processes that are killed, behind a bad network, lose nothing and end as foretold`()
      async
    {
      let problems = await withTaskGroup(of: [String].self) { group in
        var (seed, all) = (Self.first, [String]())
        for _ in 0..<min(8, Self.count) {
          group.addTask { [seed] in await Self.play(seed) }
          seed += 1
        }
        for await some in group {
          all += some
          guard seed < Self.first + UInt64(Self.count) else { continue }
          group.addTask { [seed] in await Self.play(seed) }
          seed += 1
        }
        return all
      }
      #expect(problems == [])
      let kills = ProcessHistory.kills.withLock { $0 }
      print(
        "timers: \(Self.count) histories, \(kills.devices) kills of devices, \(kills.servers) of the server, "
          + "\(kills.databases) of PostgreSQL")
    }

    /// On a thread of its own, since a history waits for processes.
    private static func play(_ seed: UInt64) async -> [String] {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: problems(of: seed)) }
      }
    }

    /// What is wrong with a history, in words. At the end nothing of it is left: its database and its folder go away before
    /// the tests can end.
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
