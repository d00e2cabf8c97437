import BasicsPlugin
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowTestKit
import Synchronization
import Testing

/// A resumed step keeps some items. Others run again, some with a new idempotency key.
@Suite(.timeLimit(.minutes(10))) struct `A resume of a step with items` {
  @Test func `a resume uses a new key for an item if its index belonged to a different item`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y"])
    #expect(trial.ledger.take() == ["each[0] x 1", "each[1] y 1"])
    try await trial.resume(["y", "x"], from: "list")
    #expect(trial.ledger.take() == ["each[0]~1 y 1", "each[1]~1 x 1"])
    // An index that is used again must not use its old keys.
    try await trial.resume(["y"], from: "list")
    #expect(trial.ledger.take() == [])
    try await trial.resume(["y", "x", "z"], from: "list")
    #expect(trial.ledger.take() == ["each[1]~2 x 1", "each[2] z 1"])
    try await trial.resume(["y", "x", "z"], from: "each")
    #expect(trial.ledger.take() == ["each[0]~2 y 1", "each[1]~3 x 1", "each[2]~1 z 1"])
  }

  @Test func `a resume uses a new key for a different item even if the previous item failed`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y"], failing: ["y"])
    #expect(trial.ledger.take() == ["each[0] x 1", "each[1] y 1"])
    try await trial.resume(["x", "z"], from: "list")
    #expect(trial.ledger.take() == ["each[1]~1 z 1"])
  }

  @Test func `a resume continues the attempts of a failed item under the same key`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y"], failing: ["y"])
    try await trial.resume(["x", "y"], failing: ["y"])
    try await trial.resume(["x", "y"], failing: ["y"])
    #expect(trial.ledger.take() == ["each[0] x 1", "each[1] y 1", "each[1] y 2", "each[1] y 3"])
  }

  @Test func `a resume repeats all items of a changed step, with new keys for the items that succeeded`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y", "z"], failing: ["z"])
    _ = trial.ledger.take()
    await #expect(throws: ResumePlan.Refusal.changed([1])) {
      try await trial.resume(["x", "y", "z"], definition: "new")
    }
    let plan = try await trial.resume(["x", "y", "z"], definition: "new", changes: .rerun)
    #expect(plan.fates[1] == .again(.changed) && plan.keptItems[1]?.count == 0)
    #expect(trial.ledger.take() == ["each[0]~1 x 1", "each[1]~1 y 1", "each[2] z 2"])
  }

  @Test func `a resume keeps the items of a changed step on request`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y"], failing: ["y"])
    _ = trial.ledger.take()
    let plan = try await trial.resume(["x", "y"], definition: "new", changes: .keep)
    #expect(plan.keptItems[1]?.count == 1 && trial.ledger.take() == ["each[1] y 2"])
    #expect(trial.outputs == ["old", "new"])
  }

  @Test func `a resume runs all items of a changed step again if their list is evaluated again`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y"])
    _ = trial.ledger.take()
    let plan = try await trial.resume(["x", "y"], from: "list", definition: "new")
    #expect(plan.keptItems[1]?.count == 0)
    #expect(trial.ledger.take() == ["each[0]~1 x 1", "each[1]~1 y 1"])
    #expect(trial.outputs == ["new", "new"])
  }

  @Test func `a resume runs a changed step again, without requiring an option, if all its items failed`() async throws {
    let trial = Trial()
    try await trial.run(["x"], failing: ["x"])
    let plan = try await trial.resume(["x"], definition: "new")
    #expect(plan.keptItems.isEmpty && trial.ledger.take() == ["each[0] x 1", "each[0] x 2"])
  }

  @Test func `a resume uses new keys for the items of a step that was removed from the file and added again`()
    async throws
  {
    let trial = Trial()
    try await trial.run(["x", "y"], failing: ["y"])
    try await trial.resume(["x", "y"], without: "each")
    _ = trial.ledger.take()
    try await trial.resume(["z", "y", "u"], from: "list", definition: "new")
    #expect(trial.ledger.take() == ["each[0]~1 z 1", "each[1]~1 y 1", "each[2] u 1"])
    try await trial.resume(["z", "y", "u"], without: "each")
    try await trial.resume(["z", "y", "u"], from: "list", without: "each")
    try await trial.resume(["z", "y", "u"])
    #expect(trial.ledger.take() == ["each[0]~2 z 1", "each[1]~2 y 1", "each[2]~1 u 1"])
  }

  @Test func `a resume plan's number of kept items is certain only if the list is not evaluated again`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y", "z"], failing: ["z"])
    let same = try trial.plan(["x", "y", "z"])
    #expect(same.keptItems[1]?.count == 2 && same.keptItems[1]?.isCertain == true)
    let again = try trial.plan(["x", "y", "z"], from: "list")
    #expect(again.keptItems[1]?.count == 2 && again.keptItems[1]?.isCertain == false)
  }

  @Test func `a resume of only one step runs its failed items again, or all its items if none failed`()
    async throws
  {
    let trial = Trial()
    try await trial.run(["x", "y"], failing: ["y"])
    _ = trial.ledger.take()
    try await trial.resume(["x", "y"], only: "each")
    #expect(trial.ledger.take() == ["each[1] y 2"])
    let plan = try await trial.resume(["x", "y"], only: "each")
    #expect(plan.keptItems[1]?.count == 0)
    #expect(trial.ledger.take() == ["each[0]~1 x 1", "each[1]~1 y 1"])
  }

  @Test func `a resume does not return the outputs of an earlier item with the same index`() async throws {
    let trial = Trial()
    try await trial.run(["x", "mute"])
    #expect(trial.outputs == ["old", nil])
    try await trial.resume(["mute", "mute"], from: "list")
    #expect(trial.outputs == nil, "no item gave any")
    try await trial.resume(["mute", "mute", "z"], from: "list")
    #expect(trial.outputs == [nil, nil, "old"])
  }

  @Test func `a resume treats large numbers that differ as different items`() async throws {
    let trial = Trial()
    try await trial.run([.integer(9_007_199_254_740_992)])
    _ = trial.ledger.take()
    try await trial.resume([.integer(9_007_199_254_740_993)], from: "list")
    #expect(trial.ledger.take() == ["each[0]~1 9007199254740993 1"])
  }

  @Test func `the outcome of each item is reported even after resumes with other lists`() async throws {
    let trial = Trial()
    try await trial.run(["x", "y"])
    try await trial.resume(["x"], from: "list")
    try await trial.resume(["x", "z", "u"], from: "list")
    let report = try trial.report()
    #expect(report["each"].items?.map(\.outcome) == [.success, .success, .success])
  }

  @Test func `a resume does not repeat an interrupted item that must run only once`() throws {
    let items: [JournalEntry] = [
      .expanded(0, hashes: [1, 2, 3], atNanoseconds: 1),
      .finished(
        FinishedEntry(
          TaskInstance(0, item: 0), attempts: 1, outcome: .success, readyAt: 1, startedAt: 1, endedAt: 2), nil),
      .started(TaskInstance(0, item: 1), attempt: 1, atNanoseconds: 3),
    ]
    let eager = try Self.plan(items, isFailFast: true)
    #expect(eager.fates == [.failed, .again(.unfinished)])
    #expect(eager.interruptedItems == [0: [1]] && eager.heldBack == [1])
    let patient = try Self.plan(items, isFailFast: false)
    #expect(patient.fates[0] == .again(.unfinished), "its third item may run")
    #expect(patient.interruptedItems == [0: [1]] && patient.keptItems[0]?.count == 1)
    var wish = ResumePlan.Wish()
    wish.items = [0: [1]]
    let named = try Self.plan(items, isFailFast: true, wish)
    #expect(named.fates[0] == .again(.chosen) && named.interruptedItems.isEmpty)
  }

  @Test func `a resume runs all items again if their step is in finally or acts on the process`() throws {
    let items: [JournalEntry] = [
      .expanded(0, hashes: [1, 2, 3], atNanoseconds: 1),
      .finished(
        FinishedEntry(
          TaskInstance(0, item: 0), attempts: 1, outcome: .success, readyAt: 1, startedAt: 1, endedAt: 2), nil),
    ]
    #expect(try Self.plan(items, isFailFast: true).keptItems[0]?.count == 1)
    #expect(try Self.plan(items, isFailFast: true, isFinal: true).keptItems[0]?.count == 0)
    #expect(try Self.plan(items, isFailFast: true, uses: "mood.lift").keptItems[0]?.count == 0)
  }

  private static func plan(
    _ items: [JournalEntry], isFailFast: Bool, isFinal: Bool = false, uses: String = "flow.noop",
    _ wish: ResumePlan.Wish = ResumePlan.Wish()
  ) throws -> ResumePlan {
    let each = Step("each", uses) {
      $0.isFinal = isFinal
      $0.onInterrupt = .fail
      $0.fanOut = FanOut(.items([1, 2, 3]))
      $0.fanOut?.isFailFast = isFailFast
    }
    var writer = EntryWriter()
    for entry in [.activated(Resolution(), atNanoseconds: 0)] + items { writer.add(entry) }
    let chunk = RunChunk(.entries, wallMilliseconds: 1, runNanoseconds: 3, body: writer.bytes).bytes
    let stored = StoredRun(
      id: "x", workflow: "test", file: "/w", startedMilliseconds: 1, state: .interrupted, epoch: 1,
      holder: RunHolder(process: 1, host: "here"), header: RunHeader().bytes)
    let graph = try WorkflowGraph(Workflow(name: "test", steps: [each, Step("behind", needs: [0])]))
    let prepared = try PreparedWorkflow(graph, registry: ActionRegistry([BasicsPlugin(), MoodPlugin()]))
    return try ResumePlan(RunRecollection(stored, chunks: [chunk], stepCount: 2), of: graph, as: prepared, wish)
  }
}

