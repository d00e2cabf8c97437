import FlowModel
import FlowSecrets
import FlowStore

/// The plan of a resume: which steps are kept and which run again, each with the reason.
package struct ResumePlan: Sendable {
  /// The fate of a step in a resume: it is kept, runs again, fails or is left out.
  package enum Fate: Sendable, Hashable {
    /// The step succeeded and keeps its result.
    case kept
    case again(Reason)
    /// An attempt was interrupted, and `on-interrupt: fail` prevents another attempt.
    case failed
    /// The step does not run, because it was not selected for the resume or the run.
    case notSelected
  }

  /// The reason why a step runs again.
  package enum Reason: Sendable, Hashable {
    case unfinished
    /// The step finished with this outcome.
    case ended(Outcome)
    /// The step depends on this step, which runs again.
    case needs(StepIndex)
    /// The user chose the step.
    case chosen
    /// The step has changed, or the program of its plugin has.
    case changed
    /// The recorded workflow did not have the step.
    case new
    /// The effects of the step, such as an open handle, ended with the process, and a step that runs again depends on
    /// it.
    case gone
    /// The step belongs to `finally`.
    case final
    /// The outputs of the step contain paths in this folder, where the workflow was before.
    case moved(from: String)

    /// The reason in a few words. `name` must return the name of a step.
    public func text(_ name: (StepIndex) -> String) -> String {
      switch self {
      case .unfinished: "it had not finished"
      case .ended(let outcome): "\(outcome.word)"
      case .needs(let step): "it needs '\(name(step))'"
      case .chosen: "named on the command line"
      case .changed: "it has changed"
      case .new: "it is new"
      case .gone: "its effects ended with its process"
      case .final: "it runs at the end of every run"
      case .moved(let folder): "its outputs name the folder '\(folder)'"
      }
    }
  }

  /// The user's choices for a resume.
  package struct Wish: Sendable {
    /// The steps that run again even if they succeeded, together with their dependents.
    package var from: [StepIndex] = []
    /// The only steps that run. If empty, all steps that have not succeeded run.
    package var only: [StepIndex] = []
    /// The items that run again even if they succeeded, by step.
    package var items: [StepIndex: Set<Int>] = [:]
    /// The handling of steps that have succeeded and have changed since then.
    package var changes = Changes.refuse

    /// Creates the default choices: all steps that have not succeeded run again.
    package init() {}
  }

  /// The handling of steps that have succeeded and have changed since then.
  package enum Changes: Sendable, Hashable {
    case refuse, keep, rerun
  }

  /// The reason why a run cannot be resumed.
  package enum Refusal: Error, Sendable, Hashable {
    /// These steps have succeeded and have changed since then.
    case changed([StepIndex])
    /// The run was prewarmed but never activated.
    case neverActivated
    /// The first step is one of the steps to which the resume is limited, but it depends on the second one, which has
    /// not succeeded.
    case needs(StepIndex, StepIndex)
  }

  /// The content of the run's journal.
  let recollection: RunRecollection
  private let graph: WorkflowGraph
  /// The fate of each step, in file order.
  package private(set) var fates: [Fate]
  /// The journal entries that are kept. Their step indices are those of the current workflow file.
  private(set) var entries: [JournalEntry] = []
  private(set) var outputs: [StepIndex: ValueObject] = [:]
  /// For each step, the number of times that its success was discarded.
  private(set) var repetitions: [StepIndex: Int] = [:]
  /// The state of the items' idempotency keys, by step.
  private(set) var itemKeys: [StepIndex: ItemKeys] = [:]
  /// The outputs of kept items, by step. Their steps run again.
  private(set) var itemOutputs: [StepIndex: [Int: ValueObject]] = [:]
  /// The values of posted events.
  private(set) var eventValues: [RecordedEventValue] = []

  /// The mask that hides the secrets of the run in its journal, or nil if the run has none.
  private var mask: SecretMask?

  /// The kept items of a step that runs again.
  package struct KeptItems: Sendable, Hashable {
    var items: [Int]
    package var count: Int { items.count }
    /// True if the list of items is known to be unchanged. Otherwise, an item is kept only if the item at its index
    /// turns out to have the same key and value.
    package var isCertain: Bool
  }

  /// The kept items, for steps that run again.
  package private(set) var keptItems: [StepIndex: KeptItems] = [:]
  /// The indices of items that fail instead of running again, because an attempt was interrupted and the step has
  /// `on-interrupt: fail`.
  package private(set) var interruptedItems: [StepIndex: [Int]] = [:]
  /// The steps that would run again, but are skipped because they depend on one with the fate `failed`.
  package private(set) var heldBack: Set<StepIndex> = []
  /// The folder's move, if it makes steps run again because their outputs contain the old path; otherwise nil.
  private let lost: FolderMove?
  /// The steps that have changed, whether or not they succeeded.
  private var changedSteps: Set<StepIndex> = []
  /// The only steps that may run, or nil for all.
  let selected: Set<StepIndex>?

  /// The header of the run, with changes that the resume makes.
  package private(set) var header: RunHeader

  /// True if an earlier process could start steps of the run on executors.
  package var hadRemoteSteps: Bool { recollection.hadRemoteSteps }

  /// True if no steps remain except those of `finally`.
  package var isDone: Bool {
    !fates.contains { if case .again(let reason) = $0 { reason != .final } else { false } }
  }

  /// Plans the resume of a run.
  ///
  /// - Parameters:
  ///   - recollection: The content of the run's journal.
  ///   - before: The workflow as recorded, or nil if it has not changed.
  ///   - prepared: The current workflow.
  ///   - programs: The current fingerprints of the programs of external plugins, by plugin name.
  ///   - wish: The user's choices.
  package init(
    _ recollection: RunRecollection, of before: WorkflowGraph?, as prepared: PreparedWorkflow,
    programs: [String: String] = [:], _ wish: Wish
  ) throws(Refusal) {
    self.recollection = recollection
    eventValues = recollection.eventValues
    header = recollection.header
    let graph = prepared.graph
    self.graph = graph
    let pasts = StepPasts(recollection.entries, count: (before ?? graph).workflow.steps.count)
    let mapping = StepMapping(from: before, to: graph)
    let comparison = StepComparison(
      before: before, graph: graph, changedPlugins: Self.changed(recollection.header.programs, programs))
    lost = wish.changes == .keep || recollection.move?.isSameFolder == true ? nil : recollection.move
    selected = header.selection.map { prepared.selected(by: $0).union(wish.from + wish.only + wish.items.keys) }
    var fates = [Fate](repeating: .again(.new), count: graph.workflow.steps.count)
    for (old, past) in pasts.steps.enumerated() {
      guard let new = mapping[StepIndex(old)] else { continue }
      let options = graph.workflow.steps[Int(new)].options
      let fanOut = pasts.fanOuts[StepIndex(old)]
      fates[Int(new)] = past.fate(isOptional: comparison.isOptional(StepIndex(old)))
      if options.onInterrupt == .fail, past.stopsAtInterrupt || fanOut?.stopsAtInterrupt(options.fanOut) == true {
        fates[Int(new)] = .failed
      }
      if let lost, fates[Int(new)] == .kept, lost.isNamed(in: recollection.outputs[StepIndex(old)] ?? [:]) {
        fates[Int(new)] = .again(.moved(from: lost.from))
      }
      guard !comparison.isSame(StepIndex(old), new) else { continue }
      changedSteps.insert(new)
      guard wish.changes == .rerun, fates[Int(new)] != .failed, fates[Int(new)] == .kept || fanOut?.hasSuccess == true
      else { continue }
      fates[Int(new)] = .again(.changed)
    }
    for step in graph.stepsWithOptions {
      let options = graph.workflow.steps[Int(step)].options
      if options.isFinal, !options.isFinalInside { fates[Int(step)] = .again(.final) }
    }
    if let selected {
      for step in fates.indices where !selected.contains(StepIndex(step)) { fates[step] = .notSelected }
    }
    // A step in ``Wish/only`` starts from scratch if it had succeeded. Otherwise, its successful items are kept.
    let named = Set(wish.from + wish.only.filter { fates[Int($0)] == .kept })
    for step in wish.from + wish.only + wish.items.keys { fates[Int(step)] = .again(.chosen) }
    if wish.only.isEmpty { Self.spread(&fates, prepared) }
    // A secret answer is not recorded, so the step must ask again.
    let answered =
      recollection.header.hasPlaceholders
      ? Set(
        recollection.outputs.compactMap { old, outputs in
          SecretMask.holdsAnswer(outputs) ? mapping[old] : nil
        }) : []
    Self.revokeMissing(&fates, prepared, only: Set(wish.only), answered: answered)
    if !wish.only.isEmpty { try Self.leaveOut(&fates, graph, but: Set(wish.only), selected) }
    self.fates = fates
    let kept = stepsThatKeepSomething(pasts, mapping, wish, named, prepared)
    let changed = changedSteps.intersection(kept).sorted()
    guard wish.changes == .keep || changed.isEmpty else { throw .changed(changed) }
    guard pasts.isActivated else { throw .neverActivated }
    keepItems(pasts, mapping, wish, named, keepingIn: kept)
    keepEntries(pasts, mapping)
    retireKeys(pasts, mapping, before ?? graph)
    reviveKeys(mapping)
    holdBack(prepared)
  }

  /// Returns the plugins whose programs have changed. A program without a recorded fingerprint counts as unchanged.
  private static func changed(_ before: [String: String], _ now: [String: String]) -> Set<String> {
    Set(before.filter { name, digest in now[name].map { $0 != digest } ?? false }.keys)
  }

  /// Makes steps run again if one of their dependencies does.
  private static func spread(_ fates: inout [Fate], _ prepared: PreparedWorkflow) {
    let graph = prepared.graph
    for step in graph.topologicalOrder where fates[Int(step)] == .kept {
      let needs = graph.workflow.steps[Int(step)].needs
      if let need = needs.first(where: { fates[Int($0)] != .kept && fates[Int($0)] != .notSelected }) {
        fates[Int(step)] = .again(.needs(need))
      }
    }
  }

  /// True if the step is a service that `keep: services` keeps running at the end of the run.
  private static func isKeptService(_ step: StepIndex, _ prepared: PreparedWorkflow) -> Bool {
    let workflow = prepared.graph.workflow
    return workflow.keepsServices && workflow.scope(of: step) == nil
      && prepared.action(of: step).declaration.isService
  }

  /// Makes a kept step run again if its effects ended with the process, or if its outputs include a secret answer. This
  /// applies only if a step that runs depends on it, directly or indirectly. If `chosen` is not empty, only
  /// dependencies of these steps are considered.
  private static func revokeMissing(
    _ fates: inout [Fate], _ prepared: PreparedWorkflow, only chosen: Set<StepIndex>, answered: Set<StepIndex>
  ) {
    let graph = prepared.graph
    var isNeeded = [Bool](repeating: false, count: fates.count)
    for step in graph.topologicalOrder.reversed() {
      if fates[Int(step)] == .kept, isNeeded[Int(step)] || chosen.isEmpty && isKeptService(step, prepared),
        answered.contains(step) || prepared.action(of: step).declaration.actsOnProcess
      {
        fates[Int(step)] = .again(.gone)
      }
      let fate = fates[Int(step)]
      let runs = fate != .kept && fate != .failed && fate != .notSelected
      guard isNeeded[Int(step)] || (runs && (chosen.isEmpty || chosen.contains(step))) else { continue }
      // A step of `finally` depends on all others, but needs their effects only if its action requires handles.
      if fate == .again(.final), prepared.action(of: step).declaration.requires.isEmpty { continue }
      for need in graph.workflow.steps[Int(step)].needs { isNeeded[Int(need)] = true }
    }
  }

  /// Excludes steps that have not succeeded and were not chosen, except those whose effects are needed again. Throws if
  /// a chosen step without an `if` depends on an excluded one.
  private static func leaveOut(
    _ fates: inout [Fate], _ graph: WorkflowGraph, but chosen: Set<StepIndex>, _ selected: Set<StepIndex>?
  ) throws(Refusal) {
    for step in graph.topologicalOrder {
      switch fates[Int(step)] {
      case .again(.gone): break
      case .again where !chosen.contains(step): fates[Int(step)] = .notSelected
      default: break
      }
    }
    for step in chosen.sorted() where graph.workflow.steps[Int(step)].options.condition == nil {
      let needs = graph.workflow.steps[Int(step)].needs
      let isLeftOut = { (need: StepIndex) in
        fates[Int(need)] == .notSelected && selected?.contains(need) ?? true || fates[Int(need)] == .failed
      }
      if let open = needs.first(where: isLeftOut) {
        throw .needs(step, open)
      }
    }
  }

  /// Records the idempotency keys of steps that are no longer in the workflow file, in case they are added again.
  private mutating func retireKeys(_ pasts: StepPasts, _ mapping: StepMapping, _ before: WorkflowGraph) {
    for (old, past) in pasts.steps.enumerated() where mapping[StepIndex(old)] == nil {
      let id = before.workflow.steps[old].id
      if past.hasUsedKeys { header.retiredKeys[id.text] = past.repetitions + 1 }
      guard let fanOut = pasts.fanOuts[StepIndex(old)] else { continue }
      for item in Set(fanOut.hashes.indices).union(fanOut.items.keys) {
        header.retiredKeys[id.item(item).text] = (fanOut.items[item]?.repetitions ?? 0) + 1
      }
    }
  }

  /// Gives steps that were removed from the file and added again idempotency keys that have not been used.
  private mutating func reviveKeys(_ mapping: StepMapping) {
    for (name, count) in header.retiredKeys.sorted(by: { $0.key < $1.key }) {
      let item = StepID(unchecked: name).item
      guard let step = stepIndex(of: item?.step.text ?? name), !mapping.isKnown(step) else { continue }
      header.retiredKeys[name] = nil
      guard let item else {
        repetitions[step] = count
        entries.append(.carried(TaskInstance(step), attempts: 0, uncounted: 0, repetitions: count))
        continue
      }
      if itemKeys[step] == nil { entries.append(.expanded(step, hashes: [], atNanoseconds: 0)) }
      itemKeys[step, default: ItemKeys()].repetitions[item.index] = count
      entries.append(
        .carried(TaskInstance(step, item: item.index), attempts: 0, uncounted: 0, repetitions: count))
    }
  }

  private func stepIndex(of id: String) -> StepIndex? {
    graph.workflow.steps.firstIndex { $0.id.text == id }.map { StepIndex($0) }
  }

  /// Determines which steps will be skipped because they depend on a step with the fate `failed`.
  private mutating func holdBack(_ prepared: PreparedWorkflow) {
    guard fates.contains(.failed) else { return }
    for step in graph.topologicalOrder {
      let (own, options) = (graph.workflow.steps[Int(step)], graph.workflow.steps[Int(step)].options)
      guard case .again = fates[Int(step)], !options.isFinal, prepared.facts[step]?.statusFunctions.isEmpty ?? true,
        own.needs.contains(where: { need in
          heldBack.contains(need)
            || (fates[Int(need)] == .failed && !graph.workflow.steps[Int(need)].options.isOptional)
        })
      else { continue }
      heldBack.insert(step)
    }
  }

  /// Returns the steps that have results to keep: the kept steps, and fan-outs that run again but have items that
  /// succeeded.
  ///
  /// If a step of `finally`, or one that acts on the process, runs again, so do all of its items. The same is true of a
  /// changed fan-out that depends on a step that runs, because its items are determined again.
  private func stepsThatKeepSomething(
    _ pasts: StepPasts, _ mapping: StepMapping, _ wish: Wish, _ named: Set<StepIndex>, _ prepared: PreparedWorkflow
  ) -> Set<StepIndex> {
    var kept = Set(fates.indices.lazy.filter { fates[$0] == .kept }.map { StepIndex($0) })
    for (old, fanOut) in pasts.fanOuts {
      let restarts: [Fate] = [.again(.changed), .again(.final)]
      guard let new = mapping[old], !restarts.contains(fates[Int(new)]), !named.contains(new),
        !prepared.action(of: new).declaration.actsOnProcess,
        fanOut.items.contains(where: { $0.value.hasSucceeded && wish.items[new]?.contains($0.key) != true })
      else { continue }
      if changedSteps.contains(new) {
        guard wish.changes == .keep || (wish.changes == .refuse && !needsOneThatRuns(new)) else { continue }
      }
      kept.insert(new)
    }
    return kept
  }

  /// True if the step depends on a step that is not kept.
  private func needsOneThatRuns(_ step: StepIndex) -> Bool {
    graph.workflow.steps[Int(step)].needs.contains { fates[Int($0)] != .kept }
  }

  /// Adds the entries of items. A kept step keeps all of them. A step that runs again keeps those of items that
  /// succeeded, unless the user chose the step or the item, or the step has changed.
  private mutating func keepItems(
    _ pasts: StepPasts, _ mapping: StepMapping, _ wish: Wish, _ named: Set<StepIndex>,
    keepingIn steps: Set<StepIndex>
  ) {
    for (old, fanOut) in pasts.fanOuts.sorted(by: { $0.key < $1.key }) {
      guard let new = mapping[old] else { continue }
      let isKept = fates[Int(new)] == .kept
      let mustNotRepeat = graph.workflow.steps[Int(new)].options.onInterrupt == .fail && !named.contains(new)
      var keys = ItemKeys(hashes: fanOut.hashes)
      var kept: [Int] = []
      entries.append(.expanded(new, hashes: fanOut.hashes, atNanoseconds: 0))
      for (item, past) in fanOut.items.sorted(by: { $0.key < $1.key }) {
        let isChosen = wish.items[new]?.contains(item) == true
        let output = recollection.itemOutputs[old]?[item] ?? [:]
        let isLost = lost?.isNamed(in: output) == true || SecretMask.holdsAnswer(output)
        let stays = isKept || (past.hasSucceeded && !isChosen && !isLost && steps.contains(new))
        let task = TaskInstance(new, item: item)
        if stays, var finished = past.finished {
          finished.task = task
          finished.isAbandoned = finished.isAbandoned || past.wasAbandoned
          entries += past.attemptEntries.map { $0.with(task) }
          entries.append(.finished(finished, past.failure))
          if !isKept {
            itemOutputs[new, default: [:]][item] = recollection.itemOutputs[old]?[item]
            kept.append(item)
          }
        } else if past.stopsAtInterrupt, mustNotRepeat, !isChosen {
          entries.append(.finished(Self.interrupted(task, recollection), Self.interruption))
          interruptedItems[new, default: []].append(item)
        }
        let carried = past.carried(isKept: stays)
        if carried.repetitions > 0 { keys.repetitions[item] = carried.repetitions }
        guard carried.attempts > 0 || carried.repetitions > 0 else { continue }
        entries.append(
          .carried(
            task, attempts: carried.attempts, uncounted: carried.uncounted, repetitions: carried.repetitions))
      }
      itemKeys[new] = keys
      if case .again = fates[Int(new)], fanOut.hasSuccess {
        keptItems[new] = KeptItems(
          items: kept, isCertain: kept.isEmpty || !(needsOneThatRuns(new) || changedSteps.contains(new)))
      }
    }
  }

  /// The failure of an interrupted step or item whose step has `on-interrupt: fail`.
  private static let interruption = StepFailure(
    code: "interrupted", message: "its process ended while it ran, and 'on-interrupt: fail' keeps it from running again"
  )

  private static func interrupted(_ task: TaskInstance, _ recollection: RunRecollection) -> FinishedEntry {
    FinishedEntry(
      task, attempts: 1, outcome: .failure, readyAt: never, startedAt: never,
      endedAt: recollection.lastNanoseconds)
  }

  /// Adds the entries of kept steps, and those of the activation, posts and the opening of the gate, in their order.
  private mutating func keepEntries(_ pasts: StepPasts, _ mapping: StepMapping) {
    for (old, past) in pasts.steps.enumerated() {
      guard let new = mapping[StepIndex(old)] else { continue }
      let isKept = fates[Int(new)] == .kept
      let carried = past.carried(isKept: isKept)
      if carried.repetitions > 0 { repetitions[new] = carried.repetitions }
      // A fan-out counts attempts for each item, not for the step.
      let hasItems = pasts.fanOuts[StepIndex(old)] != nil || graph.workflow.steps[Int(new)].options.fanOut != nil
      let attempts = isKept || hasItems ? 0 : carried.attempts
      if carried.repetitions > 0 || attempts > 0 {
        entries.append(
          .carried(
            TaskInstance(new), attempts: attempts, uncounted: min(attempts, carried.uncounted),
            repetitions: carried.repetitions))
      }
      if isKept, let output = recollection.outputs[StepIndex(old)] { outputs[new] = output }
    }
    for entry in recollection.entries {
      switch entry {
      case .activated(let resolution, let time):
        var mapped = resolution
        mapped.disabled = StepList(resolution.disabled.compactMap { mapping[$0] })
        mapped.deferred = StepList(resolution.deferred.compactMap { mapping[$0] })
        entries.append(.activated(mapped, atNanoseconds: time))
      case .finished(var finished, let failure):
        let old = finished.task.step
        guard finished.task.item == nil, let new = mapping[old], fates[Int(new)] == .kept,
          pasts.steps[Int(old)].finished == finished
        else { continue }
        finished.task = TaskInstance(new)
        entries += pasts.steps[Int(old)].attemptEntries.map { $0.with(finished.task) }
        entries.append(.finished(finished, failure))
      case .posted(let name, .step(let poster), let time):
        entries.append(.posted(name, by: mapping[poster].map { .step($0) } ?? .unknown, atNanoseconds: time))
      case .posted: entries.append(entry)
      case .gateOpened(let opened): if opened.outcome != .failed { entries.append(entry) }
      case .tried, .lost, .started, .begun, .outlasted, .failedAfterReady, .cancelled, .carried, .expanded, .grown:
        break
      }
    }
    // Dependents come first, because a step that is left out would otherwise be skipped as soon as a dependency is.
    var attempts: [StepIndex: Int] = [:]
    for (old, past) in pasts.steps.enumerated() {
      if let new = mapping[StepIndex(old)] { attempts[new] = past.attempts }
    }
    for step in graph.topologicalOrder.reversed() where fates[Int(step)] == .notSelected {
      leaveOut(step, attempts: attempts[step] ?? 0)
    }
    for (index, fate) in fates.enumerated() where fate == .failed {
      entries.append(.finished(Self.interrupted(TaskInstance(StepIndex(index)), recollection), Self.interruption))
    }
  }

  private mutating func leaveOut(_ step: StepIndex, attempts: Int) {
    entries.append(
      .finished(
        FinishedEntry(
          TaskInstance(step), attempts: UInt8(clamping: attempts), outcome: .skipped, reason: .notSelected,
          readyAt: never, startedAt: never, endedAt: recollection.lastNanoseconds), nil))
  }

  /// Returns the plan with secrets instead of placeholders. Throws if a placeholder cannot be replaced.
  ///
  /// - Parameter inputs: The inputs of the run, including the secret ones, which the user has provided again.
  func filled(by mask: SecretMask?, inputs: ValueObject) throws(SecretMask.MissingSecret) -> ResumePlan {
    var plan = self
    plan.mask = mask
    plan.header.inputs = inputs
    guard header.hasPlaceholders else { return plan }
    plan.header = try plan.header.filled(by: mask)
    for (step, output) in outputs { plan.outputs[step] = try SecretMask.filled(output, by: mask) }
    for (step, outputs) in itemOutputs {
      for (item, output) in outputs { plan.itemOutputs[step]?[item] = try SecretMask.filled(output, by: mask) }
    }
    for index in eventValues.indices {
      plan.eventValues[index].value = try SecretMask.filled(eventValues[index].value, by: mask)
    }
    return plan
  }

  /// Returns the chunks that precede the first entries of a resumed run: the list of its epochs and, if it has changed,
  /// its header.
  func preface(epoch: RunEpoch, programs: [String: String]) -> [RunChunk] {
    let now = recollection.lastNanoseconds
    let epochs = recollection.epochs + [epoch]
    var chunks = [
      RunChunk(
        .epochs, wallMilliseconds: epoch.startedMilliseconds, runNanoseconds: now,
        body: JSONText.bytes(of: .array(epochs.map(\.value))))
    ]
    if programs != header.programs || header.retiredKeys != recollection.header.retiredKeys
      || recollection.header.hasPlaceholders != (mask != nil) || recollection.move != nil
    {
      var header = header
      header.programs = programs
      header.hasPlaceholders = false
      if let mask { header = header.withPlaceholders(by: mask) }
      chunks.append(
        RunChunk(
          .header, wallMilliseconds: epoch.startedMilliseconds, runNanoseconds: now, body: header.bytes))
    }
    return chunks
  }

  /// Returns the chunk of kept entries that begins the journal of a resumed run.
  func chunk(atNanoseconds now: Int) -> RunChunk {
    var writer = EntryWriter()
    for entry in entries { writer.add(entry) }
    for (step, output) in outputs.sorted(by: { $0.key < $1.key }) {
      writer.add(output: mask?.withPlaceholders(output) ?? output, of: step)
    }
    for (step, outputs) in itemOutputs.sorted(by: { $0.key < $1.key }) {
      for (item, output) in outputs.sorted(by: { $0.key < $1.key }) {
        writer.add(output: mask?.withPlaceholders(output) ?? output, of: step, item: item)
      }
    }
    for var recorded in eventValues {
      recorded.value = mask?.withPlaceholders(recorded.value) ?? recorded.value
      writer.add(recorded)
    }
    return RunChunk(
      .resume, wallMilliseconds: RunJournal.wallMilliseconds, runNanoseconds: now, body: writer.bytes)
  }
}
