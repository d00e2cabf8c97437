import BasicsPlugin
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowTestKit
import Testing

/// Some resumes run only selected steps. Each resume records the process that made it.
extension `A journal` {
  private static let failing = [
    Step("a", "probe.note"), Step("b", "flow.fail", with: ["message": "no"]),
    Step("c", "flow.fail", with: ["message": "no"]), Step("d", "probe.note", needs: [2]),
  ]
  private static let mended = [
    Step("a", "probe.note"), Step("b", "probe.note"), Step("c", "probe.note"), Step("d", "probe.note", needs: [2]),
  ]

  @Test func `a resume can run only selected steps, and a later resume runs the others`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    _ = try await fixture(Self.failing, store, probe: probe).run()
    var wish = ResumePlan.Wish()
    wish.only = [1]
    let (plan, report) = try await resume(Self.mended, store, probe: probe, wish)
    #expect(plan.fates == [.kept, .again(.chosen), .notSelected, .notSelected])
    #expect(report.conclusion == .partial && report["c"].reason == .notSelected)
    #expect(probe.diary.counts == ["a": 1, "b": 1])
    let (rest, whole) = try await resume(Self.mended, store, probe: probe)
    #expect(rest.fates == [.kept, .kept, .again(.ended(.skipped)), .again(.ended(.skipped))])
    #expect(whole.conclusion == .success)
    #expect(probe.diary.counts == ["a": 1, "b": 1, "c": 1, "d": 1])
  }

  @Test func `all steps outside a resume's selection are reported as not selected, even if they depend on each other`()
    async throws
  {
    let store = MemoryRunStore()
    let steps = [
      Step("d", needs: [2]), Step("a", "flow.fail", with: ["message": "no"]), Step("c", needs: [3]),
      Step("b", "flow.fail", with: ["message": "no"]), Step("e", needs: [0, 1]),
    ]
    _ = try await fixture(steps, store).run()
    var wish = ResumePlan.Wish()
    wish.only = [1]
    let (_, report) = try await resume(steps, store, wish)
    #expect(["b", "c", "d", "e"].map { report[$0].reason } == Array(repeating: .notSelected, count: 4))
  }

  @Test func `a resume runs a selected step again even if it had succeeded, but not the steps that depend on it`()
    async throws
  {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let steps = [Step("a", "probe.note"), Step("b", "probe.note", needs: [0])]
    _ = try await fixture(steps, store, probe: probe).run()
    var wish = ResumePlan.Wish()
    wish.only = [0]
    let (plan, report) = try await resume(steps, store, probe: probe, wish)
    #expect(plan.fates == [.again(.chosen), .kept] && report.conclusion == .success)
    #expect(probe.diary.counts == ["a": 2, "b": 1])
  }

  @Test func `a resume does not run a selected step if one of its dependencies has not succeeded`() async throws {
    let store = MemoryRunStore()
    _ = try await fixture(Self.failing, store).run()
    var wish = ResumePlan.Wish()
    wish.only = [3]
    await #expect(throws: ResumePlan.Refusal.needs(3, 2)) { try await resume(Self.mended, store, wish) }
  }

  @Test func `a run can be read and resumed after a step was removed from the file`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    _ = try await fixture(
      [Step("a", "probe.note"), Step("b", "probe.note"), Step("c", "flow.fail", with: ["message": "no"])], store,
      probe: probe
    ).run()
    let before = try WorkflowGraph(
      Workflow(
        name: "test",
        steps: [Step("a", "probe.note"), Step("b", "probe.note"), Step("c", "flow.fail", with: ["message": "no"])]))
    let fewer = [Step("c", "flow.fail", with: ["message": "no"]), Step("b", "probe.note")]
    let registry = ActionRegistry([BasicsPlugin(), probe])
    let prepared = try PreparedWorkflow(WorkflowGraph(Workflow(name: "test", steps: fewer)), registry: registry)
    let stored = try #require(try store.runs(RunFilter()).first)
    let first = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: 3)
    let plan = try ResumePlan(first, of: before, as: prepared, ResumePlan.Wish())
    let run = try Engine(registry: registry).resume(
      stored.id, as: prepared, plan, in: store, Self.history(store),
      options: .ofTest)
    #expect(await run.report.conclusion == .failure)
    let (again, _) = try await resume(fewer, store, probe: probe)
    #expect(again.fates == [.again(.ended(.failure)), .kept])
    #expect(probe.diary.counts == ["a": 1, "b": 1])
  }

  @Test func `a journal contains all processes of the run, and the steps that the last process kept`() async throws {
    let store = MemoryRunStore()
    _ = try await fixture(Self.failing, store).run()
    for _ in 0..<2 { _ = try await resume(Self.failing, store) }
    let stored = try #require(try store.runs(RunFilter()).first)
    let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: 4)
    #expect(recollection.epochs.map(\.epoch) == [1, 2, 3])
    #expect(recollection.epochs.allSatisfy { $0.holder.host == "here" && $0.startedMilliseconds > 0 })
    #expect(recollection.kept == [0])
  }

  @Test func `a resume treats a step as changed if the program of its plugin has changed`() async throws {
    let store = MemoryRunStore()
    var fixture = fixture(Self.failing, store)
    fixture.change = { options in
      var history = Self.history(store)
      history.programs = { ["probe": "before"] }
      options.history = history
    }
    _ = try await fixture.run()
    let stored = try #require(try store.runs(RunFilter()).first)
    let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: 4)
    let graph = try WorkflowGraph(Workflow(name: "test", steps: Self.failing))
    let prepared = try PreparedWorkflow(graph, registry: ActionRegistry([BasicsPlugin(), ProbePlugin()]))
    #expect(throws: ResumePlan.Refusal.changed([0])) {
      _ = try ResumePlan(recollection, of: nil, as: prepared, programs: ["probe": "after"], ResumePlan.Wish())
    }
    let same = try ResumePlan(recollection, of: nil, as: prepared, programs: ["probe": "before"], ResumePlan.Wish())
    #expect(same.fates[0] == .kept)
  }
}
