import Dispatch
import FlowKitYAML
import Foundation
import Synchronization

/// Measures schedulers on the same graphs in one process, and parts of the engine. Prints one JSON object per line. For
/// a scheduler, it is `{"row": …, "scheduler": …, "shape": …, "nanoseconds": …}` with the nanoseconds per step in the
/// fastest of several runs.
///
///     EngineBenchmark schedule [COUNT]      no-op steps, every shape and scheduler
///     EngineBenchmark own [COUNT]           the same without the other schedulers
///     EngineBenchmark efficiency            two workers, steps of 1 µs and 10 µs
///     EngineBenchmark restore [COUNT]       a journal entry that a plan applies
///     EngineBenchmark secrets               secrets that are hidden in texts
///     EngineBenchmark once SHAPE COUNT      one run, for callgrind and perf
@main
enum EngineBenchmark {
  // The main thread waits for the measurements, because callgrind does not support a main thread that ends before the
  // process.
  static func main() {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await measure(CommandLine.arguments.dropFirst()) } catch { fail("\(error)") }
      isDone.signal()
    }
    isDone.wait()
  }

  /// Prints the message to standard error and exits with status 1.
  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("EngineBenchmark: \(message)\n".utf8))
    exit(1)
  }

  private static func measure(_ arguments: ArraySlice<String>) async throws {
    switch arguments.first {
    case "efficiency": try await efficiency()
    case "secrets": secrets()
    case "restore": try await restoring(count: Int(arguments.last ?? "") ?? 100_000)
    case "own": try await schedule(count: Int(arguments.last ?? "") ?? 100_000, peers: false)
    case "once":
      let words = Array(arguments)
      guard words.count == 3, let shape = Shape(rawValue: words[1]), let count = Int(words[2]) else {
        fail("usage: EngineBenchmark once \(Shape.allCases.map(\.rawValue).joined(separator: "|")) COUNT")
      }
      _ = try await engine(shape, count: count, repetitions: 1)
    default: try await schedule(count: Int(arguments.last ?? "") ?? 100_000)
    }
  }

  private static func schedule(count: Int, peers: Bool = true) async throws {
    for shape in Shape.allCases {
      let needs = shape.needs(count: count)
      let graph = PeerGraph(needs)
      report("schedule", "flowrun", shape, try await engine(shape, count: count, repetitions: 25))
      report(
        "schedule", "flowrun, events heard", shape,
        try await engine(shape, count: count, repetitions: 25, isHeard: true)
      )
      guard peers else { continue }
      report("schedule", "DispatchQueue.async", shape, best(15, needs.count, graph) { Peers.dispatch(graph) {} })
      report("schedule", "TaskGroup", shape, await best(3, needs.count, graph) { await Peers.taskGroup(graph) {} })
      if shape == .tree {
        report(
          "schedule", "OperationQueue", shape,
          best(1, 10_000, graph) { Peers.operations(Array(needs.prefix(10_000))) {} })
      }
    }
  }

  /// Prints the share of two cores' time that is spent in steps. For comparison, prints the same for two threads that
  /// spin without a scheduler.
  private static func efficiency() async throws {
    let clock = ContinuousClock()
    for microseconds in [1, 10] {
      let count = 200_000 / microseconds
      SpinAction.nanoseconds.store(microseconds * 1000, ordering: .relaxed)
      // The measurements alternate and the fastest of each counts, because other processes may use the machine as well.
      var (alone, bare, run) = (Duration.seconds(3600), Duration.seconds(3600), Double.infinity)
      for _ in 0..<12 {
        // The time of the work alone: the same spins, one after another, on one thread.
        alone = min(alone, clock.measure { for _ in 0..<count { SpinAction.spin() } })
        bare = min(
          bare,
          clock.measure {
            DispatchQueue.concurrentPerform(iterations: 2) { _ in for _ in 0..<(count / 2) { SpinAction.spin() } }
          })
        run = min(run, try await engine(.fan, count: count, repetitions: 2, action: SpinAction.name) * Double(count))
      }
      func percent(_ nanoseconds: Double) -> Double { rounded(Double(alone.nanoseconds) / (2 * nanoseconds) * 100) }
      print(
        "{\"row\":\"efficiency\",\"microseconds\":\(microseconds),\"percent\":\(percent(run)),\"bare\":\(percent(Double(bare.nanoseconds)))}"
      )
    }
  }

  /// Returns the nanoseconds per step, measured from the start of the run to the end of its last step.
  private static func engine(
    _ shape: Shape, count: Int, repetitions: Int, action: String = NoOperation.name, isHeard: Bool = false
  ) async throws -> Double {
    let ready = try prepared(shape, count: count, action: action)
    let folder = FileManager.default.temporaryDirectory.path
    var best = Double.infinity
    for _ in 0..<repetitions {
      var options = RunOptions(dataFolder: folder, workflowFolder: folder)
      if isHeard { options.observer = Listener() }
      let run = try ready.engine.start(ready.workflow, options: options)
      let report = await run.report
      precondition(report.conclusion == .success)
      best = min(best, report.durationMilliseconds * 1e6 / Double(report.stepCount))
    }
    return best
  }

  /// Returns a workflow of this shape, together with the engine that has prepared it.
  static func prepared(
    _ shape: Shape, count: Int, action: String = NoOperation.name
  ) throws -> (engine: Engine, workflow: PreparedWorkflow) {
    let needs = shape.needs(count: count)
    // As after loading a file, all dependencies are in one array, and each step has a slice of it.
    let places = needs.joined().map { StepIndex($0) }
    var steps: [Step] = []
    var start = 0
    for (index, list) in needs.enumerated() {
      let end = start + list.count
      steps.append(Step(id: StepID(unchecked: "s\(index)"), uses: action, needs: places[start..<end]))
      start = end
    }
    let engine = Engine(plugins: [BenchmarkPlugin()])
    let workflow = try PreparedWorkflow(
      WorkflowGraph(Workflow(name: "benchmark", steps: steps)), registry: engine.registry)
    return (engine, workflow)
  }

  private static func best(_ repetitions: Int, _ count: Int, _ graph: PeerGraph, _ body: () -> Void) -> Double {
    var best = Duration.seconds(3600)
    for _ in 0..<repetitions {
      graph.reset()
      best = min(best, ContinuousClock().measure(body))
    }
    return Double(best.nanoseconds) / Double(count)
  }

  private static func best(
    _ repetitions: Int, _ count: Int, _ graph: PeerGraph, _ body: () async -> Void
  ) async -> Double {
    var best = Duration.seconds(3600)
    for _ in 0..<repetitions {
      graph.reset()
      best = min(best, await ContinuousClock().measure(body))
    }
    return Double(best.nanoseconds) / Double(count)
  }

  private static func report(_ row: String, _ scheduler: String, _ shape: Shape, _ nanoseconds: Double) {
    print(
      "{\"row\":\"\(row)\",\"scheduler\":\"\(scheduler)\",\"shape\":\"\(shape.rawValue)\",\"nanoseconds\":\(rounded(nanoseconds))}"
    )
  }

  static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}

/// An observer that discards all events.
struct Listener: RunObserver {
  func receive(_ events: [RunEvent]) {}
}

/// The plugin with the actions of the measured steps.
struct BenchmarkPlugin: Plugin {
  static let name = "benchmark"
  var actions: [any ActionType.Type] { [NoOperation.self, SpinAction.self] }
}

/// An action without work, which measures the cost of scheduling alone.
struct NoOperation: Action {
  static let name = "benchmark.nothing"
  static let summary = "Does nothing"
  func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput { NoOutput() }
}

/// Keeps a processor busy for a set time.
struct SpinAction: Action {
  static let name = "benchmark.spin"
  static let summary = "Burns CPU"
  static let nanoseconds = Atomic(1000)

  static func spin() {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(nanoseconds.load(ordering: .relaxed))
    while DispatchTime.now().uptimeNanoseconds < end {}
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput {
    Self.spin()
    return NoOutput()
  }
}
