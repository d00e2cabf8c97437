import BasicsPlugin
import FlowEngine
import FlowInsight
import FlowModel
import FlowPluginKit
import FlowTestKit
import TestSupport
import Testing

struct `A forecast` {
  private func step(
    _ id: String, needs: [StepIndex] = [], _ estimate: (Int, Int)? = nil,
    _ change: (inout StepOptions) -> Void = { _ in }
  ) -> Step {
    var options = StepOptions()
    options.estimate = estimate.map { Estimate(low: .milliseconds($0.0), high: .milliseconds($0.1)) }
    change(&options)
    return Step(id: StepID(id)!, uses: "flow.noop", needs: needs[...], options: options)
  }

  private func model(
    _ steps: [Step], gate: GateDeadline? = nil, launch: Launch = Launch(),
    _ change: (inout ForecastOptions) -> Void = { _ in }
  ) throws -> ForecastModel {
    var workflow = Workflow(name: "forecast", steps: steps)
    workflow.gate = gate
    workflow.events = [EventDeclaration("door")]
    let prepared = try PreparedWorkflow(
      try WorkflowGraph(workflow), registry: ActionRegistry([BasicsPlugin()]))
    var options = ForecastOptions()
    options.runs = 2_000
    change(&options)
    return ForecastModel(try RunStage(prepared, inputs: [:], launch: launch), options)
  }

  private func forecast(_ model: ForecastModel) -> Forecast {
    Forecast(model, Forecast.blocks(of: model.options.runs).map { ForecastBlock(model, $0) })
  }

