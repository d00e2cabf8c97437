#if Observability
  import BasicsPlugin
  import FlowEngine
  import FlowModel
  import FlowObservability
  import FlowPluginKit
  import Foundation
  import InMemoryLogging
  import InMemoryTracing
  import Logging
  import MetricsTestKit
  import Synchronization
  import Testing
  import Tracing

  /// Checks the log messages, metrics and spans of a run.
  struct RunObservabilityTests {
    private let metrics = TestMetrics()
    private let tracer = InMemoryTracer()
    private let logs = InMemoryLogHandler()

    /// Runs a step that fails once, a step that may fail, a step that is skipped, and a step with two items.
    private func run(passingOnTo other: (any RunObserver)? = nil) async throws {
      var flaky = StepOptions()
      flaky.retry = RetryPolicy(attempts: 2, delay: .zero)
      var optional = StepOptions()
      optional.isOptional = true
      var left = StepOptions()
      left.condition = "launch.reason == 'url'"
      var items = StepOptions()
      items.fanOut = FanOut(.items(["a", "b"]))
      let steps = [
        Step(id: StepID(unchecked: "flaky"), uses: "test.flaky", options: flaky),
        Step(id: StepID(unchecked: "broken"), uses: "test.broken", options: optional),
        Step(id: StepID(unchecked: "after"), uses: "flow.noop", needs: [1], options: left),
        Step(id: StepID(unchecked: "each"), uses: "flow.noop", options: items),
      ]
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("observed-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: folder) }
      var options = RunOptions(dataFolder: folder, workflowFolder: folder)
      var logger = Logger(label: "test") { _ in logs }
      logger.logLevel = .debug
      options.observer = RunObservability(logger: logger, metrics: metrics, tracer: tracer, passingOnTo: other)
      let engine = Engine(plugins: [BasicsPlugin(), TestPlugin()])
      _ = try await engine.start(WorkflowGraph(Workflow(name: "launch", steps: steps)), options: options).report
    }

    @Test func `spans of steps, items and attempts are nested in the run's span and contain outcomes`() async throws {
      try await run()
      let spans = tracer.finishedSpans
      let run = try #require(spans.first { $0.operationName == "launch" })
      #expect(tracer.activeSpans.isEmpty)
      let names = Dictionary(uniqueKeysWithValues: spans.map { ($0.spanContext.spanID, $0.operationName) })
      let parents = spans.map { span in
        "\(span.spanContext.parentSpanID.flatMap { names[$0] } ?? "none") > \(span.operationName)"
      }
      #expect(
        parents.sorted() == [
          "broken > broken attempt 1", "each > each[0]", "each > each[1]", "each[0] > each[0] attempt 1",
          "each[1] > each[1] attempt 1", "flaky > flaky attempt 1", "flaky > flaky attempt 2", "launch > broken",
          "launch > each", "launch > flaky", "none > launch",
        ])
      func span(_ name: String) throws -> FinishedInMemorySpan {
        try #require(spans.first { $0.operationName == name })
      }
      func attribute(_ name: String, of span: FinishedInMemorySpan) -> SpanAttribute? {
        span.attributes[name]?.toSpanAttribute()
      }
      #expect(run.events.map(\.name).contains("gate opened"))
      #expect(attribute("cicd.pipeline.name", of: run) == .string("launch"))
      #expect(attribute("cicd.pipeline.result", of: run) == .string("success"))
      let flaky = try span("flaky")
      #expect(flaky.status == nil && attribute("cicd.pipeline.task.run.result", of: flaky) == .string("success"))
      #expect(try span("flaky attempt 1").status?.message == "once more")
      #expect(try span("flaky attempt 2").status == nil)
      let broken = try span("broken")
      #expect(broken.status?.message == "it is broken" && attribute("error.type", of: broken) == .string("no-luck"))
      #expect(attribute("flowrun.optional", of: broken) == .string("true"))
      for span in spans {
        #expect(span.startInstant.nanosecondsSinceEpoch >= run.startInstant.nanosecondsSinceEpoch)
        #expect(span.endInstant.nanosecondsSinceEpoch <= run.endInstant.nanosecondsSinceEpoch)
      }
    }

    @Test func `timers and counters record durations and outcomes of runs and steps`() async throws {
      try await run()
      let workflow = ("workflow", "launch")
      #expect(try metrics.expectCounter("flowrun_runs", [workflow, ("conclusion", "partial")]).totalValue == 1)
      #expect(try metrics.expectCounter("flowrun_step_retries", [workflow, ("step", "flaky")]).totalValue == 1)
      #expect(
        try metrics.expectCounter("flowrun_steps", [workflow, ("step", "after"), ("outcome", "skipped")]).totalValue
          == 1)
      #expect(try metrics.expectTimer("flowrun_run_duration", [workflow]).values.count == 1)
      #expect(try metrics.expectTimer("flowrun_gate_duration", [workflow, ("outcome", "ready")]).values.count == 1)
      #expect(try metrics.expectTimer("flowrun_step_duration", [workflow, ("step", "flaky")]).values.count == 1)
    }

    @Test func `log messages have the expected levels and name the step and the workflow`() async throws {
      try await run()
      let entries = logs.entries
      func entry(_ start: String) throws -> InMemoryLogHandler.Entry {
        try #require(entries.first { "\($0.message)".hasPrefix(start) }, "\(entries.map(\.message))")
      }
      #expect(try entry("about to fail").level == .info)
      #expect(try entry("about to fail").metadata["step"] == "flaky")
      #expect(try entry("about to fail").metadata["workflow"] == "launch")
      #expect(try entry("attempt 1").level == .warning)
      // The step is optional, so its failure is only a warning.
      #expect(try entry("step failed: it is broken").level == .warning)
      #expect(try entry("the gate opened: ready").level == .info)
      #expect(try entry("the run finished: partial").level == .info)
    }

    @Test func `a second observer receives the first and the last event of the run`() async throws {
      let other = Names()
      try await run(passingOnTo: other)
      #expect(other.names.first == "run.started" && other.names.last == "run.finished")
    }
  }

  private struct TestPlugin: Plugin {
    static let name = "test"
    var actions: [any ActionType.Type] { [Flaky.self, Broken.self] }
  }

  private struct Flaky: Action {
    static let name = "test.flaky"
    static let summary = "Fails the first time"
    static let errors = [ErrorDeclaration("no-luck", "Not this time", isRetryable: true)]
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      guard context.attempt == 1 else { return NoOutput() }
      context.log("about to fail")
      throw ActionError("no-luck", "once more", isRetryable: true)
    }
  }

  private struct Broken: Action {
    static let name = "test.broken"
    static let summary = "Fails"
    static let errors = [ErrorDeclaration("no-luck", "Never", isRetryable: false)]
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
      throw ActionError("no-luck", "it is broken", isRetryable: false)
    }
  }

  private final class Names: RunObserver {
    private let state = Mutex<[String]>([])
    var names: [String] { state.withLock { $0 } }
    func receive(_ events: [RunEvent]) { state.withLock { $0 += events.map(\.name) } }
  }
#endif