/// A run of a list and of a step for each of its elements, which can be resumed.
private final class Trial {
  let ledger = Ledger()
  private let store = MemoryRunStore()
  private var before: [Step] = []

  /// The output `text` of each item in the last run or resume.
  private(set) var outputs: Value = nil

  private func steps(_ list: Value, _ definition: String, without left: String? = nil) -> [Step] {
    let each = Step(
      "each", "ledger.write", with: ["value": "${{ item }}", "definition": .string(definition)], needs: [0]
    ) {
      $0.fanOut = FanOut(.items("${{ steps.list.outputs.items }}"))
      $0.fanOut?.isFailFast = false
    }
    ledger.list = list
    return [Step("list", "ledger.list", with: ["key": "items"]), each, Step("other", "ledger.fail")].filter {
      $0.id.text != left
    }
  }

  private static let outputs: ValueObject = ["all": "${{ steps.each.outputs.text }}"]

  private func workflow(_ steps: [Step]) throws -> WorkflowGraph {
    var workflow = Workflow(name: "test", steps: steps)
    if steps.contains(where: { $0.id.text == "each" }) { workflow.outputs = Self.outputs }
    return try WorkflowGraph(workflow)
  }

  func run(_ list: Value, failing: Set<String> = []) async throws {
    ledger.failing = failing
    before = steps(list, "old")
    var fixture = EngineFixture(before)
    fixture.workflow.outputs = Self.outputs
    fixture.plugins = [LedgerPlugin(ledger: ledger)]
    fixture.change = { [store] in $0.history = Self.history(store) }
    outputs = try await fixture.run().outputs["all"] ?? nil
  }

