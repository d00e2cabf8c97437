import FlowModel
import FlowSecrets
import FlowStore

/// The plan of a resume: which steps are kept, which run again, and the reasons.
public struct ResumePlan: Sendable {
  /// The handling of a step.
  public enum Fate: Sendable, Hashable {
    /// It succeeded, and is kept.
    case kept
    case again(Reason)
    /// An attempt was interrupted, and the step must not run twice automatically.
    case failed
    /// Other steps were selected, and it does not run.
    case notSelected
  }

  /// The reason why a step runs again.
  public enum Reason: Sendable, Hashable {
    /// It had not finished.
    case unfinished
    /// It had finished with this outcome.
    case ended(Outcome)
    /// It depends on a step that runs again.
    case needs(StepIndex)
    /// It was selected.
    case chosen
    /// The step or its plugin's program has changed.
    case changed
    /// It is not in the journal.
    case new
    /// Its effects ended with its process, and a step that runs again depends on it.
    case gone
    /// It is in `finally`.
    case final
    /// Its outputs contain paths of a folder from which the workflow has moved.
    case moved(from: String)

    /// The reason in a few words. `name` returns the name of a step.
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

  /// The request for a resume.
  public struct Wish: Sendable {
    /// The steps from which to start again.
    public var from: [StepIndex] = []
    /// The only steps to run. Empty for all that have not succeeded.
    public var only: [StepIndex] = []
    /// The items of steps to run again.
    public var items: [StepIndex: Set<Int>] = [:]
    /// The handling of kept steps that have changed.
    public var changes = Changes.refuse

    /// Creates the default request: all steps that have not succeeded run again.
    public init() {}
  }

  /// The handling of steps that have changed.
  public enum Changes: Sendable, Hashable {
    case refuse, keep, rerun
  }

  /// The reason why a run cannot be resumed.
  public enum Refusal: Error, Sendable, Hashable {
    /// These steps succeeded and have changed since then.
    case changed([StepIndex])
    /// The run was prewarmed and never activated.
    case neverActivated
    /// The only step to run depends on one that has not succeeded.
    case needs(StepIndex, StepIndex)
  }

  /// The content of the journal.
  let recollection: RunRecollection
  /// The workflow of the resumed run.
  private let graph: WorkflowGraph
  /// The handling of each step, in file order.
  public private(set) var fates: [Fate]
  /// The journal entries that are kept, with the steps of the present file.
  private(set) var entries: [JournalEntry] = []
  private(set) var outputs: [StepIndex: ValueObject] = [:]
  /// The number of times each step's success was discarded.
  private(set) var repetitions: [StepIndex: Int] = [:]
  /// The idempotency keys that items have used.
  private(set) var itemKeys: [StepIndex: ItemKeys] = [:]
  /// The outputs of kept items of steps that run again.
  private(set) var itemOutputs: [StepIndex: [Int: ValueObject]] = [:]
  /// The values of posted events.
  private(set) var eventValues: [RecordedEventValue] = []

  /// Hides the secrets of the run in the journal, or nil if it has none.
  private var mask: SecretMask?

  /// The kept items of a step that runs again.
  public struct KeptItems: Sendable, Hashable {
    /// The indices of the kept items.
    var items: [Int]
    /// The number of kept items.
    public var count: Int { items.count }
    /// True if the list has not changed. Otherwise, an item is only kept if its index, key and value are still the
    /// same.
    public var isCertain: Bool
  }

  /// The kept items of steps that run again, by step.
  public private(set) var keptItems: [StepIndex: KeptItems] = [:]
  /// The indices of items that do not run again because an attempt was interrupted.
  public private(set) var interruptedItems: [StepIndex: [Int]] = [:]
  /// The steps that would run again, but depend on one that must not run twice.
  public private(set) var heldBack: Set<StepIndex> = []
  /// The move of the workflow's folder, if outputs with the old path are not kept.
  private let lost: FolderMove?
  /// The steps that have changed.
  private var changedSteps: Set<StepIndex> = []
  /// The only steps that may run, or nil for all.
  let selected: Set<StepIndex>?

  /// The header of the run.
  public private(set) var header: RunHeader

  /// True if steps of the run were started remotely.
  public var hadRemoteSteps: Bool { recollection.hadRemoteSteps }

  /// True if nothing is left to run.
  public var isDone: Bool {
    !fates.contains { if case .again(let reason) = $0 { reason != .final } else { false } }
  }

