import BasicsPlugin
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowTestKit
import Synchronization
import Testing

/// Steps that run for several items, on real threads.
@Suite(.timeLimit(.minutes(10))) struct `A step with items` {
  private func setting(_ items: Value, _ change: @escaping (inout StepOptions) -> Void = { _ in }) -> Step {
    Step("each", "flow.set", with: ["values": ["got": "${{ item }}", "at": "${{ index }}"]]) {
      $0.fanOut = FanOut(.items(items))
      change(&$0)
    }
  }

  private func numbered(_ numbers: Range<Int>, _ change: (inout StepOptions) -> Void = { _ in }) -> Step {
    Step("each", "count.work", with: ["number": "${{ item }}"]) {
      $0.fanOut = FanOut(.items(.array(numbers.map { .integer($0) })))
      change(&$0)
    }
  }

  private func run(_ steps: [Step], outputs: ValueObject) async throws -> RunReport {
    var fixture = EngineFixture(steps)
    fixture.workflow.outputs = outputs
    return try await fixture.run()
  }

  @Test func `a step with items returns the outputs of its items in order`() async throws {
    let report = try await run([setting(["a", "b", "c"])], outputs: ["all": "${{ steps.each.outputs }}"])
    #expect(report.conclusion == .success)
    #expect(report.outputs["all"] == ["got": ["a", "b", "c"], "at": [0, 1, 2]])
    #expect(report.steps[0].items?.map(\.outcome) == [.success, .success, .success])
  }

  @Test func `a step with items evaluates its list after its dependencies have finished`() async throws {
    let list = Step("list", "flow.set", with: ["values": ["files": ["x", "y"]]])
    var each = setting("${{ steps.list.outputs.files }}")
    each.needs = [0]
    let report = try await run([list, each], outputs: ["got": "${{ steps.each.outputs.got }}"])
    #expect(report.outputs["got"] == ["x", "y"])
  }

  @Test(arguments: ["3", "'text'", "null", "true"])
  func `a step fails if its foreach is not a list`(value: String) async throws {
    let report = try await run(
      [setting(.string("${{ fromJSON('\(value.replacing("'", with: "\""))') }}"))], outputs: [:])
    #expect(report.steps[0].failure?.code == "not-a-list")
    #expect(report.conclusion == .failure)
  }

  @Test func `a condition on the item is evaluated once per item, and skips the items for which it is false`()
    async throws
  {
    let report = try await run(
      [setting([1, 5, 9]) { $0.condition = "item > 3" }], outputs: ["got": "${{ steps.each.outputs.got }}"])
    #expect(report.outputs["got"] == [nil, 5, 9])
    #expect(report.steps[0].items?.map(\.reason) == [.condition, nil, nil])
    let none = try await run([setting([1, 2]) { $0.condition = "item > 3" }], outputs: [:])
    #expect(none.conclusion == .success && none.steps[0].outcome == .success)
  }

  @Test func `a step with axes runs for every combination that is not excluded, in the order of the keys`() async throws
  {
    let axes = FanOut.Source.axes(
      ["os": ["mac", "linux"], "arch": ["arm", "x86"]], exclude: [["os": "mac", "arch": "x86"]],
      include: [])
    let step = Step("each", "flow.set", with: ["values": ["got": "${{ item.os }}-${{ item.arch }}"]]) {
      $0.fanOut = FanOut(axes)
    }
    let report = try await run([step], outputs: ["got": "${{ steps.each.outputs.got }}"])
    #expect(report.outputs["got"] == ["mac-arm", "linux-arm", "linux-x86"])
  }

  /// The example on GitHub's page about matrices.
  @Test func `included values are added to matching combinations, or become new combinations`() async throws {
    let axes = FanOut.Source.axes(
      ["fruit": ["apple", "pear"], "animal": ["cat", "dog"]], exclude: [],
      include: [
        ["color": "green"], ["color": "pink", "animal": "cat"], ["fruit": "apple", "shape": "circle"],
        ["fruit": "banana"], ["fruit": "banana", "animal": "cat"],
      ])
    let step = Step("each", "flow.set", with: ["values": ["got": "${{ item }}"]]) { $0.fanOut = FanOut(axes) }
    let report = try await run([step], outputs: ["got": "${{ steps.each.outputs.got }}"])
    #expect(
      report.outputs["got"] == [
        ["fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle"],
        ["fruit": "apple", "animal": "dog", "color": "green", "shape": "circle"],
        ["fruit": "pear", "animal": "cat", "color": "pink"], ["fruit": "pear", "animal": "dog", "color": "green"],
        ["fruit": "banana"], ["fruit": "banana", "animal": "cat"],
      ])
  }

  @Test func `included combinations are added after exclusions, even if none are left, and may contain expressions`()
    async throws
  {
    let axes = FanOut.Source.axes(
      ["os": ["mac", "linux"]], exclude: [["os": "mac"], ["os": "linux"]],
      include: [["os": "linux", "level": "${{ fromJSON('3') }}"], ["level": 1]])
    let step = Step("each", "flow.set", with: ["values": ["got": "${{ item }}"]]) { $0.fanOut = FanOut(axes) }
    let report = try await run([step], outputs: ["got": "${{ steps.each.outputs.got }}"])
    #expect(report.outputs["got"] == [["os": "linux", "level": 3], ["level": 1]])
  }

  @Test(arguments: [true, false])
  func `when an item fails, the other items of its step are cancelled, unless fail-fast is false`(isFailFast: Bool)
    async throws
  {
    let plugin = CountingPlugin()
    plugin.counter.counts.withLock { $0.failing = [1, 2, 3] }
    var fixture = EngineFixture([
      numbered(0..<4) {
        $0.condition = "item > 0"
        $0.fanOut?.parallel = 1
        $0.fanOut?.isFailFast = isFailFast
      }
    ])
    fixture.plugins = [plugin]
    let step = try await fixture.run().steps[0]
    #expect(step.outcome == .failure && step.failure?.code == "items-failed")
    if isFailFast {
      #expect(step.items?.map(\.outcome) == [.skipped, .failure, .skipped, .skipped])
      #expect(step.items?.map(\.reason) == [.condition, nil, .failFast, .failFast])
    } else {
      #expect(step.items?.map(\.outcome) == [.skipped, .failure, .failure, .failure])
      #expect(
        step.failure?.message == "3 of 4 items failed:\n  [1] 1 fails\n  [2] 2 fails\n  [3] 3 fails"
      )
    }
  }

  @Test func `a step never runs more items at once than parallel allows`() async throws {
    let plugin = CountingPlugin()
    var fixture = EngineFixture([numbered(0..<200) { $0.fanOut?.parallel = 3 }])
    fixture.plugins = [plugin]
    #expect(try await fixture.run().conclusion == .success)
    let counts = plugin.counter.counts.withLock { $0 }
    #expect(counts.most <= 3 && counts.ran.sorted() == Array(0..<200))
  }

  @Test func `a step fails if it has more than 100,000 items`() async throws {
    func list(_ count: Int) -> Value { .array((0..<count).map { .integer($0) }) }
    let step = { (count: Int) in Step("each") { $0.fanOut = FanOut(.items(list(count))) } }
    let most = try await run([step(100_000)], outputs: [:])
    #expect(most.conclusion == .success && most.steps[0].items?.count == 100_000)
    let over = try await run([step(100_001)], outputs: [:])
    #expect(over.steps[0].failure?.code == "too-many-items")
  }

  @Test func `a step fails if its items together return more than 64 MiB`() async throws {
    // Each item returns a little less than 1 MiB, so 64 of them fit and 65 do not.
    let step = { (count: Int) in
      Step("each", "count.give") { $0.fanOut = FanOut(.items(.array((0..<count).map { .integer($0) }))) }
    }
    for (count, outcome) in [(64, Outcome.success), (65, .failure)] {
      var fixture = EngineFixture([step(count)])
      fixture.plugins = [CountingPlugin()]
      let report = try await fixture.run()
      #expect(report.steps[0].outcome == outcome)
      #expect(report.steps[0].items?.contains { $0.failure?.code == "output-too-large" } == (outcome == .failure))
    }
  }

  /// Returns steps that post an event one after another.
  private func posters(_ count: Int, behind first: StepIndex) -> [Step] {
    (0..<count).map { number in
      Step(
        "post-\(number)", "flow.post", with: ["event": "saved"],
        needs: number == 0 ? [] : [first + StepIndex(number) - 1])
    }
  }

  @Test func `a step can run for each post of a repeating event, and the post is the item`() async throws {
    let each = Step(
      "each", "flow.set", with: ["values": ["got": "${{ item.name }} ${{ item.number }}", "at": "${{ item.at >= 0 }}"]]
    ) {
      $0.fanOut = FanOut(.posts(of: "saved"))
      $0.condition = "item.number != 2"
    }
    let after = Step("after", "flow.set", with: ["values": ["count": "${{ steps.each.outputs.got }}"]], needs: [0])
    var fixture = EngineFixture([each] + posters(4, behind: 1) + [after])
    fixture.workflow.events = [EventDeclaration("saved", repeats: true)]
    fixture.workflow.outputs = ["got": "${{ steps.after.outputs.count }}", "at": "${{ steps.each.outputs.at }}"]
    for _ in 0..<20 {
      let report = try await fixture.run()
      #expect(report.conclusion == .success)
      #expect(report.outputs["got"] == ["saved 1", nil, "saved 3", "saved 4"])
      #expect(report.outputs["at"] == [true, nil, true, true])
      #expect(report["each"].items?.map(\.reason) == [nil, .condition, nil, nil])
    }
  }

  @Test func `in a resume, a step runs again for posts whose items failed, and runs for new posts`() async throws {
    let store = MemoryRunStore()
    let plugin = CountingPlugin()
    plugin.counter.counts.withLock { $0.failing = [2] }
    var each = Step("each", "count.work", with: ["number": "${{ item.number }}"]) {
      $0.fanOut = FanOut(.posts(of: "saved"))
      $0.fanOut?.isFailFast = false
    }
    each.options.isOptional = false
    let steps = [each] + posters(3, behind: 1) + [Step("last", "flow.post", with: ["event": "saved"], needs: [3])]
    var workflow = Workflow(name: "test", steps: steps)
    workflow.events = [EventDeclaration("saved", repeats: true)]
    workflow.outputs = ["all": "${{ steps.each.outputs.number }}"]
    func history() -> RunHistory {
      RunHistory(file: "/trial.yaml", definition: [1], holder: RunHolder(process: 1, host: "here")) {
        (_) throws(StoreProblem) in store
      }
    }
    var fixture = EngineFixture(steps)
    fixture.workflow = workflow
    fixture.plugins = [BasicsPlugin(), plugin]
    fixture.change = { $0.history = history() }
    let first = try await fixture.run()
    #expect(first.conclusion == .failure && first["each"].items?.count == 4)
    plugin.counter.counts.withLock { ($0.failing, $0.ran) = ([], []) }
    let graph = try WorkflowGraph(workflow)
    let registry = ActionRegistry([BasicsPlugin(), plugin])
    func goOn(from steps: [StepIndex]) async throws -> RunReport {
      let stored = try #require(try store.runs(RunFilter()).first)
      let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: 5)
      #expect(recollection.plan(of: graph).items(of: 0).map(\.outcome).count >= 4)
      let prepared = try PreparedWorkflow(graph, registry: registry)
      var wish = ResumePlan.Wish()
      wish.from = steps
      let plan = try ResumePlan(recollection, of: graph, as: prepared, wish)
      let run = try Engine(registry: registry).resume(
        stored.id, as: prepared, plan, in: store, history(),
        options: .ofTest)
      return await run.report
    }
    let second = try await goOn(from: [])
    #expect(second.conclusion == .success && second.outputs["all"] == [1, 2, 3, 4])
    #expect(plugin.counter.counts.withLock { $0.ran } == [2])
    plugin.counter.counts.withLock { $0.ran = [] }
    // A step that posts again adds an item. The fan-out has finished and starts again.
    let third = try await goOn(from: [0, 4])
    #expect(third.outputs["all"] == [1, 2, 3, 4, 5])
    #expect(plugin.counter.counts.withLock { $0.ran.sorted() } == [1, 2, 3, 4, 5])
  }

  @Test func `a step returns an empty list if it has no items, and null for skipped items`() async throws {
    let stated = ["values": ["got": "${{ item }}"]] as ValueObject
    let given = ["values": "${{ item }}"] as ValueObject
    func step(_ id: String, _ uses: String, _ with: ValueObject, _ items: Value, _ condition: String? = nil) -> Step {
      Step(id, uses, with: with) {
        $0.fanOut = FanOut(.items(items))
        $0.condition = condition
      }
    }
    let steps = [
      step("stated-none", "flow.set", stated, []), step("stated-skipped", "flow.set", stated, [1, 2], "item > 2"),
      step("given-none", "flow.set", given, []),
      step("given-skipped", "flow.set", given, [["got": 1], ["got": 2]], "item.got > 2"),
      step("given-some", "flow.set", given, [["got": 1], ["Got": 2]], "item.got > 1"),
      step("declared-none", "count.work", ["number": "${{ item }}"], []),
      step("declared-skipped", "count.work", ["number": "${{ item }}"], [1, 2], "item > 2"),
    ]
    var behind = Step("behind", needs: [0]) { $0.fanOut = FanOut(.items("${{ steps.stated-none.outputs.got }}")) }
    behind.needs = [0]
    var fixture = EngineFixture(steps + [behind])
    fixture.plugins.append(CountingPlugin())
    for step in steps {
      let name = step.uses == "flow.set" ? "got" : "number"
      fixture.workflow.outputs[step.id.text] = .string("${{ steps.\(step.id).outputs.\(name) }}")
    }
    let report = try await fixture.run()
    #expect(report.conclusion == .success, "\(report.steps.compactMap(\.failure))")
    #expect(
      report.outputs == [
        "stated-none": [], "stated-skipped": [nil, nil], "given-none": [], "given-skipped": [nil, nil],
        "given-some": [nil, 2], "declared-none": [], "declared-skipped": [nil, nil],
      ])
  }

  @Test func `a resume keeps items that succeeded unless they are selected to run again`() async throws {
    let store = MemoryRunStore()
    let plugin = CountingPlugin()
    plugin.counter.counts.withLock { $0.failing = [2] }
    let steps = [numbered(0..<4) { $0.fanOut?.isFailFast = false }]
    func history() -> RunHistory {
      RunHistory(file: "/trial.yaml", definition: [1], holder: RunHolder(process: 1, host: "here")) {
        (_) throws(StoreProblem) in store
      }
    }
    var fixture = EngineFixture(steps)
    fixture.plugins = [plugin]
    fixture.change = { $0.history = history() }
    #expect(try await fixture.run().conclusion == .failure)
    plugin.counter.counts.withLock { ($0.failing, $0.ran) = ([], []) }
    func resume(_ wish: ResumePlan.Wish = ResumePlan.Wish()) async throws -> RunReport {
      var workflow = Workflow(name: "test", steps: steps)
      workflow.outputs = ["all": "${{ steps.each.outputs.number }}"]
      let graph = try WorkflowGraph(workflow)
      let registry = ActionRegistry([plugin])
      let stored = try #require(try store.runs(RunFilter()).first)
      let recollection = try RunRecollection(stored, chunks: store.chunks(of: stored.id), stepCount: 1)
      let prepared = try PreparedWorkflow(graph, registry: registry)
      let plan = try ResumePlan(recollection, of: graph, as: prepared, wish)
      let run = try Engine(registry: registry).resume(
        stored.id, as: prepared, plan, in: store, history(),
        options: .ofTest)
      return await run.report
    }
    let report = try await resume()
    #expect(report.conclusion == .success)
    #expect(report.outputs["all"] == [0, 1, 2, 3])
    #expect(plugin.counter.counts.withLock { $0.ran } == [2])
    plugin.counter.counts.withLock { $0.ran = [] }
    var wish = ResumePlan.Wish()
    wish.items = [0: [1]]
    let again = try await resume(wish)
    #expect(again.outputs["all"] == [0, 1, 2, 3])
    #expect(plugin.counter.counts.withLock { $0.ran } == [1])
  }
}

