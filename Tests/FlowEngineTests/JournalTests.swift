import BasicsPlugin
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowTestKit
import Testing

/// Records of runs, and resumes that read them.
struct `A journal` {
  static func history(_ store: any RunStore, isDurable: Bool = false) -> RunHistory {
    var history = RunHistory(
      file: "/trial.yaml", definition: [1], holder: RunHolder(process: 1, host: "here")
    ) { (_) throws(StoreProblem) in store }
    history.isDurable = isDurable
    return history
  }

  func fixture(
    _ steps: [Step], _ store: any RunStore, isDurable: Bool = false, probe: ProbePlugin = ProbePlugin()
  )
    -> EngineFixture
  {
    var fixture = EngineFixture(steps)
    fixture.plugins = [BasicsPlugin(), probe, WitnessPlugin(store: store)]
    fixture.change = { $0.history = Self.history(store, isDurable: isDurable) }
    return fixture
  }

  /// Resumes the only run in a store.
  func resume(
    _ steps: [Step], _ store: any RunStore, isDurable: Bool = false, probe: ProbePlugin = ProbePlugin(),
    _ wish: ResumePlan.Wish = ResumePlan.Wish()
  ) async throws -> (plan: ResumePlan, report: RunReport) {
    let graph = try WorkflowGraph(Workflow(name: "test", steps: steps))
    let registry = ActionRegistry([BasicsPlugin(), probe, WitnessPlugin(store: store)])
    let stored = try #require(try store.runs(RunFilter()).first)
    let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: steps.count)
    let prepared = try PreparedWorkflow(graph, registry: registry)
    let plan = try ResumePlan(recollection, of: graph, as: prepared, wish)
    let run = try Engine(registry: registry).resume(
      stored.id, as: prepared, plan, in: store, Self.history(store, isDurable: isDurable),
      options: .ofTest)
    return (plan, await run.report)
  }

  @Test func `the journal of a short run is written once, at the end of the run`() async throws {
    let store = MemoryRunStore()
    let report = try await fixture([Step("a"), Step("b", needs: [0])], store).run()
    let stored = try #require(try store.runs(RunFilter()).first)
    #expect(stored.id == report.runID && stored.state == .success && store.chunkCount == 1)
    let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: 2)
    #expect(recollection.header.launch.reason == .user)
  }

  @Test func `a journal contains every step once, with its times, in the order in which the steps ended`()
    async throws
  {
    let store = MemoryRunStore()
    let steps = (0..<7_000).map { index in
      let needs: [StepIndex] = index % 3 == 0 ? [] : [StepIndex(index - 1)]
      return Step("s\(index)", needs: needs)
    }
    let report = try await fixture(steps, store).run()
    let stored = try #require(try store.runs(RunFilter()).first)
    let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: steps.count)
    var seen: Set<StepIndex> = []
    for (finished, failure) in recollection.finishedSteps {
      let step = finished.task.step
      #expect(finished.outcome == .success && failure == nil && seen.insert(step).inserted)
      let need = step - 1
      if step % 3 != 0 { #expect(seen.contains(need)) }
    }
    #expect(seen.count == steps.count)
    let again = RunReport(recollection, of: try WorkflowGraph(Workflow(name: "test", steps: steps)), stored)
    for (own, other) in zip(report.steps, again.steps)
    where own.endedAt != other.endedAt || own.startedAt != other.startedAt {
      Issue.record("\(own.id)")
    }
  }

  @Test func `the successful steps in a journal can be named only with the definition of the run`() async throws {
    let store = MemoryRunStore()
    let steps = [
      Step("a"), Step("b", "flow.fail", with: ["message": "no"], needs: [0]), Step("c", needs: [1]), Step("d"),
    ]
    _ = try await fixture(steps, store).run()
    let stored = try #require(try store.runs(RunFilter()).first)
    #expect(RunRecollection.successes(of: stored, in: store) { _ in ["a", "b", "c", "d"] } == ["a", "d"])
    #expect(RunRecollection.successes(of: stored, in: store) { _ in nil } == [])
    #expect(RunRecollection.successes(of: stored, in: store) { _ in ["a"] } == [], "of another definition")
  }

  @Test func `a journal that cannot be written causes one warning and does not fail the run`() async throws {
    let report = try await fixture([Step("a")], MemoryRunStore(failingAfter: 0)).run()
    #expect(report.conclusion == .success)
    #expect(report.warnings == ["history: the run store 'memory' cannot be used: the disk is full"])
  }

  @Test func `a resume keeps the successful steps in the journal and runs the others again`() async throws {
    let store = MemoryRunStore()
    let probe = ProbePlugin()
    let steps = [
      Step("kept", "probe.note"), Step("fails", "flow.fail", with: ["message": "no"], needs: [0]),
      Step("behind", "probe.note", needs: [1]), Step("beside", "probe.note"),
    ]
    let first = try await fixture(steps, store, probe: probe).run()
    #expect(first.conclusion == .failure)
    let (plan, report) = try await resume(steps, store, probe: probe)
    #expect(plan.fates == [.kept, .again(.ended(.failure)), .again(.ended(.skipped)), .kept])
    #expect(report.runID == first.runID)
    #expect(report["fails"].attempts == 2)
    #expect(probe.diary.counts == ["kept": 1, "beside": 1])
  }

  @Test func `a journal stays unchanged when a claim is released, so that the run can be claimed again`() async throws {
    let store = MemoryRunStore()
    let steps = [Step("kept"), Step("fails", "flow.fail", with: ["message": "no"], needs: [0])]
    _ = try await fixture(steps, store).run()
    let before = try #require(try store.runs(RunFilter()).first)
    let chunks = try store.chunks(of: before.id)
    let registry = ActionRegistry([BasicsPlugin()])
    let graph = try WorkflowGraph(Workflow(name: "test", steps: steps))
    let prepared = try PreparedWorkflow(graph, registry: registry)
    let plan = try ResumePlan(
      RunRecollection(before, chunks: chunks, stepCount: 2), of: graph, as: prepared, ResumePlan.Wish())
    func claim() throws -> ClaimedRun {
      try Engine(registry: registry).claim(
        before.id, as: prepared, plan, in: store, Self.history(store),
        options: .ofTest)
    }
    let first = try claim()
    #expect(try store.chunks(of: before.id) == chunks, "a claim writes nothing")
    #expect(throws: StoreProblem.self) { try claim() }
    first.giveBack()
    #expect(try store.run(before.id) == before)
    let report = try await claim().start().report
    #expect(report["fails"].attempts == 2)
    #expect(try store.run(before.id)?.epoch == 2)
  }

  @Test func `steps that run again in a resume receive the outputs of kept steps from the journal`() async throws {
    let store = MemoryRunStore()
    let steps = [
      Step("set", "flow.set", with: ["values": ["word": "hello"]]),
      Step("fails", "flow.fail", with: ["message": "${{ steps.set.outputs.word }}"], needs: [0]),
    ]
    _ = try await fixture(steps, store).run()
    let (plan, report) = try await resume(steps, store)
    #expect(plan.fates[0] == .kept)
    #expect(report["fails"].failure?.message == "hello")
  }

  @Test func `a resume can start from a selected step, which then uses a new key`() async throws {
    let store = MemoryRunStore()
    let steps = [Step("a", "witness.key"), Step("b", "witness.key", needs: [0]), Step("c", "witness.key")]
    _ = try await fixture(steps, store).run()
    var wish = ResumePlan.Wish()
    wish.from = [0]
    let (plan, report) = try await resume(steps, store, wish)
    #expect(plan.fates == [.again(.chosen), .again(.needs(0)), .kept])
    let outputs = try RunRecollection(
      #require(try store.runs(RunFilter()).first), chunks: store.chunks(of: report.runID), stepCount: 3)
    let graph = try WorkflowGraph(Workflow(name: "test", steps: steps))
    let keys = outputs.outputs(of: graph)
    #expect(keys["a"]?.objectValue?["key"]?.stringValue == "\(report.runID)/a~1")
    #expect(keys["c"]?.objectValue?["key"]?.stringValue == "\(report.runID)/c")
    #expect(report["a"].attempts == 1)
  }

  @Test func `a resume is refused if a successful step has changed, unless an option keeps or repeats it`()
    async throws
  {
    let store = MemoryRunStore()
    let steps = [
      Step("a", "flow.set", with: ["values": ["word": "x"]]), Step("b", "flow.fail", with: ["message": "no"]),
    ]
    _ = try await fixture(steps, store).run()
    let before = try WorkflowGraph(Workflow(name: "test", steps: steps))
    let changed = [
      Step("b", "flow.fail", with: ["message": "no"]), Step("a", "flow.set", with: ["values": ["word": "y"]]),
    ]
    let registry = ActionRegistry([BasicsPlugin()])
    let prepared = try PreparedWorkflow(WorkflowGraph(Workflow(name: "test", steps: changed)), registry: registry)
    let stored = try #require(try store.runs(RunFilter()).first)
    let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: 2)
    var wish = ResumePlan.Wish()
    #expect(throws: ResumePlan.Refusal.changed([1])) {
      _ = try ResumePlan(recollection, of: before, as: prepared, wish)
    }
    wish.changes = .keep
    #expect(try ResumePlan(recollection, of: before, as: prepared, wish).fates == [.again(.ended(.failure)), .kept])
    wish.changes = .rerun
    #expect(
      try ResumePlan(recollection, of: before, as: prepared, wish).fates
        == [.again(.ended(.failure)), .again(.changed)])
  }

  @Test func `a resume repeats a step whose effects were lost if another step needs them`() async throws {
    let store = MemoryRunStore()
    let steps = [
      Step("open", "witness.open"), Step("used", "probe.note", needs: [0]),
      Step("fails", "flow.fail", with: ["message": "no"], needs: [1]), Step("unneeded", "witness.open"),
    ]
    _ = try await fixture(steps, store).run()
    let (plan, _) = try await resume(steps, store)
    #expect(plan.fates == [.again(.gone), .kept, .again(.ended(.failure)), .kept])
  }

  @Test func `a resume does not repeat an interrupted attempt if the step must run only once`() throws {
    let steps = [Step("a"), Step("b") { $0.onInterrupt = .fail }, Step("c", needs: [1])]
    var writer = EntryWriter()
    writer.add(.activated(Resolution(), atNanoseconds: 0))
    writer.add(.started(TaskInstance(0), attempt: 1, atNanoseconds: 1))
    writer.add(.started(TaskInstance(1), attempt: 1, atNanoseconds: 2))
    let chunk = RunChunk(.entries, wallMilliseconds: 1, runNanoseconds: 3, body: writer.bytes).bytes
    let stored = StoredRun(
      id: "x", workflow: "test", file: "/w", startedMilliseconds: 1, state: .interrupted, epoch: 1,
      holder: RunHolder(process: 1, host: "here"), header: RunHeader().bytes)
    let graph = try WorkflowGraph(Workflow(name: "test", steps: steps))
    let prepared = try PreparedWorkflow(graph, registry: ActionRegistry([BasicsPlugin()]))
    let recollection = try RunRecollection(stored, chunks: [chunk], stepCount: 3)
    var wish = ResumePlan.Wish()
    #expect(
      try ResumePlan(recollection, of: graph, as: prepared, wish).fates
        == [.again(.unfinished), .failed, .again(.unfinished)])
    wish.from = [1]
    #expect(
      try ResumePlan(recollection, of: graph, as: prepared, wish).fates
        == [.again(.unfinished), .again(.chosen), .again(.unfinished)])
  }

  @Test func `a journal of version 0.9.0 can be read, but lacks the end times of work and the sources of events`()
    throws
  {
    let task = TaskInstance(1)
    let finished = FinishedEntry(
      task, attempts: 1, outcome: .success, readyAt: 10, startedAt: 20, endedAt: 300, workEndedAt: 70)
    let item = FinishedEntry(
      TaskInstance(2, item: 3), attempts: 2, outcome: .failure, readyAt: .min, startedAt: 20, endedAt: 400,
      workEndedAt: 390)
    let entries: [JournalEntry] = [
      .finished(finished, nil), .posted("door", by: .step(1), atNanoseconds: 310),
      .posted("door", by: .outside, atNanoseconds: 320), .posted("bell", by: .unknown, atNanoseconds: 330),
      .finished(item, StepFailure(code: "c", message: "m")),
      .outlasted(TaskInstance(2, item: 3), overrunNanoseconds: 17, isAbandoned: false),
      .outlasted(task, overrunNanoseconds: nil, isAbandoned: true),
      .lost(TaskInstance(2, item: 3), attempt: 2, StepFailure(code: "l", message: "m"), atNanoseconds: 500),
    ]
    var writer = EntryWriter()
    for entry in entries { writer.add(entry) }
    var reader = EntryReader(writer.bytes, stepCount: 3)
    for entry in entries { #expect(try reader.next() == .entry(entry)) }
    #expect(try reader.next() == nil)
    // 0.9.0 wrote these bytes for a step that ended at 300 after a minimum, and for a post.
    let old: [UInt8] = [1, 2, 20, 20, 0xB0, 4, 5, 20, 4, 0x64, 0x6F, 0x6F, 0x72]
    reader = EntryReader(old, stepCount: 3)
    var before = finished
    before.workEndedAt = .min
    #expect(try reader.next() == .entry(.finished(before, nil)))
    #expect(try reader.next() == .entry(.posted("door", by: .unknown, atNanoseconds: 310)))
  }

  @Test func `the journal of a durable run contains the start of each step before its body begins`() async throws {
    let store = MemoryRunStore()
    let steps = (0..<40).map { Step("s\($0)", "witness.look", needs: $0 >= 4 ? [StepIndex($0 - 4)] : []) }
    let report = try await fixture(steps, store, isDurable: true).run()
    #expect(report.conclusion == .success, "\(report.steps.compactMap(\.failure).prefix(3))")
    #expect(try store.runs(RunFilter()).first?.state == .success)
  }

  @Test(arguments: 0..<12)
  func `a durable run ends without lost or repeated steps if its journal can no longer be written`(writes: Int)
    async throws
  {
    let store = MemoryRunStore(failingAfter: writes)
    let probe = ProbePlugin()
    let steps = (0..<6).map { Step("s\($0)", "probe.note", needs: $0 > 0 ? [StepIndex($0 - 1)] : []) }
    let fixture = fixture(steps, store, isDurable: true, probe: probe)
    let report = try await fixture.run()
    guard report.conclusion != .success else { return #expect(writes >= 7) }
    #expect(report.conclusion == .failure)
    #expect(report.warnings.contains { $0.contains("the disk is full") })
    // There is nothing to resume if the run was never written.
    guard writes > 0 else { return #expect(probe.diary.count == 0) }
    store.repair()
    let first = probe.diary.counts
    let (plan, resumed) = try await resume(steps, store, isDurable: true, probe: probe)
    #expect(resumed.conclusion == .success)
    for (index, fate) in plan.fates.enumerated() {
      let ran = (probe.diary.counts["s\(index)"] ?? 0) - (first["s\(index)"] ?? 0)
      #expect(ran == (fate == .kept ? 0 : 1))
    }
  }
}

/// Actions that read the store of their own run.
private struct WitnessPlugin: Plugin {
  static let name = "witness"
  let store: any RunStore
  var actions: [any ActionType.Type] { [Look.self, Key.self, Open.self] }
  var handles: [PluginHandle] { [PluginHandle("store", Box(store: store))] }

  struct Box: Sendable {
    let store: any RunStore
  }

  /// Fails unless the store contains the start of its step.
  struct Look: Action {
    static let name = "witness.look"
    static let summary = "Looks whether its start is written"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      let box: Box = try context.handle("store")
      for bytes in try box.store.chunks(of: context.run.id) {
        var reader = EntryReader(try RunChunk(bytes).body, stepCount: 1000)
        while let item = try reader.next() {
          if case .entry(.started(TaskInstance(context.step), attempt: context.attempt, atNanoseconds: _)) = item {
            return NoOutput()
          }
        }
      }
      throw ActionError("too-early", "it began before that was written", isRetryable: false)
    }
  }

  /// Returns the idempotency key of its step.
  struct Key: Action {
    static let name = "witness.key"
    static let summary = "Gives its key"
    struct Output: ActionOutput { var key: String }
    func run(_ input: NoInput, in context: ActionContext) throws -> Output { Output(key: context.idempotencyKey) }
  }

  /// Provides a handle, which ends with the process.
  struct Open: Action {
    static let name = "witness.open"
    static let summary = "Provides something"
    static let provides: [HandleKey] = ["thing"]
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      context.provide("thing", 1)
      return NoOutput()
    }
  }
}
