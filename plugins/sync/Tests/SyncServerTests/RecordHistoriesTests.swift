#if Network && os(Linux)
  import Foundation
  import Testing

  /// Records of real processes that are killed, behind a bad network, before servers and databases that are killed.
  @Suite(.serialized) struct RecordHistoriesTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many histories: 6, 60 with the long tests, or as many as `FLOWRUN_SYNC_RECORD_HISTORIES` says.
    private static let count =
      environment["FLOWRUN_SYNC_RECORD_HISTORIES"].flatMap { Int($0) }
      ?? (environment["FLOWRUN_LONG_TESTS"] == nil ? 6 : 60)
    private static let first = environment["FLOWRUN_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(.timeLimit(.minutes(30)))
    func `V13 V14 V15 V20: records that come and go are the same for all, and no change is lost or counts twice`()
      async
    {
      let problems = await withTaskGroup(of: [String].self) { group in
        for lane in 0..<min(3, Self.count) {
          group.addTask {
            var all: [String] = []
            for number in stride(from: lane, to: Self.count, by: 3) {
              all += await Self.play(Self.first + UInt64(number))
            }
            return all
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      #expect(problems == [])
    }

    /// On a thread of its own, since a history waits for processes.
    private static func play(_ seed: UInt64) async -> [String] {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          do {
            let history = try RecordHistory(seed: seed)
            try history.play()
            continuation.resume(returning: history.problems.map { "FLOWRUN_SEED=\(seed): \($0)" })
          } catch {
            continuation.resume(returning: ["FLOWRUN_SEED=\(seed): \(error)"])
          }
        }
      }
    }
  }
#endif
