import FlowEngine
import FlowModel
import FlowStore
import FlowTestKit
import Testing

/// Another process may take over a run whose store has leases that expire.
extension `A journal` {
  private static let steps = [
    Step("a", "probe.hold"), Step("b", "probe.note", needs: [0]),
    Step("c", "probe.note", needs: [1]) { $0.condition = "always()" },
  ]

  /// Starts a run and waits until the store contains it with a lease.
  private func held(
    _ store: MemoryRunStore, _ probe: ProbePlugin, _ steps: [Step] = steps
  ) async throws -> WorkflowRun {
    var fixture = fixture(steps, store, probe: probe)
    fixture.change = { options in
      options.history = Self.history(store)
      options.history?.canBeTakenOver = true
    }
    let run = try fixture.start()
    while store.leaseQuestions == 0 { await Task.yield() }
    return run
  }

  @Test(.timeLimit(.minutes(10)))
  func `an overdue lease delays the next step of the run until the lease is renewed`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let run = try await held(store, probe)
    store.setLeases(.late)
    let before = store.chunkCount
    probe.door.open()
    // The end of the first step is still written. The next step would have begun with the same write.
    while store.chunkCount == before { await Task.yield() }
    #expect(probe.diary.all.isEmpty)
    probe.diary.write("renewed")
    store.setLeases(.sure)
    let report = await run.report
    #expect(report.conclusion == .success && probe.diary.all == ["renewed", "b", "c"])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a run that another process has taken over does not start further steps, not even cleanup`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let run = try await held(store, probe)
    store.setLeases(.lost)
    probe.door.open()
    let report = await run.report
    #expect(report.conclusion == .failure && probe.diary.all.isEmpty, "\(probe.diary.all)")
    #expect(report.warnings.contains { $0.contains("was taken over by another process") }, "\(report.warnings)")
  }

  @Test(.timeLimit(.minutes(10)))
  func `an overdue lease ends the run's active steps, which run again after the lease is renewed`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let run = try await held(
      store, probe,
      [
        Step("step", "probe.wait-once"),
        Step("fan", "probe.wait-once") { $0.fanOut = FanOut(.items([1])) },
        Step("after", "probe.note", needs: [0, 1]),
      ])
    while probe.diary.all.count < 2 { await Task.yield() }
    store.setLeases(.late)
    while probe.diary.all.count < 4 { await Task.yield() }
    probe.diary.write("renewed")
    store.setLeases(.sure)
    let report = await run.report
    #expect(report.conclusion == .success && report["step"].attempts == 2)
    let parts = probe.diary.all.split(separator: "renewed").map { $0.sorted() }
    #expect(
      parts == [["fan[0] 1", "fan[0] ended", "step 1", "step ended"], ["after", "fan[0] 2", "step 2"]])
  }

  @Test(.timeLimit(.minutes(10)))
  func `an overdue lease fails a running step that must run only once`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let run = try await held(store, probe, [Step("once", "probe.wait-once") { $0.onInterrupt = .fail }])
    while probe.diary.all.isEmpty { await Task.yield() }
    store.setLeases(.late)
    let report = await run.report
    #expect(report["once"].failure?.code == "interrupted", "\(report["once"])")
    #expect(probe.diary.all == ["once 1", "once ended"])
  }
}
