import FlowModel
import FlowPlatform
import Synchronization

/// The leftovers of a run: files of items that are no longer in the list of their step. The runs of items share the
/// table of the outer run.
final class Leftovers: Sendable {
  /// The leftovers of one step.
  struct Remains: Sendable {
    /// The full name of the step, including the items of outer runs.
    var name: String
    /// The step of the outermost run that reports the leftovers.
    var step: StepIndex
    /// The files, with their states when the items succeeded.
    var files: [InputStamp]
    /// The absolute path of the folder to which the paths of the files are relative.
    var folder: String
    /// The reason why the files must not be removed, or nil if they may be.
    var obstacle: String?
    /// The paths of the records, in the data folder, that contain the removed items.
    var records: [String]
  }

  private let entries = Mutex<[Remains]>([])
  /// The steps of the outermost run whose items are known.
  private let steps = Mutex<Set<StepIndex>>([])

  func add(_ entry: Remains) { entries.withLock { $0.append(entry) } }

  /// Records that the items of a step are known. The step must be one of the outermost run.
  func noteItems(of step: StepIndex) { steps.withLock { _ = $0.insert(step) } }

  /// True if the items of this step of the outermost run are known.
  func knowsItems(of step: StepIndex) -> Bool { steps.withLock { $0.contains(step) } }

  var all: [Remains] { entries.withLock { $0 } }
}

extension WorkflowRun {
  /// True if leftovers must be found even if nothing else has changed since the last run.
  var asksForLeftovers: Bool {
    options.removesLeftovers || options.isTrial || options.outer?.run.asksForLeftovers == true
  }

  /// Records the leftovers of a step and the fact that its items are known.
  func noteLeftovers(of step: StepIndex, _ files: [InputStamp], in folder: String, isListEmpty: Bool) {
    if options.outer == nil { leftovers.noteItems(of: step) }
    guard !files.isEmpty else { return }
    let isDoubtful = state.withLock { isListDoubtful(of: step, $0) }
    leftovers.add(
      Leftovers.Remains(
        name: fullName(of: step), step: outermost(step), files: files, folder: folder,
        obstacle: Self.obstacle(isListEmpty: isListEmpty, isDoubtful: isDoubtful),
        records: [ItemStamps(of: idInAll(of: step), in: run.dataFolder, reads: false).path]))
  }

  private static func obstacle(isListEmpty: Bool, isDoubtful: Bool) -> String? {
    isListEmpty ? "its list is empty" : isDoubtful ? "a step before it did not succeed" : nil
  }

  private func outermost(_ step: StepIndex) -> StepIndex {
    options.outer.map { $0.run.outermost($0.run.instances.owner(of: $0.instance)) } ?? step
  }

  /// True if items may be missing from the list of a step because a step upstream did not succeed.
  func isListDoubtful(of step: StepIndex, _ state: borrowing RunState) -> Bool {
    let steps = prepared.graph.workflow.steps
    var open = [step]
    var seen: Set<StepIndex> = []
    while let current = open.popLast() {
      for need in steps[Int(current)].needs where seen.insert(need).inserted {
        open.append(need)
        switch state.plan.outcome(of: need) {
        case .failure, .timedOut, .cancelled: return true
        case .success, .skipped, nil: break
        }
      }
    }
    // If the step from which the list comes was skipped, the list is a fallback value and may be incomplete.
    let prefix = prepared.graph.workflow.scope(of: step).map { prepared.graph.workflow.scopes[$0].prefix } ?? ""
    return (steps[Int(step)].options.fanOut?.references(prepared.graph.workflow.texts) ?? []).contains { reference in
      guard reference.name.lowercased() == "steps", let id = reference.path.first, let source = names[prefix + id]
      else {
        return false
      }
      return state.plan.outcome(of: source) == .skipped && state.plan[source].reason != .upToDate
    }
  }

  // MARK: The end of the run

  /// Reports leftovers at the end of a run. Removes them if `removes` is true and nothing prevents it.
  func handleLeftovers(removes: Bool) {
    for leftover in currentLeftovers() {
      let names = leftover.files.map(\.path)
      guard removes, leftover.obstacle == nil else {
        let obstacle = leftover.obstacle ?? (options.removesLeftovers ? "the run did not succeed" : nil)
        let advice = "--clean-removed removes \(names.count == 1 ? "it" : "them")"
        let shown = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        log(
          "items that are no longer in its list have left \(shown)\(more); "
            + (obstacle.map { "kept, because \($0)" } ?? advice), level: .info, step: leftover.step)
        continue
      }
      for file in leftover.files {
        switch OwnedFile.remove(file, from: leftover.folder, below: run.workflowFolder) {
        case .removed: log("removed '\(file.path)', left by an item that is gone", level: .info, step: leftover.step)
        case .kept(let reason): log("kept '\(file.path)': \(reason)", level: .info, step: leftover.step)
        }
      }
    }
  }

  /// Returns the leftovers, without files that another step or item still produces.
  func currentLeftovers() -> [Leftovers.Remains] {
    var entries = leftovers.all + leftoversOfItemWorkflows()
    guard !entries.isEmpty else { return [] }
    let others = OtherProducts(of: self, except: Set(entries.flatMap(\.records)), entries)
    for index in entries.indices {
      let folder = entries[index].folder
      entries[index].files.removeAll { file in
        let place = FilePath.place(of: file.path, in: folder)
        return others.contains(place) || !OwnedFile.isRegular(place)
      }
    }
    return entries.filter { !$0.files.isEmpty }
  }

  /// Returns the leftovers of removed items for which a workflow ran.
  private func leftoversOfItemWorkflows() -> [Leftovers.Remains] {
    let (current, doubtful) = state.withLock { ($0.itemRecords, $0.doubtfulLists) }
    let workflow = prepared.graph.workflow
    let folder = StepStamp.folder(in: run.dataFolder)
    guard !current.isEmpty, let names = FilePath.names(in: folder) else { return [] }
    var entries: [Leftovers.Remains] = []
    for (step, items) in current.sorted(by: { $0.key < $1.key }) {
      let start = StepStamp.name(of: stepID(of: step)) + "["
      let keys = Set(items.map { Self.hexadecimal($0) })
      guard let each = workflow.itemWorkflows[workflow.steps[Int(step)].uses] else { continue }
      for name in names.sorted() where name.hasPrefix(start) {
        let rest = name.dropFirst(start.count)
        guard let close = rest.firstRange(of: "]+"), !keys.contains(String(rest[..<close.lowerBound])) else { continue }
        let inner = rest[close.upperBound...]
        // Skip the records of items of inner runs, whose names contain another bracket.
        guard
          let own = each.workflow.steps.firstIndex(where: {
            let name = StepStamp.name(of: $0.id)
            return inner == "\(name).step" || inner == "\(name).items"
          })
        else { continue }
        let scope = each.workflow.scope(of: StepIndex(own)).map { each.workflow.scopes[$0].folder } ?? ""
        let place = ([run.workflowFolder, each.folder, scope].filter { !$0.isEmpty }).joined(separator: "/")
        entries.append(
          Leftovers.Remains(
            name: stepID(of: step).text, step: step, files: OtherProducts.products(inRecord: "\(folder)/\(name)"),
            folder: place, obstacle: Self.obstacle(isListEmpty: items.isEmpty, isDoubtful: doubtful[step] == true),
            records: ["\(folder)/\(name)"]))
      }
    }
    return entries
  }
}