  @Test func `a forecast from fixed estimates predicts the length of the longest path`() throws {
    let forecast = forecast(
      try model([step("a", (100, 100)), step("b", needs: [0], (50, 50)), step("c", needs: [0], (20, 20))]))
    for share in [0.5, 0.95, 1] { #expect(forecast.ready.value(share) == 150_000_000) }
    #expect(forecast.opened.value(1) == 150_000_000 && forecast.missed == 0 && forecast.heldShare == 0)
    #expect(forecast.lengths(of: 1).value(0.5) == 50)
  }

  @Test func `a forecast covers the whole range of the estimates`() throws {
    let forecast = forecast(try model([step("a", (100, 200))]))
    let least = try #require(forecast.ready.value(0))
    let most = try #require(forecast.ready.value(1))
    #expect((100_000_000...105_000_000).contains(least) && (195_000_000...200_000_000).contains(most))
  }

  @Test func `a forecast assumes that a slow run slows down all of its steps`() throws {
    let forecast = forecast(try model([step("a", (100, 200)), step("b", needs: [0], (100, 200))]))
    // If steps were drawn independently, only 5 % of the runs would exceed 368 ms.
    let slow = try #require(forecast.ready.value(0.95))
    #expect(slow > 378_000_000)
  }

  @Test func `a forecast counts the runs affected by the minimum and by the maximum`() throws {
    let gate = GateDeadline(min: .literal(.milliseconds(150)), max: .literal(.milliseconds(190)))
    let forecast = forecast(try model([step("a", (100, 200))], gate: gate))
    #expect((0.45...0.55).contains(forecast.heldShare) && (0.05...0.15).contains(forecast.missed))
    #expect(forecast.opened.value(1) == 190_000_000 && forecast.opened.value(0) == 150_000_000)
    #expect((20...30).contains(forecast.heldMilliseconds))
    let free = self.forecast(try model([step("a", (100, 200))], gate: gate) { $0.ignoresMinimum = true })
    let least = try #require(free.opened.value(0))
    #expect(free.heldShare == 0 && least < 110_000_000)
  }

  @Test func `a forecast depends on the seed but not on the size of its blocks`() throws {
    let model = try model([
      step("a", (100, 200)), step("b", (10, 300)) { $0.queue = "main" }, step("c", needs: [0, 1]),
    ])
    let whole = Forecast(model, [ForecastBlock(model, 0..<2_000)])
    let pieces = Forecast(
      model, stride(from: 0, to: 2_000, by: 7).map { ForecastBlock(model, $0..<min(2_000, $0 + 7)) })
    for share in stride(from: 0.0, through: 1, by: 0.01) {
      #expect(whole.ready.value(share) == pieces.ready.value(share))
    }
    #expect(whole.lengths(of: 1).value(0.37) == pieces.lengths(of: 1).value(0.37))
    let other = forecast(try self.model(model.graph.workflow.steps) { $0.seed = 2 })
    #expect(other.ready.value(0.5) != whole.ready.value(0.5))
  }

  @Test func `in a forecast, steps fail at the given rate and are retried`() throws {
    let retry = RetryPolicy(attempts: 3, delay: .milliseconds(10))
    let forecast = forecast(
      try model([step("a", (100, 100)) { $0.retry = retry }]) { $0.failureRates = [0: 0.5] })
    // One run in eight fails in all three attempts.
    #expect((0.10...0.15).contains(forecast.failed))
    #expect(forecast.ready.value(0.4) == 100_000_000 && forecast.ready.value(0.7) == 210_000_000)
    #expect(forecast.ready.value(1) == nil)
  }

  @Test func `a forecast evaluates conditions with null for unknown outputs, and lists the affected steps`() throws {
    let steps = [
      step("ask", (10, 10)),
      step("guess", needs: [0], (100, 100)) { $0.condition = "steps.ask.outputs.granted" },
      step("launched", needs: [0], (200, 200)) { $0.condition = "launch.reason == 'url'" },
      step("after", needs: [0], (30, 30)) { $0.condition = "steps.ask.outcome == 'success'" },
    ]
    let plain = forecast(try model(steps))
    #expect(plain.ready.value(1) == 40_000_000)
    #expect(plain.model.conditions.map(\.step) == [1] && plain.model.conditions.first?.source == .null)
    let link = forecast(try model(steps, launch: Launch(reason: .url)))
    #expect(link.ready.value(1) == 210_000_000)
  }

  @Test func `a forecast includes the wait for events from steps and from outside`() throws {
    var post = step("post", (80, 80))
    post.uses = "flow.post"
    post.with = ["event": "door"]
    let inside = forecast(try model([post, step("enter", (5, 5)) { $0.after = ["door"] }]))
    #expect(inside.ready.value(1) == 85_000_000)
    let outside = forecast(
      try model([step("enter", (5, 5)) { $0.after = ["door"] }]) {
        $0.events = [RunPost(afterNanoseconds: 300_000_000, event: "door")]
      })
    #expect(outside.ready.value(1) == 305_000_000)
  }

  @Test func `a forecast draws all steps of a simulated run from one recorded run, or each from a different one`()
    throws
  {
    func run(_ first: Int, _ second: Int) -> RecordedRun {
      RecordedRun(
        name: "run",
        steps: [first, second].map { milliseconds in
          var step = RecordedRun.Step()
          step.attemptTimes = [.init(nanoseconds: milliseconds * 1_000_000, isSuccess: true)]
          return step
        })
    }
    let steps = [step("a"), step("b", needs: [0])]
    let runs = [run(10, 10), run(100, 100)]
    func sums(_ correlation: Double) throws -> Set<Int?> {
      let forecast = forecast(
        try model(steps) {
          $0.recordedRuns = runs
          $0.correlation = correlation
        })
      return Set(stride(from: 0.01, through: 1, by: 0.01).map { forecast.ready.value($0) })
    }
    #expect(try sums(1) == [20_000_000, 200_000_000])
    #expect(try sums(0) == [20_000_000, 110_000_000, 200_000_000])
  }

  @Test func `a budget compares step times to the nanosecond, and times above a second to the microsecond`() throws {
    for (nanoseconds, isBroken) in [(207_356_000, false), (207_356_001, true), (207_355_999, false)] {
      let exact = step("s") {
        $0.estimate = Estimate(low: .nanoseconds(nanoseconds), high: .nanoseconds(nanoseconds))
      }
      let results = forecast(try model([exact])).check([try BudgetRule(parsing: "max(step:s) <= 207.356ms")])
      #expect(results.map(\.isBroken) == [isBroken], "\(nanoseconds)")
    }
    // Times above a second are exact to the microsecond and keep their order.
    let long = LengthQuantiles(
      [2_500_000_499, 999_999_999, 1, 86_400_000_000_000].map { PackedLength(nanoseconds: $0) })
    #expect([0.1, 0.5, 0.75, 1].map { long.value($0) } == [0.000_001, 999.999_999, 2_500, 86_400_000])
  }

  /// Creates recorded runs of a workflow with six sequential steps, one of which always takes the same time.
  private static func runs(_ count: Int, seed: UInt64, device: Double, noise: Double) -> [RecordedRun] {
    var random = SeededGenerator(seed: seed)
    func normal() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } }
    return (0..<count).map { number in
      // Slow devices are slowed down more than fast ones are sped up.
      let slowness = normal()
      let factor = 1 + device * (slowness + 0.3 * slowness * slowness)
      return RecordedRun(
        name: "run \(number)",
        steps: (0..<6).map { index in
          var step = RecordedRun.Step()
          let usual = Double(20 + 30 * index) * 1_000_000
          let time = index == 2 ? usual : usual * max(0.1, factor) * max(0.1, 1 + noise * normal())
          step.attemptTimes = [.init(nanoseconds: Int(time), isSuccess: true)]
          return step
        })
    }
  }

  private static func sum(_ run: RecordedRun) -> Int {
    run.steps.reduce(0) { $0 + ($1?.attemptTimes[0].nanoseconds ?? 0) }
  }

  private func forecast(from runs: [RecordedRun]) throws -> Forecast {
    let steps = (0..<6).map { step("s\($0)", needs: $0 == 0 ? [] : [StepIndex($0 - 1)]) }
    return forecast(
      try model(steps) {
        $0.recordedRuns = runs
        $0.runs = 1_000
      })
  }

  /// The deviations of devices and steps in recorded runs; `make test` tests half of these pairs.
  private static let deviations = [(0.25, 0.05), (0.0, 0.2), (0.1, 0.1), (0.15, 0.3)]
    .prefix(TestExtent.count(usual: 2, release: 4, long: 4))

  @Test(arguments: deviations)
  func `a forecast has nearly the same quantiles as the recorded runs, even if their steps are correlated`(
    device: Double, noise: Double
  ) throws {
    // With so few runs, single quantiles vary, so the average over several seeds is compared.
    var ratios: [Double: Double] = [:]
    for seed in UInt64(1)...5 {
      let runs = Self.runs(100, seed: seed, device: device, noise: noise)
      let measured = Quantiles(runs.map(Self.sum))
      let forecast = try forecast(from: runs)
      for share in [0.5, 0.9, 0.95] {
        let ratio = try Double(#require(forecast.ready.value(share))) / Double(#require(measured.value(share)))
        ratios[share, default: 0] += ratio / 5
      }
    }
    for (share, ratio) in ratios { #expect((0.97...1.04).contains(ratio), "\(share): \(ratio)") }
  }

  @Test func `a forecast covers at least 93 % of other recorded runs, and is at most 15 % wider than they are`()
    throws
  {
    var (covered, count, width, measuredWidth) = (0, 0, 0, 0)
    for (device, noise) in Self.deviations {
      for seed in UInt64(1)...4 {
        let runs = Self.runs(120, seed: seed + 100, device: device, noise: noise)
        let forecast = try forecast(from: Array(runs[..<60]))
        let limit = try #require(forecast.ready.value(0.95))
        let held = runs[60...].map(Self.sum)
        covered += held.count { $0 <= limit }
        count += held.count
        width += limit - (forecast.ready.value(0.05) ?? 0)
        let measured = Quantiles(held)
        measuredWidth += (measured.value(0.95) ?? 0) - (measured.value(0.05) ?? 0)
      }
    }
    #expect(Double(covered) >= 0.93 * Double(count), "\(covered) of \(count)")
    #expect(Double(width) <= 1.15 * Double(measuredWidth), "\(width), \(measuredWidth)")
  }

  @Test func `a forecast suggests only changes that are effective and safe`() throws {
    let steps = [
      step("store", (100, 100)), step("list", needs: [0], (80, 80)) { $0.isOptional = true },
      step("view", needs: [0], (20, 20)),
    ]
    let model = try model(steps)
    var forecast = forecast(model)
    forecast.lookClosely()
    #expect(forecast.closeLook.criticality == [1, 1, 0])
    var registry: [Suggestion.Change] = []
    forecast.findSuggestions { change, step in
      registry.append(change)
      var changes = WorkflowChanges()
      changes = changes.adding(change, of: step)
      guard let graph = try? WorkflowGraph(changes.applied(to: model.graph.workflow)),
        let prepared = try? PreparedWorkflow(graph, registry: ActionRegistry([BasicsPlugin()]))
      else { return nil }
      return try? RunStage(prepared, inputs: [:], launch: Launch())
    }
    let best = try #require(forecast.suggestions.first)
    #expect(best.step == 1 && best.before == 180_000_000 && best.after == 120_000_000)
    // The gate needs the first step, so it can only become faster.
    #expect(forecast.suggestions.filter { $0.step == 0 }.map(\.change) == [.faster])
  }
}
