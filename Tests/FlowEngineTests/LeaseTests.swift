import FlowEngine
import FlowModel
import FlowStore
import FlowTestKit
import Testing

/// A run that another process may take over, in a store whose leases run out.
extension `A journal` {
  private static let steps = [
    Step("a", "probe.hold"), Step("b", "probe.note", needs: [0]),
    Step("c", "probe.note", needs: [1]) { $0.condition = "always()" },
  ]

  /// Starts the run and waits until it is in the store and holds its first step.
  private func held(_ store: MemoryRunStore, _ probe: ProbePlugin) async throws -> WorkflowRun {
    var fixture = fixture(Self.steps, store, probe: probe)
    fixture.change = { options in
      options.history = Self.history(store)
      options.history?.canBeTakenOver = true
    }
    let run = try fixture.start()
    while store.chunkCount == 0 { await Task.yield() }
    return run
  }

  @Test(.timeLimit(.minutes(1)))
  func `begins no step while its lease is late, and goes on when it is renewed`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let run = try await held(store, probe)
    store.setLeases(.late)
    let before = store.chunkCount
    probe.door.open()
    // The end of the first step is written all the same; the next one would have begun with it.
    while store.chunkCount == before { await Task.yield() }
    #expect(probe.diary.all.isEmpty)
    probe.diary.write("renewed")
    store.setLeases(.sure)
    let report = await run.report
    #expect(report.conclusion == .success && probe.diary.all == ["renewed", "b", "c"])
  }

  @Test(.timeLimit(.minutes(1)))
  func `begins no step, not even to clean up, once another process has the run`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let run = try await held(store, probe)
    store.setLeases(.lost)
    probe.door.open()
    let report = await run.report
    #expect(report.conclusion == .failure && probe.diary.all.isEmpty, "\(probe.diary.all)")
    #expect(report.warnings.contains { $0.contains("was taken over by another process") }, "\(report.warnings)")
  }
}
