import FlowCLI
import FlowEngine
import FlowInsight
import FlowInsightCommands
import FlowModel
import FlowPluginKit
import FlowSystem

extension RunLibrary {
  /// The number of runs whose items are cached. The page of a running run requests them every second.
  private static let keptItems = 4

  /// Adds the values of items to a run. Only values in its journal are known.
  func noteItems(in reported: inout ReportedRun, of recorded: HistoryRun, _ registry: ActionRegistry) {
    guard !reported.itemStates.isEmpty else { return }
    let expansions = recorded.recollection.entries.count { if case .expanded = $0 { true } else { false } }
    let key = "\(recorded.run.id) \(recorded.run.epoch) \(expansions)"
    let known = items.withLock { kept in kept.first { $0.key == key }?.items }
    let all = known ?? Self.items(of: reported.itemStates.keys.sorted(), recorded, registry)
    if known == nil { items.withLock { $0 = Array(([(key, all)] + $0).prefix(Self.keptItems)) } }
    for (step, found) in all {
      for place in (reported.itemStates[step] ?? []).indices {
        guard let item = reported.itemStates[step]?[place].index, let recorded = found[item] else { continue }
        reported.itemStates[step]?[place].key = recorded.key
        reported.itemStates[step]?[place].value = recorded.value
      }
    }
    for place in reported.failures.indices {
      guard let item = reported.failures[place].item else { continue }
      reported.failures[place].value = all[reported.failures[place].step]?[item]?.value
    }
  }

  private static func items(
    of steps: [Int], _ recorded: HistoryRun, _ registry: ActionRegistry
  ) -> [Int: [Int: RecordedItem]] {
    let (graph, recollection) = (recorded.graph, recorded.recollection)
    guard let prepared = try? PreparedWorkflow(graph, registry: registry),
      let stage = try? RunStage(
        prepared, inputs: recollection.header.inputs, launch: recollection.header.launch, outputs: recollection.outputs,
        capacity: .unlimited)
    else { return [:] }
    let plan = recollection.plan(of: graph)
    let folder = FilePath.folder(of: recorded.run.file)
    var items: [Int: [Int: RecordedItem]] = [:]
    for step in steps { items[step] = stage.items(of: StepIndex(step), in: plan, as: recollection, folder: folder) }
    return items
  }

  /// Returns the times at which attempts ended, except the last one of each step or item, in milliseconds from the
  /// start of the run. The keys are the names of steps and items as in the log.
  static func attemptEnds(in recorded: HistoryRun) -> ValueObject {
    let steps = recorded.graph.workflow.steps
    var ends: ValueObject = [:]
    for entry in recorded.recollection.entries {
      let (task, time): (TaskInstance, Int)
      switch entry {
      case .tried(let ended, _, _, let at), .lost(let ended, _, _, let at): (task, time) = (ended, at)
      default: continue
      }
      let id = steps[Int(task.step)].id.text
      let name = task.item.map { "\(id)[\($0)]" } ?? id
      ends[name] = .array((ends[name]?.arrayValue ?? []) + [.number(Double(time) / 1_000_000)])
    }
    return ends
  }
}