  /// Plans the resume of a run.
  ///
  /// - Parameters:
  ///   - recollection: The content of the run's journal.
  ///   - before: The workflow of the journal, or nil if it is the same one.
  ///   - prepared: The present workflow.
  ///   - programs: The present fingerprints of external plugins' programs, by plugin name.
  ///   - wish: The steps to repeat or to keep.
  public init(
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
    // A step that was selected to run alone runs from the start if it had succeeded. Otherwise, its successful items
    // are kept.
    let named = Set(wish.from + wish.only.filter { fates[Int($0)] == .kept })
    for step in wish.from + wish.only + wish.items.keys { fates[Int(step)] = .again(.chosen) }
    if wish.only.isEmpty { Self.spread(&fates, prepared) }
    // A secret answer is not recorded.
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

  /// The plugins whose programs have changed. Programs that were not recorded count as unchanged.
  private static func changed(_ before: [String: String], _ now: [String: String]) -> Set<String> {
    Set(before.filter { name, digest in now[name].map { $0 != digest } ?? false }.keys)
  }

  /// Marks the dependents of steps that run again to run again, too.
  private static func spread(_ fates: inout [Fate], _ prepared: PreparedWorkflow) {
    let graph = prepared.graph
    for step in graph.topologicalOrder where fates[Int(step)] == .kept {
      let needs = graph.workflow.steps[Int(step)].needs
      if let need = needs.first(where: { fates[Int($0)] != .kept && fates[Int($0)] != .notSelected }) {
        fates[Int(step)] = .again(.needs(need))
      }
    }
  }

  /// True if a service keeps the run from ending after everything else has finished.
  private static func isKeptService(_ step: StepIndex, _ prepared: PreparedWorkflow) -> Bool {
    let workflow = prepared.graph.workflow
    return workflow.keepsServices && workflow.scope(of: step) == nil
      && prepared.action(of: step).declaration.isCommandService
  }

  /// Marks kept steps to run again if a step that runs again depends on them, directly or not, and their effects ended
  /// with the process or their outputs include a secret answer. If only some steps run, only their dependencies are
  /// considered.
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
      // Steps of `finally` depend on all others, but need live handles only if their action requires them.
      if fate == .again(.final), prepared.action(of: step).declaration.requires.isEmpty { continue }
      for need in graph.workflow.steps[Int(step)].needs { isNeeded[Int(need)] = true }
    }
  }

  /// Leaves out the steps that have not succeeded and were not selected.
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

  /// Records the used keys of steps that are no longer in the file.
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

  /// Sets unused keys for steps that were added to the file again.
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

  /// Records the steps that are skipped because they depend on one that failed when it was interrupted.
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

  /// The steps with anything to keep: the kept steps, and fan-outs that run again but have successful items.
  ///
  /// All items of a step in `finally`, or of one that acts on the process, run again with it. If the list of a changed
  /// step is evaluated again, because the step depends on one that runs again, all its items run again, as the step
  /// itself would.
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

  /// True if a step depends on one that is not kept.
  private func needsOneThatRuns(_ step: StepIndex) -> Bool {
    graph.workflow.steps[Int(step)].needs.contains { fates[Int($0)] != .kept }
  }

  /// Keeps the entries of items. For a kept step these are all entries; for one that runs again, those of its
  /// successful items, unless the items or the step were selected or the step has changed.
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

  /// The failure of an interrupted step or item that must not run twice automatically.
  private static let interruption = StepFailure(
    code: "interrupted", message: "its process ended while it ran, and 'on-interrupt: fail' keeps it from running again"
  )

  private static func interrupted(_ task: TaskInstance, _ recollection: RunRecollection) -> FinishedEntry {
    FinishedEntry(
      task, attempts: 1, outcome: .failure, readyAt: never, startedAt: never,
      endedAt: recollection.lastNanoseconds)
  }

  /// Keeps the entries of kept steps, of the launch, of events, and of a gate that opened, in order.
  private mutating func keepEntries(_ pasts: StepPasts, _ mapping: StepMapping) {
    for (old, past) in pasts.steps.enumerated() {
      guard let new = mapping[StepIndex(old)] else { continue }
      let isKept = fates[Int(new)] == .kept
      let carried = past.carried(isKept: isKept)
      if carried.repetitions > 0 { repetitions[new] = carried.repetitions }
      // The items of a fan-out have their own attempts.
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
        entries.append(.finished(finished, failure))
      case .posted: entries.append(entry)
      case .gateOpened(let opened): if opened.outcome != .failed { entries.append(entry) }
      case .tried, .started, .begun, .failedAfterReady, .cancelled, .carried, .expanded, .grown: break
      }
    }
    // Dependents first. Otherwise a step that is left out would count as skipped because of its dependencies.
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

  /// Returns the plan with the secrets of the resumed run. Throws if one is missing.
  ///
  /// - Parameter inputs: The inputs, including those that were given again.
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

  /// The chunks that a resumed run writes before its first journal entries: its processes, and its header if the
  /// programs of plugins have changed.
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

  /// The chunk with which the journal of the resumed run begins.
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
