import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

/// Reads the durations of a step from the recorded runs of a file.
package enum RecordedDurations {
  /// The maximum number of runs whose journals are read, starting with the newest, and the maximum number of bytes that
  /// are read. An editor waits for the result.
  private static let runLimit = 100
  private static let byteLimit = 1 << 20

  /// Returns the durations of a step's successful executions, from the start of the first attempt to the end of the
  /// step. The array is empty if there are none or if they cannot be read. Nothing is written.
  package static func of(_ step: String, in file: String, catalog: (String) -> ActionRegistry?) -> [Duration] {
    let folder = FilePath.folder(of: file)
    guard FilePath.exists(RunMemory.path(in: folder)),
      let store = try? RunMemory.openStore(in: folder, readOnly: true)
    else { return [] }
    return of(step, in: file, store, catalog: catalog).map(\.duration)
  }

  /// Returns the durations of a step's successful executions from an open store, each with the id of its run.
  package static func of(
    _ step: String, in file: String, _ store: any RunStore, catalog: (String) -> ActionRegistry?
  ) -> [(run: String, duration: Duration)] {
    var filter = RunFilter()
    filter.file = file
    filter.limit = runLimit
    guard let runs = try? store.runs(filter), let sizes = try? store.sizes() else { return [] }
    var bytesLeft = byteLimit
    var durations: [(run: String, duration: Duration)] = []
    // Most runs have the same definition, so the last one that was read is cached.
    var read: (definition: [UInt8], steps: [Step])?
    for run in runs where run.state != .running && RunHeader(run.header)?.selection == nil {
      bytesLeft -= sizes[run.id] ?? 0
      guard bytesLeft >= 0, let definition = try? store.definition(of: run.id) else { break }
      if read?.definition != definition {
        guard let catalog = catalog(file) else { break }
        let graph = WorkflowLoader(catalog: catalog).load(bytes: definition, file: file).graph
        read = (definition, graph?.workflow.steps ?? [])
      }
      guard let steps = read?.steps, let index = steps.firstIndex(where: { $0.id.text == step }),
        let chunks = try? store.chunks(of: run.id),
        let recollection = try? RunRecollection(run, chunks: chunks, stepCount: steps.count)
      else { continue }
      for (finished, _) in recollection.finishedSteps
      where finished.task.step == StepIndex(index) && finished.outcome == .success && finished.startedAt != .min {
        durations.append((run.id, .nanoseconds(finished.endedAt - finished.startedAt)))
      }
    }
    return durations
  }
}