  private static func history(_ store: any RunStore) -> RunHistory {
    RunHistory(file: "/trial.yaml", definition: [1], holder: RunHolder(process: 1, host: "here")) {
      (_) throws(StoreProblem) in store
    }
  }

  func plan(
    _ list: Value, from: String? = nil, only: String? = nil, definition: String = "old",
    changes: ResumePlan.Changes = .refuse, without left: String? = nil
  ) throws -> ResumePlan {
    var wish = ResumePlan.Wish()
    if let from { wish.from = [from == "list" ? 0 : 1] }
    if let only { wish.only = [only == "list" ? 0 : 1] }
    wish.changes = changes
    let prepared = try PreparedWorkflow(
      workflow(steps(list, definition, without: left)), registry: ActionRegistry([LedgerPlugin(ledger: ledger)]))
    return try ResumePlan(recollection(), of: workflow(before), as: prepared, wish)
  }

  @discardableResult
  func resume(
    _ list: Value, failing: Set<String> = [], from: String? = nil, only: String? = nil, definition: String = "old",
    changes: ResumePlan.Changes = .refuse, without left: String? = nil
  ) async throws -> ResumePlan {
    ledger.failing = failing
    let plan = try plan(list, from: from, only: only, definition: definition, changes: changes, without: left)
    before = steps(list, definition, without: left)
    let registry = ActionRegistry([LedgerPlugin(ledger: ledger)])
    let run = try Engine(registry: registry).resume(
      stored().id, as: PreparedWorkflow(workflow(before), registry: registry), plan, in: store, Self.history(store),
      options: .ofTest)
    outputs = await run.report.outputs["all"] ?? nil
    return plan
  }

