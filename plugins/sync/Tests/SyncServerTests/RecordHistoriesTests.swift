#if Network && os(Linux) && DEBUG
  import Foundation
  import TestSupport
  import Testing

  /// Histories of records with real processes. Devices, servers and databases are killed, the network has faults, and
  /// clocks are wrong, which only debug builds support.
  @Suite(.serialized) struct RecordHistoriesTests {
    private static let seeds = TestExtent.seeds(3, of: 60, release: 60, long: 500)

    /// The number of concurrent histories. A history spends most of its time waiting.
    private static let lanes = 6

    @Test(.timeLimit(.minutes(90)))
    func `V13, V14, V15, V20: all devices show the same records at the end, and no change is lost or counted twice`()
      async
    {
      let problems = await withTaskGroup(of: [String].self) { group in
        var all: [String] = []
        for (number, seed) in Self.seeds.enumerated() {
          if number >= Self.lanes, let some = await group.next() { all += some }
          group.addTask { await Self.play(seed) }
        }
        return await group.reduce(into: all) { $0 += $1 }
      }
      #expect(problems == [])
      print("records: \(RecordHistory.counts.withLock { $0.text })")
    }

    @Test func `a server does not count as started if another program listens on its port`() throws {
      let folder = try TestFolder()
      let port = try ServerPort.take()
      let (listener, _) = try LocalSocket.listen(port: port)
      defer { LocalSocket.close(listener) }
      #expect {
        _ = try ServedZone(folder: folder, servers: 1, database: nil, clock: "0,1,0", ports: [port], attempts: 1)
      } throws: {
        "\($0)".contains("in use") || "\($0)".contains("taken")
      }
    }

    @Test func `a server that ended unexpectedly is reported with its last lines of output`() throws {
      let zone = try ServedZone(folder: try TestFolder(), servers: 1, database: nil, clock: "0,1,0")
      #expect(zone.endedByThemselves.isEmpty)
      zone.kill()
      #expect(zone.endedByThemselves.count == 1)
      #expect(zone.endedByThemselves.first?.contains("listening on") == true)
    }

    /// Runs a history on a separate thread, because it blocks while it waits for processes.
    private static func play(_ seed: UInt64) async -> [String] {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: problems(of: seed)) }
      }
    }

    /// Returns the problems of a history as text. Its database and its folder are removed before the test can end.
    private static func problems(of seed: UInt64) -> [String] {
      do {
        let history = try RecordHistory(seed: seed)
        try history.play()
        return history.problems.map { "FLOWRUN_SEED=\(seed): \($0)" }
      } catch {
        return ["FLOWRUN_SEED=\(seed): \(error)"]
      }
    }
  }
#endif