/// Counts the bodies of ``CountingPlugin`` that ran, and contains the numbers of those that fail.
private final class Counter: Sendable {
  struct Counts {
    var now = 0
    var most = 0
    var ran: [Int] = []
    var failing: Set<Int> = []
  }

  let counts = Mutex(Counts())
}

extension HandleKey {
  fileprivate static let counter: HandleKey = "counter"
}

private struct CountingPlugin: Plugin {
  static let name = "count"
  let counter = Counter()
  var actions: [any ActionType.Type] { [Work.self, Give.self] }
  var handles: [PluginHandle] { [PluginHandle(.counter, counter)] }

  struct Work: Action {
    static let name = "count.work"
    static let summary = "Counts how many run at once; fails where its number is to fail"
    struct Input: ActionInput {
      @Field("A number") var number: Int
    }
    struct Output: ActionOutput {
      var number: Int
    }
    func run(_ input: Input, in context: ActionContext) throws -> Output {
      let counter: Counter = try context.handle(.counter)
      let fails = counter.counts.withLock { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
        counts.ran.append(input.number)
        return counts.failing.contains(input.number)
      }
      defer { counter.counts.withLock { $0.now -= 1 } }
      if fails { throw ActionError("told-to", "\(input.number) fails") }
      return Output(number: input.number)
    }
  }

  struct Give: Action {
    static let name = "count.give"
    static let summary = "Gives a little under 1 MiB"
    struct Output: ActionOutput {
      var text: String
    }
    func run(_ input: NoInput, in context: ActionContext) throws -> Output {
      Output(text: String(repeating: "x", count: (1 << 20) - 64))
    }
  }
}
