import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

/// A recorded run, its journal and its workflow.
package struct HistoryRun {
  package let run: StoredRun
  package let chunks: [[UInt8]]
  package let graph: WorkflowGraph
  let definition: [UInt8]
  /// The result of loading the recorded definition.
  let loaded: LoadResult
  package let recollection: RunRecollection

  /// Reads a run from its store. Throws an ``InvalidWorkflow`` if its definition can no longer be loaded, for example
  /// because a plugin is missing, or if its journal cannot be read.
  package init(_ run: StoredRun, _ store: any RunStore, _ installation: Installation) throws {
    self.run = run
    chunks = try store.chunks(of: run.id)
    definition = try store.definition(of: run.id)
    let result = WorkflowLoader(catalog: installation.registry).load(bytes: definition, file: run.file)
    guard let graph = result.graph else {
      throw InvalidWorkflow(
        description: result.rendered(usesColor: StandardOutput.errorAllowsColor)
          + "flowrun: what run \(RunReference.short(run.id)) ran cannot be read by this flowrun with its plugins\n")
    }
    self.graph = graph
    loaded = result
    do throws(RunRecollection.JournalProblem) {
      recollection = try RunRecollection(run, chunks: chunks, stepCount: graph.workflow.steps.count)
    } catch {
      throw InvalidWorkflow(description: "flowrun: \(error)\n")
    }
  }

  /// Reads the run with a name or id as described in ``RunReference``.
  package init(_ name: String, in place: RunPlace, _ plugins: PluginArguments) throws {
    let store = try place.open()
    let run = try RunReference.find(name, in: try store.list(RunFilter()))
    try self.init(run, store, try Installation(around: run.file, given: plugins.folders))
  }

  /// The report of the run, including its state and the processes that ran it. If the run has not ended, the report
  /// contains what has been recorded so far.
  package var report: RunReport {
    var report = RunReport(recollection, of: graph, run)
    report.takeItemNames(in: chunks, of: graph)
    let secret = Set(graph.workflow.inputs.filter(\.isSecret).map(\.name))
    for (name, value) in recollection.header.inputs where !secret.contains(name) { report.origin.inputs[name] = value }
    report.origin.lastLines = FailureLines.lines(of: report, in: chunks)
    report.origin.file = run.file
    report.origin.startedAt = WallTime.text(run.startedMilliseconds)
    let epochs = recollection.epochs.map { epoch -> Value in
      [
        "epoch": .integer(epoch.epoch), "host": .string(epoch.holder.host), "pid": .integer(epoch.holder.process),
        "startedAt": .string(WallTime.text(epoch.startedMilliseconds)),
      ]
    }
    let kept = recollection.kept.map { graph.workflow.steps[Int($0)].id }
    report.record = RunReport.Record(state: run.state, epochs: epochs, kept: Set(kept))
    return report
  }
}
