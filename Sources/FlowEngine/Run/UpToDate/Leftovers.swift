import FlowModel
import FlowPlatform
import Synchronization

/// Files that items of steps have made which are not in the list of their step any more. The runs of items share the table of the
/// whole run.
final class Leftovers: Sendable {
  /// The files left by removed items of a step.
  struct Remains: Sendable {
    /// The step with the items around it.
    var name: String
    /// The step of the whole run under which it is reported.
    var step: StepIndex
    /// The state of the files when the items succeeded.
    var files: [InputStamp]
    /// The absolute path of the folder that the paths start from.
    var folder: String
    /// Why nothing of it may be removed; nil: it may.
    var obstacle: String?
    /// The files in the data folder that hold the records of these items.
    var records: [String]
  }

  private let entries = Mutex<[Remains]>([])
  /// The steps of the whole run whose items were looked at.
  private let steps = Mutex<Set<StepIndex>>([])

  /// Adds what is left of the items of a step.
  func add(_ entry: Remains) { entries.withLock { $0.append(entry) } }

  /// Notes that the items of a step of the whole run are known.
  func noteItems(of step: StepIndex) { steps.withLock { _ = $0.insert(step) } }

  /// Whether the items of a step of the whole run are known.
  func knowsItems(of step: StepIndex) -> Bool { steps.withLock { $0.contains(step) } }

  /// All that is known.
  var all: [Remains] { entries.withLock { $0 } }
}

extension WorkflowRun {
  /// Whether the items that are gone must be looked for, even if nothing else has changed.
  var asksForLeftovers: Bool {
    options.removesLeftovers || options.isTrial || options.outer?.run.asksForLeftovers == true
  }

  /// Notes what is left of items of a step that are not in its list any more.
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

  /// Whether the list of a step may lack items because a step before it did not succeed.
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
    // A list that comes from a skipped step is what its fallback says.
    let prefix = prepared.graph.workflow.scope(of: step).map { prepared.graph.workflow.scopes[$0].prefix } ?? ""
    return (steps[Int(step)].options.fanOut?.references ?? []).contains { reference in
      guard reference.name.lowercased() == "steps", let id = reference.path.first, let source = names[prefix + id]
      else {
        return false
      }
      return state.plan.outcome(of: source) == .skipped && state.plan[source].reason != .upToDate
    }
  }

  // MARK: The end of the run

  /// Reports what is left of items that are gone, and removes it if that was asked for.
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

  /// The files left behind, without those that something else makes.
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

  /// The files left by removed items that had a workflow of their own.
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
        // Steps in workflows of items of items have other folders, and their names have another bracket.
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
