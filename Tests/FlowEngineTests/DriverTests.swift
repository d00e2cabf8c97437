import FlowBytes
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowTestKit
import TestSupport
import Testing

/// The parts of a run that the plan does not contain: threads, tasks, handles and cancellation.
@Suite(.timeLimit(.minutes(10))) struct DriverTests {
  @Test func `a hundred blocked threads do not delay an unrelated chain of steps`() async throws {
    let probe = ProbePlugin()
    var steps = (0..<100).map { Step("hold-\($0)", "probe.hold") { $0.blocking = false } }
    for index in 0..<20 { steps.append(Step("chain-\(index)", needs: index == 0 ? [] : [StepIndex(99 + index)])) }
    var fixture = EngineFixture(steps)
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    let run = try fixture.start()
    // The gate waits only for the chain. The door stays closed until the gate has opened.
    #expect(await run.gate.outcome == .ready)
    probe.door.open()
    let report = await run.report
    #expect(report.conclusion == .success)
    #expect(report["chain-19"].endedAt! < report["hold-0"].endedAt!)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a run uses more threads for ready steps if a step blocks the only thread after many short steps`() async throws
  {
    let probe = ProbePlugin()
    // Only one thread can work on a chain. The end of the chain makes forty steps ready at once, and the thread takes
    // the first.
    let chain = (0..<500).map { Step("short-\($0)", needs: $0 == 0 ? [] : [StepIndex($0 - 1)]) }
    var fixture = EngineFixture(chain + (0..<40).map { Step("hold-\($0)", "probe.hold", needs: [499]) })
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    // This makes the chain count as short, even on a slow machine and in a debug build.
    fixture.change = { $0.shortStepNanoseconds = 1_000_000 }
    let run = try fixture.start()
    while probe.door.waiting.load(ordering: .acquiring) < 40, run.nowNanoseconds < 30_000_000_000 { await Task.yield() }
    let occupied = probe.door.waiting.load(ordering: .acquiring)
    probe.door.open()
    #expect(occupied == 40)
    #expect(await run.report.conclusion == .success)
  }

  @Test(.timeLimit(.minutes(10)))
  func `if the thread that runs a batch is blocked, other threads run the rest of the batch`() async throws {
    // Two thousand short steps, and three others that follow a step which does not return before all short ones have
    // run. The other ready steps block their threads too, so no thread finds the three by chance. The test is repeated,
    // because threads may happen to split the steps so that none is left behind.
    for _ in 0..<5 {
      let probe = ProbePlugin()
      let steps = (0..<2_040).map { place in
        Step("s\(place)", place < 2_000 || place < 2_006 && place % 2 == 1 ? "probe.note" : "probe.hold")
      }
      var fixture = EngineFixture(steps)
      fixture.plugins = fixture.plugins.dropLast() + [probe]
      fixture.change = { $0.sharesShortSteps() }
      let run = try fixture.start()
      while probe.diary.count < 2_003, run.nowNanoseconds < 30_000_000_000 { await Task.yield() }
      let others = probe.diary.count
      probe.door.open()
      #expect(others == 2_003)
      #expect(await run.report.conclusion == .success)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a run that is cancelled during thousands of short steps records which of them ran`() async throws {
    for round in stride(from: 0, to: 20, by: TestExtent.count(usual: 4, release: 1, long: 1)) {
      let probe = ProbePlugin()
      var fixture = EngineFixture(
        (0..<5_000).map { Step("s\($0)", "probe.note", needs: $0 % 50 == 0 ? [] : [$0 / 50 * 50]) })
      fixture.plugins = fixture.plugins.dropLast() + [probe]
      fixture.change = { $0.sharesShortSteps() }
      let run = try fixture.start()
      while probe.diary.count < 200 * round { await Task.yield() }
      run.cancel()
      let report = await run.report
      let counts = probe.diary.counts
      for step in report.steps {
        let ran = counts[step.id.text] ?? 0
        #expect(ran <= 1)
        switch step.outcome {
        case .success: #expect(ran == 1)
        case .skipped: #expect(ran == 0 && step.reason == .runCancelled && step.startedAt == nil)
        // The step was running and was asked to end.
        default: #expect(step.outcome == .cancelled)
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `short steps shared by several threads run once each, after their dependencies`() async throws {
    let seed = SeededGenerator.environmentSeed ?? 33
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<TestExtent.count(usual: 3, release: 10, long: 10) {
      let probe = ProbePlugin()
      let steps = (0..<4_000).map { place in
        let needs = (0..<Int.random(in: 0...2, using: &random)).map { _ in
          StepIndex.random(in: 0..<4_000, using: &random)
        }
        return Step("s\(place)", "probe.note", needs: Set(needs.filter { $0 < place - 100 }).sorted())
      }
      var fixture = EngineFixture(steps)
      fixture.plugins = fixture.plugins.dropLast() + [probe]
      fixture.change = { $0.sharesShortSteps() }
      let report = try await fixture.run()
      #expect(report.conclusion == .success)
      let readings = Array(report.steps)
      let counts = probe.diary.counts
      for (place, step) in steps.enumerated() {
        #expect(counts["s\(place)"] == 1)
        #expect(readings[place].startedAt! <= readings[place].endedAt!)
        for need in step.needs { #expect(readings[Int(need)].endedAt! <= readings[place].startedAt!) }
      }
    }
  }

  @Test func `a step that ignores its deadline times out and is abandoned after the grace period`()
    async throws
  {
    let probe = ProbePlugin()
    var fixture = EngineFixture([
      Step("deaf", "probe.hold") {
        $0.deadline = StepDeadline(max: .milliseconds(30))
        $0.isOptional = true
      },
      Step("next", needs: [0]),
    ])
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    fixture.change = { $0.graceNanoseconds = Plan.usualGraceNanoseconds }
    let report = try await fixture.run()
    probe.door.open()
    #expect(report["deaf"].outcome == .timedOut)
    #expect(report["deaf"].isAbandoned)
    #expect(report["deaf"].endedAt! >= 30)
    #expect(report["deaf"].overrunMilliseconds! >= 1000)
    #expect(report["next"].outcome == .success)
    #expect(report.conclusion == .partial)
  }

  @Test func `handles close in reverse order of their creation, after services have stopped`() async throws {
    let probe = ProbePlugin()
    var fixture = EngineFixture([
      Step("one", "probe.provide", with: ["key": "first"]),
      Step("two", "probe.provide", with: ["key": "second"], needs: [0]),
      Step("serve", "probe.serve", needs: [1]),
      Step("last", "probe.note", needs: [2]),
    ])
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    let report = try await fixture.run()
    #expect(probe.diary.all == ["last", "stopped", "closed second", "closed first"])
    #expect(report["serve"].outcome == .success)
    #expect(report.conclusion == .success)
  }

  @Test func `a run keeps waiting for an event while a service that may post it is running`() async throws {
    let report = try await EngineFixture([
      Step("radio", "probe.radio", with: ["event": "signal"]),
      Step("hears", needs: [0]) { $0.after = ["signal"] },
    ]).run()
    #expect(report["hears"].outcome == .success)
    #expect(report["radio"].outcome == .success)
  }

  @Test func `a failing step is retried after increasing delays until an attempt succeeds (S34)`() async throws {
    let report = try await EngineFixture([
      Step("flaky", "probe.fail-twice") { $0.retry = RetryPolicy(attempts: 3, delay: .milliseconds(5), backoff: 2) }
    ]).run()
    #expect(report["flaky"].outcome == .success)
    #expect(report["flaky"].attempts == 3)
    #expect(report["flaky"].endedAt! >= 15)
  }

  @Test(.timeLimit(.minutes(10))) func `a step finishes exactly once, whether or not its asynchronous body suspends`()
    async throws
  {
    let probe = ProbePlugin()
    let steps: [Step] = (0..<600).map { index in
      let needs: [StepIndex] = index < 40 ? [] : [StepIndex(index - 40), StepIndex(index - 7)]
      return Step("\(index)", "probe.moment", needs: needs) {
        $0.retry = RetryPolicy(attempts: 2, delay: .milliseconds(1))
        if index % 10 == 0 { $0.queue = "main" }
      }
    }
    var fixture = EngineFixture(steps)
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    let report = try await fixture.run()
    #expect(report.conclusion == .success)
    for (index, step) in report.steps.enumerated() { #expect(step.attempts == (index % 3 == 0 ? 2 : 1)) }
    #expect(probe.diary.counts.count == 800 && probe.diary.count == 800)
  }

  @Test func `cancelling a run ends running steps, skips waiting steps and runs always() steps`() async throws {
    let probe = ProbePlugin()
    var fixture = EngineFixture([
      Step("running", "probe.wait"),
      Step("waiting", "probe.note", needs: [0]),
      Step("cleanup", "probe.note", needs: [0]) { $0.condition = "always()" },
    ])
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    let run = try fixture.start()
    run.cancel()
    let report = await run.report
    #expect(report.conclusion == .cancelled)
    #expect(report.gate.outcome == .cancelled && report.gate.openedAt == nil)
    #expect(report["waiting"].reason == .runCancelled)
    #expect(probe.diary.all == ["cleanup"])
    #expect(report["running"].outcome != .success)
  }

  @Test func `an app can post events until it declares that it has finished (L21)`() async throws {
    let probe = ProbePlugin()
    var fixture = EngineFixture([
      Step("ask", "probe.note") {
        $0.deferral = .afterGate
        $0.after = ["map.first-use"]
      },
      Step("never", "probe.note") {
        $0.deferral = .afterGate
        $0.after = ["nothing"]
      },
    ])
    fixture.workflow.events = [EventDeclaration("map.first-use"), EventDeclaration("nothing")]
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    fixture.change = { $0.acceptsEvents = true }
    let run = try fixture.start()
    #expect(await run.gate.outcome == .ready)
    run.post("map.first-use")
    run.finishPosting()
    let report = await run.report
    #expect(report["ask"].outcome == .success)
    #expect(report["never"].reason == .eventNeverPosted)
    #expect(report.conclusion == .success)
  }

  @Test func `outputs keep their types in dependent steps and in expressions`() async throws {
    var fixture = EngineFixture([
      Step("give", "flow.set", with: ["values": ["count": 3, "list": ["a", "b"]]]),
      Step("take", "flow.set", with: ["values": ["copy": "${{ steps.give.outputs.list }}"]], needs: [0]) {
        $0.condition = "steps.give.outputs.count == 3"
      },
    ])
    fixture.workflow.outputs = ["copy": "${{ steps.take.outputs.copy }}", "text": "n=${{ steps.give.outputs.count }}"]
    let report = try await fixture.run()
    #expect(report.outputs == ["copy": ["a", "b"], "text": "n=3"])
  }

  @Test func `a queue never runs more steps at the same time than its width allows`() async throws {
    let probe = ProbePlugin()
    var fixture = EngineFixture((0..<6).map { Step("hold-\($0)", "probe.hold") { $0.queue = "database" } })
    fixture.workflow.queues = [QueueDeclaration(name: "database", qualityOfService: .utility, width: 2)]
    fixture.workflow.gate = GateDeadline(max: .literal(.milliseconds(100)))
    fixture.plugins = [probe]
    let run = try fixture.start()
    while probe.door.waiting.load(ordering: .acquiring) < 2, run.nowNanoseconds < 30_000_000_000 { await Task.yield() }
    // This leaves time for a third step to start, if the queue allowed it.
    _ = await run.gate
    #expect(probe.door.waiting.load(ordering: .acquiring) == 2)
    probe.door.open()
    #expect(await run.report.steps.allSatisfy { $0.outcome == .success })
  }

  @Test func `the engine and the simulator agree on the outcome of every step in random graphs`() async throws {
    let seed = SeededRun.seed
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let steps = random.steps()
      let report = try await EngineFixture(steps).run()
      let graph = try WorkflowGraph(Workflow(name: "test", steps: steps))
      var facts: [StepIndex: StepFacts] = [:]
      for (index, step) in steps.enumerated() {
        switch step.options.condition {
        case "always()": facts[StepIndex(index)] = StepFacts(statusFunctions: .always)
        case "failure()": facts[StepIndex(index)] = StepFacts(statusFunctions: .failure)
        default: break
        }
      }
      var simulator = Simulator(
        Plan(graph: graph, facts: facts),
        decide: { step, plan in
          switch steps[Int(step)].options.condition {
          case "failure()": plan.status(of: step).contains(.failure) ? .run : .skip
          default: .run
          }
        },
        body: { step, _ in
          Simulator.Body(
            endsAfterNanoseconds: 1,
            ending: steps[Int(step)].uses == "flow.fail"
              ? .failure(StepFailure(code: "failed", message: ""), isRetryable: true, retryAfterNanoseconds: 0)
              : .success)
        })
      let plan = simulator.run(activation: Resolution(literalsOf: graph))
      for (index, step) in report.steps.enumerated() {
        let expected = plan[StepIndex(index)]
        #expect(step.outcome == expected.outcome && step.reason == expected.reason, "seed \(seed), \(step.id)")
      }
      #expect(report.conclusion == plan.conclusion, "seed \(seed)")
    }
  }
}

extension RunOptions {
  /// Makes threads share even the shortest steps, in the largest possible batches, even on a slow machine.
  fileprivate mutating func sharesShortSteps() {
    shortStepNanoseconds = 0
    batchNanoseconds = 1_000_000_000
  }
}

private enum SeededRun {
  /// The seed is printed with every failure. The same seed results in the same graphs.
  static let seed = SeededGenerator.environmentSeed ?? 7
}

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  fileprivate mutating func steps() -> [Step] {
    (0..<(2 + below(12))).map { index in
      var needs: [StepIndex] = []
      for need in 0..<index where below(3) == 0 { needs.append(StepIndex(need)) }
      let fails = below(5) == 0
      let condition = below(6)
      let isOptional = below(4) == 0
      return Step("s\(index)", fails ? "flow.fail" : "flow.noop", with: fails ? ["message": "no"] : [:], needs: needs) {
        $0.isOptional = isOptional
        $0.condition = condition == 0 ? "always()" : condition == 1 ? "failure()" : nil
      }
    }
  }
}