  func report() throws -> RunReport { RunReport(try recollection(), of: try workflow(before), try stored()) }

  private func stored() throws -> StoredRun { try #require(try store.runs(RunFilter()).first) }

  private func recollection() throws -> RunRecollection {
    let stored = try stored()
    return try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: before.count)
  }
}

/// A record of the calls to a service that recognizes idempotency keys.
private final class Ledger: Sendable {
  private struct State {
    var lines: [String] = []
    var failing: Set<String> = []
    var list: Value = nil
  }

  private let state = Mutex(State())

  var failing: Set<String> {
    get { state.withLock { $0.failing } }
    set { state.withLock { $0.failing = newValue } }
  }

  var list: Value {
    get { state.withLock { $0.list } }
    set { state.withLock { $0.list = newValue } }
  }

  func add(_ line: String) { state.withLock { $0.lines.append(line) } }

  /// Returns the calls since this method was last called, each as key, value and attempt.
  func take() -> [String] {
    state.withLock { state in
      defer { state.lines = [] }
      return state.lines.sorted()
    }
  }
}

extension HandleKey {
  fileprivate static let ledger: HandleKey = "ledger"
}

/// A plugin with an action whose effects end with the process.
private struct MoodPlugin: Plugin {
  static let name = "mood"
  var actions: [any ActionType.Type] { [Lift.self] }

  struct Lift: Action {
    static let name = "mood.lift"
    static let summary = "Changes the process"
    static let effect = ActionEffect.process
    func run(_ input: NoInput, in context: ActionContext) -> NoOutput { NoOutput() }
  }
}

private struct LedgerPlugin: Plugin {
  static let name = "ledger"
  let ledger: Ledger
  var actions: [any ActionType.Type] { [List.self, Write.self, Fail.self] }
  var handles: [PluginHandle] { [PluginHandle(.ledger, ledger)] }

  /// Returns the list that the test has set. The list is not part of the step's definition.
  struct List: Action {
    static let name = "ledger.list"
    static let summary = "Gives a list"
    struct Input: ActionInput { @Field("The output's name") var key: String }
    typealias Output = AnyOutput
    func run(_ input: Input, in context: ActionContext) throws -> AnyOutput {
      let ledger: Ledger = try context.handle(.ledger)
      return AnyOutput([input.key: ledger.list])
    }
  }

  /// Always fails, so that there is something to resume.
  struct Fail: Action {
    static let name = "ledger.fail"
    static let summary = "Fails"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      throw ActionError("told-to", "it always fails")
    }
  }

  /// Records its idempotency key. Returns its definition, or nothing for the value `mute`.
  struct Write: Action {
    static let name = "ledger.write"
    static let summary = "Notes its key"
    struct Input: ActionInput {
      @Field("A value") var value: Value
      @Field("What it gives") var definition: String
    }
    typealias Output = AnyOutput
    func run(_ input: Input, in context: ActionContext) throws -> AnyOutput {
      let ledger: Ledger = try context.handle(.ledger)
      let value = input.value.stringValue ?? JSONText.write(input.value)
      ledger.add("\(context.idempotencyKey.drop { $0 != "/" }.dropFirst()) \(value) \(context.attempt)")
      if ledger.failing.contains(value) { throw ActionError("told-to", "\(value) fails") }
      return AnyOutput(value == "mute" ? [:] : ["text": .string(input.definition)])
    }
  }
}
