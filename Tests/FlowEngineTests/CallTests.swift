import FlowModel
import FlowPluginKit
import Synchronization
import Testing

@testable import FlowEngine

/// Tests of `flow.on`, which calls an action for each post of a repeating event.
@Suite(.timeLimit(.minutes(10))) struct `A step that follows an event` {
  private let probe = ProbePlugin()

  /// Starts a run of `steps` to which the app may post the event `again`.
  private func start(
    _ steps: [Step], observer: (any RunObserver)? = nil, lastCallsNanoseconds: Int? = nil
  ) throws -> WorkflowRun {
    var fixture = EngineFixture(steps)
    fixture.workflow.events = [EventDeclaration("again", repeats: true)]
    fixture.workflow.outputs = [
      "calls": "${{ steps.follow.outputs.calls }}", "failed": "${{ steps.follow.outputs.failed }}",
      "dropped": "${{ steps.follow.outputs.dropped }}",
    ]
    fixture.plugins = fixture.plugins.dropLast() + [probe, RenamedPlugin()]
    fixture.change = {
      $0.acceptsEvents = true
      $0.observer = observer
      if let lastCallsNanoseconds { $0.lastCallsNanoseconds = lastCallsNanoseconds }
    }
    return try fixture.start()
  }

  private func follow(_ action: String, _ inputs: Value = [:], timeout: String = "10s") -> Step {
    Step(
      "follow", "flow.on",
      with: ["event": "again", "action": .string(action), "with": inputs, "timeout": .string(timeout)])
  }

  private func wait(_ condition: () -> Bool) async { while !condition() && !Task.isCancelled { await Task.yield() } }

  @Test func `a renamed action in a step that follows an event prevents the start, and the error has the new name`()
    throws
  {
    for step in [Step("a", "old.say"), Step("a", "flow.on", with: ["event": "again", "action": "old.say"])] {
      var fixture = EngineFixture([step])
      fixture.workflow.events = [EventDeclaration("again", repeats: true)]
      fixture.plugins = fixture.plugins + [RenamedPlugin()]
      #expect {
        try fixture.start()
      } throws: { error in
        "\(error)" == "step 'a': 'old.say' is now 'new.say'; change the workflow and start a new run"
      }
    }
  }

  @Test func `a step that follows an event uses a different idempotency key for each call`() async throws {
    let run = try start([follow("old.key")])
    for _ in 0..<2 { run.post("again") }
    await wait { probe.diary.count == 2 }
    run.finishPosting()
    _ = await run.report
    #expect(probe.diary.all == ["\(run.run.id)/follow#1", "\(run.run.id)/follow#2"])
  }

  @Test func `a step that follows an event calls its action for each post in order, and counts the calls`() async throws
  {
    let run = try start([
      Step("give", "flow.set", with: ["values": ["word": "hello"]]),
      Step(
        "follow", "flow.on",
        with: [
          "event": "again", "action": "probe.write",
          "with": ["text": "${{ steps.give.outputs.word }} ${{ event.name }} ${{ event.number }} ${{ event.at >= 0 }}"],
        ], needs: [0]),
    ])
    for _ in 0..<3 { run.post("again") }
    await wait { probe.diary.count == 3 }
    run.finishPosting()
    let report = await run.report
    #expect(probe.diary.all == (1...3).map { "hello again \($0) true" })
    #expect(report.outputs == ["calls": 3, "failed": 0, "dropped": 0])
    #expect(report.conclusion == .success)
  }

  @Test func `a step that follows an event handles posts made before it started, and ends with the run`() async throws {
    let run = try start([
      Step("before", "probe.hold"),
      Step("follow", "flow.on", with: ["event": "again", "action": "probe.write", "with": ["text": "x"]], needs: [0]),
    ])
    for _ in 0..<2 { run.post("again") }
    run.finishPosting()
    probe.door.open()
    let report = await run.report
    #expect(report.outputs["calls"] == 2 && probe.diary.count == 2)
    #expect(report["follow"].outcome == .success && !report["follow"].isAbandoned)
  }

  @Test func `a step that follows an event continues after failed calls, and counts them`() async throws {
    let listener = LogListener()
    let run = try start([follow("flow.fail", ["message": "no luck"])], observer: listener)
    for _ in 0..<2 { run.post("again") }
    run.finishPosting()
    let report = await run.report
    #expect(report.outputs == ["calls": 2, "failed": 2, "dropped": 0])
    #expect(report.conclusion == .success)
    #expect(listener.lines == (1...2).map { "error again \($0): flow.fail failed: no luck" })
  }

  @Test func `a step that follows an event ends a call that takes too long, and makes the next call`() async throws {
    let listener = LogListener()
    let run = try start([follow("probe.wait", timeout: "20ms")], observer: listener)
    for _ in 0..<2 { run.post("again") }
    await wait { run.state.withLock { $0.followers.isEmpty } == false }
    run.finishPosting()
    let report = await run.report
    #expect(report.outputs == ["calls": 2, "failed": 2, "dropped": 0])
    let failure = "probe.wait failed: the call took longer than 20ms"
    #expect(listener.lines == (1...2).map { "error again \($0): \(failure)" })
  }

  @Test func `a step that follows an event queues up to 100 posts during a slow call, and counts those it drops`()
    async throws
  {
    let run = try start([follow("probe.hold")])
    run.post("again")
    await wait { probe.door.waiting.load(ordering: .relaxed) == 1 }
    for _ in 0..<105 { run.post("again") }
    probe.door.open()
    await wait { probe.door.waiting.load(ordering: .relaxed) == 101 }
    run.finishPosting()
    #expect(await run.report.outputs == ["calls": 101, "failed": 0, "dropped": 5])
  }

  @Test func `a step that follows an event counts posts as dropped if it cannot handle them in its grace period`()
    async throws
  {
    let run = try start([follow("probe.wait", timeout: "1h")], lastCallsNanoseconds: 50_000_000)
    for _ in 0..<3 { run.post("again") }
    await wait { run.state.withLock { $0.followers.first?.call != nil } }
    run.finishPosting()
    let report = await run.report
    #expect(report.outputs == ["calls": 1, "failed": 1, "dropped": 2])
    #expect(report["follow"].outcome == .success && !report["follow"].isAbandoned)
  }

  @Test func `the action of a step that follows an event cannot start steps, and its handles are closed`() async throws
  {
    let listener = LogListener()
    let run = try start([follow("flow.post", ["event": "again"])], observer: listener)
    run.post("again")
    run.finishPosting()
    #expect(await run.report.outputs["failed"] == 1)
    #expect(listener.lines.count == 1 && listener.lines[0].contains("cannot start steps"))
    let second = try start([follow("probe.provide", ["key": "thing"])])
    second.post("again")
    second.finishPosting()
    #expect(await second.report.outputs["failed"] == 0)
    #expect(probe.diary.all == ["closed thing"])
  }

  @Test func `a step can follow the app's returns to the foreground, which are reported as warm or hot entries`()
    async throws
  {
    var fixture = EngineFixture([
      Step("follow", "flow.on", with: ["event": "app.will-enter-foreground", "action": "flow.noop"]),
      Step("window", "flow.noop", needs: []) {
        $0.deferral = .afterGate
        $0.after = ["app.will-enter-foreground"]
        $0.deadline = StepDeadline(min: .milliseconds(5))
      },
    ])
    fixture.workflow.events = [EventDeclaration("app.will-enter-foreground", repeats: true)]
    fixture.change = { $0.announcedEvents = [20, 40, 60].map { ("app.will-enter-foreground", .milliseconds($0)) } }
    let report = try await fixture.run()
    let entries = report.entries
    #expect(entries.map(\.kind) == [.cold, .warm, .hot, .hot])
    #expect(entries.map(\.number) == [1, 1, 2, 3])
    #expect(entries[0].openedAt == report.gate.openedAt && entries[0].at == 0)
    #expect(entries[1].openedAt == report["window"].endedAt && entries[2].openedAt == nil)
    // No entry is earlier than announced, but on a busy machine, each may be late. Announced times count from the start
    // of the run, those in a report from activation.
    let activated: Int? = if case .plan(let plan) = report.source { plan.activatedAtNanoseconds } else { nil }
    let activation = Double(try #require(activated)) / 1e6
    #expect(zip([20, 40, 60], entries.dropFirst()).allSatisfy { $1.at + activation >= $0 - 0.001 })
    #expect(entries.dropFirst().map(\.at) == entries.dropFirst().map(\.at).sorted())
    #expect(report.value["entries"]?.arrayValue?.count == 4)
  }
}

/// Collects the log lines of steps.
private final class LogListener: RunObserver {
  private let heard = Mutex<[String]>([])
  var lines: [String] { heard.withLock { $0 } }

  func receive(_ events: [RunEvent]) {
    for event in events {
      if case .stepLog(_, let level, _, let message) = event.kind {
        heard.withLock { $0.append("\(level) \(message)") }
      }
    }
  }
}

/// A plugin whose action `old.say` was renamed to `new.say`.
private struct RenamedPlugin: Plugin {
  static let name = "old"
  var actions: [any ActionType.Type] { [Key.self] }
  var details: PluginDetails { PluginDetails(movedNames: ["old.say": "new.say"]) }

  /// Writes the idempotency key of its call into the diary.
  struct Key: Action {
    static let name = "old.key"
    static let summary = "Notes its key"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      let diary: Diary = try context.handle(.diary)
      diary.write(context.idempotencyKey)
      return NoOutput()
    }
  }
}
