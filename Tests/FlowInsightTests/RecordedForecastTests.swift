import BasicsPlugin
import FlowEngine
import FlowInsight
import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

/// Compares forecasts with runs recorded on a machine that was alternately idle and busy. The runs are in `Recordings`.
struct `A forecast from recorded runs` {
  private static let names = ["launch", "releases", "places", "notification"]
  private static let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil
  /// Each seed splits the runs differently. With a single split, the share of one workflow varies by a few percent.
  private static let seeds: ClosedRange<UInt64> = isLong ? 1...20 : 1...1

  @Test func `a forecast covers 90 % of other recorded runs, and is at most 30 % wider than one without waits`()
    throws
  {
    var all = (covered: 0, count: 0)
    var widths = 0.0
    for name in Self.names {
      let recording = try Recording(name)
      var found = (covered: 0, count: 0)
      var (width, oldWidth) = (0, 0)
      for seed in Self.seeds {
        var random = SeededGenerator(seed: seed)
        let shuffled = Array(recording.runs.indices).shuffled(using: &random)
        let (learned, held) = (shuffled.prefix(60), shuffled.dropFirst(60))
        let forecast = try recording.forecast(from: learned.map { recording.runs[$0] })
        let limit = try #require(forecast.ready.value(0.95))
        found.covered += held.count { recording.readyAt[$0] <= limit }
        found.count += held.count
        width += limit - (forecast.ready.value(0.05) ?? 0)
        let old = Quantiles(recording.playWithoutWaits(learned.map { recording.runs[$0] }, using: &random))
        oldWidth += (old.value(0.95) ?? 0) - (old.value(0.05) ?? 0)
      }
      #expect(!Self.isLong || Double(found.covered) >= 0.90 * Double(found.count), "\(name): \(found)")
      #expect(!Self.isLong || Double(width) <= 1.3 * Double(oldWidth), "\(name): \(width) ns, \(oldWidth) ns before")
      widths += Double(width) / Double(oldWidth)
      all = (all.covered + found.covered, all.count + found.count)
    }
    #expect(Double(all.covered) >= 0.90 * Double(all.count), "\(all)")
    #expect(widths <= 1.3 * Double(Self.names.count), "\(widths)")
  }

  @Test func `a forecast counts the wait for a thread in the time of the run, but not in that of the step`() throws {
    let recording = try Recording("launch")
    let forecast = try recording.forecast(from: recording.runs)
    let ready = Quantiles(recording.readyAt)
    let ratio = try Double(#require(forecast.ready.value(0.5))) / Double(#require(ready.value(0.5)))
    #expect((0.9...1.1).contains(ratio), "\(ratio)")
    let store = try #require(recording.workflow.steps.firstIndex { $0.id.text == "open-store" })
    let times = recording.runs.compactMap { $0.steps[store]?.attemptTimes[0].nanoseconds }
    let step = try #require(forecast.lengths(of: StepIndex(store)).value(0.5))
    let measured = try #require(Quantiles(times).value(0.5))
    #expect((0.9...1.1).contains(step * 1_000_000 / Double(measured)), "\(step) ms, \(measured) ns")
  }
}

/// The recorded runs of one workflow.
private struct Recording {
  var workflow = Workflow(name: "recorded", steps: [])
  var runs: [RecordedRun] = []
  /// The time until the gate was ready in each run, in nanoseconds.
  var readyAt: [Int] = []

  init(_ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Recordings/\(name).txt")
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      switch words[0] {
      case "step": add(step: Array(words.dropFirst()))
      case "run": try add(run: words.dropFirst().map { try #require(Int($0)) })
      default: break
      }
    }
  }

  private mutating func add(step words: [String]) {
    var options = StepOptions()
    options.queue = words[1]
    options.blocking = words[2] == "blocking"
    let needs = words.dropFirst(3).compactMap { need in
      workflow.steps.firstIndex { $0.id.text == need }.map { StepIndex($0) }
    }
    workflow.steps.append(Step(id: StepID(words[0])!, uses: "flow.noop", needs: needs[...], options: options))
  }

  /// Adds a run, read from a report that is built from recorded numbers.
  private mutating func add(run numbers: [Int]) throws {
    func milliseconds(_ index: Int) -> Value { .number(Double(numbers[index]) / 1000) }
    var steps: ValueObject = [:]
    for (index, step) in workflow.steps.enumerated() {
      steps[step.id.text] = [
        "outcome": "success", "queue": .string(step.options.queue ?? ""), "readyAt": milliseconds(1 + 3 * index),
        "startedAt": milliseconds(2 + 3 * index), "endedAt": milliseconds(3 + 3 * index),
      ]
    }
    let launch = try ReportedRun([
      "schema": 2, "workflow": "recorded", "conclusion": "success", "steps": .object(steps),
      "gate": ["outcome": "ready", "readyAt": milliseconds(0), "openedAt": milliseconds(0)],
    ])
    runs.append(RecordedRun(launch, of: workflow) { _ in [] })
    readyAt.append(numbers[0] * 1000)
  }

  func forecast(from runs: [RecordedRun]) throws -> Forecast {
    let prepared = try PreparedWorkflow(try WorkflowGraph(workflow), registry: ActionRegistry([BasicsPlugin()]))
    var options = ForecastOptions()
    options.runs = 600
    options.recordedRuns = runs
    let model = ForecastModel(try RunStage(prepared, inputs: [:], launch: Launch()), options)
    return Forecast(model, [ForecastBlock(model, 0..<options.runs)])
  }

  /// Simulates the gate's times without waits and common factors. Half of the simulated runs repeat a recorded run. In
  /// the others, each step is drawn independently.
  func playWithoutWaits(_ runs: [RecordedRun], using random: inout SeededGenerator) -> [Int] {
    (0..<600).map { _ in
      let whole = Bool.random(using: &random) ? runs.randomElement(using: &random) : nil
      var ends: [Int] = []
      var last = 0
      for (index, step) in workflow.steps.enumerated() {
        let run = whole ?? runs[Int.random(in: runs.indices, using: &random)]
        let start = step.needs.map { ends[Int($0)] }.max() ?? 0
        ends.append(start + (run.steps[index]?.attemptTimes.first?.nanoseconds ?? 0))
        if step.options.blocking == true { last = max(last, ends[index]) }
      }
      return last
    }
  }
}
