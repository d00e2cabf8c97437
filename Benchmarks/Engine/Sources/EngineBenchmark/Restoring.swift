import FlowKitYAML
import FlowStore
import FlowTestKit
import Foundation

extension EngineBenchmark {
  /// Prints the nanoseconds per journal entry that a new plan needs to apply a journal. The time is that of a report
  /// from a run's journal minus that of a report from an empty journal, each the shortest of several measurements.
  static func restoring(count: Int) async throws {
    let ready = try prepared(.chain, count: count)
    let folder = FileManager.default.temporaryDirectory.path
    let store = MemoryRunStore()
    var options = RunOptions(dataFolder: folder, workflowFolder: folder)
    options.history = RunHistory(
      file: "/benchmark.yaml", definition: [], holder: RunHolder(process: 1, host: "here")
    ) { _ in store }
    let report = await (try ready.engine.start(ready.workflow, options: options)).report
    precondition(report.conclusion == .success)
    let run = try store.runs(RunFilter())[0]
    let written = try RunRecollection(run, chunks: store.chunks(of: run.id), stepCount: count)
    let empty = try RunRecollection(run, chunks: [], stepCount: count)
    let graph = ready.workflow.graph
    var (most, least) = (Duration.seconds(3600), Duration.seconds(3600))
    for _ in 0..<25 {
      most = min(most, ContinuousClock().measure { _ = RunReport(written, of: graph, run) })
      least = min(least, ContinuousClock().measure { _ = RunReport(empty, of: graph, run) })
    }
    print("{\"row\":\"restore\",\"nanoseconds\":\(rounded(Double((most - least).nanoseconds) / Double(count)))}")
  }
}
