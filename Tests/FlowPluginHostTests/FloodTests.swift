import FlowModel
import FlowPluginHost
import FlowTestKit
import Foundation
import Testing

/// Programs whose output never ends. Answers must still arrive, memory use must be bounded, and less than half a core
/// may be used.
@Suite(.timeLimit(.minutes(10)))
struct FloodTests {
  @Test func `a plugin call keeps 1,000 log lines, counts the rest and still returns its answer`()
    async throws
  {
    let child = try HostileChild()
    let run = TestHost()
    #expect(try await child.call("flood-log", ["lines": 50_000], in: run) == ["text": "done"])
    #expect(run.logs.count == 1002)
    #expect(run.logs[999] == "line 999")
    #expect(run.logs[1000] == "the plugin 'hostile' has logged 1000 lines in this call; the others are dropped")
    #expect(run.logs[1001] == "the plugin 'hostile' logged 49000 more lines in this call, which were dropped")
    await child.close()
  }

  @Test func `a plugin call may log 1,000 lines, and one more line causes a notice`() async throws {
    let child = try HostileChild()
    let run = TestHost()
    #expect(try await child.call("flood-log", ["lines": 1000], in: run) == ["text": "done"])
    #expect(run.logs == (0..<1000).map { "line \($0)" })
    let beyond = TestHost()
    #expect(try await child.call("flood-log", ["lines": 1001], in: beyond) == ["text": "done"])
    #expect(beyond.logs.last == "the plugin 'hostile' logged 1 more line in this call, which was dropped")
    await child.close()
  }

  @Test func `progress messages of a plugin call are dropped after the first 10,000`() async throws {
    let child = try HostileChild()
    let run = TestHost()
    #expect(try await child.call("flood-progress", ["count": 10_050], in: run) == ["text": "done"])
    #expect(run.progressFractions.count == 10_000)
    #expect(
      run.logs == [
        "the plugin 'hostile' has reported its progress 10000 times in this call; further reports are dropped"
      ])
    await child.close()
  }

  @Test(arguments: [
    ("flood-without-end", ""), ("flood-lines", ""), ("flood-messages", "log"), ("flood-messages", "progress"),
  ])
  func `plugin calls are answered during an endless flood, and the flooding call can be cancelled`(
    action: String, method: String
  ) async throws {
    let child = try HostileChild()
    _ = try await child.call("echo")
    let run = TestHost()
    let flood = Task { await child.failure(of: action, ["text": .string(method)], in: run) }
    for number in 1...50 {
      let text = Value.string("call \(number)")
      #expect(try await child.call("echo", ["text": text]) == ["text": text])
    }
    run.cancel()
    #expect(await flood.value?.code == "plugin-ended")
    #expect(try await child.call("echo", ["text": "again"]) == ["text": "again"])
    await child.close()
  }

  /// The test runs in a separate process, in which nothing else uses time or memory.
  @Test func `handling an endless flood of log lines uses less than half a core and 20 MB`() async {
    await #expect(processExitsWith: .success) {
      for action in ["flood-without-end", "flood-lines"] {
        let child = try HostileChild()
        let run = TestHost()
        _ = try await child.call("echo")
        let flood = Task { await child.failure(of: action, in: run) }
        _ = try await child.call("thread", ["seconds": 0.2])
        let (before, start) = (Usage.now, ContinuousClock.now)
        _ = try await child.call("thread", ["seconds": 1])
        let (after, elapsed) = (Usage.now, ContinuousClock.now - start)
        #expect(elapsed >= .seconds(1))
        #expect(after.processorTime - before.processorTime < elapsed / 2, "\(action)")
        #expect(after.residentKilobytes - before.residentKilobytes < 20_000, "\(action)")
        run.cancel()
        #expect(await flood.value?.code == "plugin-ended")
        await child.close()
      }
    }
  }

  /// The processor time and memory that this process uses.
  private struct Usage {
    let processorTime: Duration
    let residentKilobytes: Int

    static var now: Usage {
      var usage = rusage()
      #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
      #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      #endif
      let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
      let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
      return Usage(
        processorTime: .seconds(seconds) + .microseconds(microseconds),
        residentKilobytes: Int(line.filter(\.isNumber)) ?? 0)
    }
  }
}
