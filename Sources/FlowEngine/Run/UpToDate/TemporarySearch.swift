import FlowExpressions
import FlowModel
import FlowPlatform

/// Finds the removed temporary files that must be produced again, because a step that must run reads them.
///
/// It predicts the result of each unfinished step in a trial run, which has the state of the real one and runs no step.
/// A step that produces a file again may change it, so steps that read the file must run too. This is repeated until no
/// more steps are added.
struct TemporarySearch {
  private enum Fate { case known, runs, out }

  /// A step, or an item of a step.
  private struct Unit {
    var step: StepIndex
    var folder: String
    var reads: [NamedFiles]
    var makes: [NamedFiles]
    var gone: [InputStamp]
    var runs: Bool
    /// True if it must run when one of its step's dependencies runs.
    var followsNeeds = true
    /// True if the files that the step reads are unknown, so any file may be among them.
    var readsAll = false
    /// The files that steps in the item's workflow may read.
    var itemReads: [NamePattern] = []
  }

  private let run: WorkflowRun
  private var fates: [StepIndex: Fate] = [:]
  private var units: [Unit] = []

  /// Returns the absolute paths of removed temporary files that must be produced again.
  static func neededFiles(of real: WorkflowRun) -> Set<ByteName> {
    var options = real.options
    (options.history, options.observer, options.isTrial) = (nil, nil, true)
    let trial = WorkflowRun(real.prepared, options: options, runID: real.run.id)
    trial.lent.add(real.lent)
    let steps = real.prepared.graph.workflow.steps
    let known = real.withPlan { state in
      let readings = steps.indices.map { index in
        let reading = state.plan[StepIndex(index)]
        return (outcome: reading.outcome, reason: reading.reason, conclusion: reading.conclusion)
      }
      return (readings, state.outputs, state.products, state.environment, state.launch)
    }
    trial.state.withLock { (state: inout RunState) in
      (state.outputs, state.products, state.environment, state.launch) = (known.1, known.2, known.3, known.4)
    }
    var search = TemporarySearch(trial)
    for (index, reading) in known.0.enumerated() where reading.outcome != nil {
      let hasResults = reading.conclusion == .success || reading.reason == .upToDate
      search.fates[StepIndex(index)] = hasResults ? .known : .out
    }
    search.lookAtSteps()
    return search.needed()
  }

  private init(_ run: WorkflowRun) { self.run = run }

  // MARK: What each step would do

  private mutating func lookAtSteps() {
    let (prepared, steps) = (run.prepared, run.prepared.graph.workflow.steps)
    let scope = run.state.withLock { run.scope(nil, $0) }
    let disabled = (try? prepared.resolution(in: scope).disabled) ?? []
    let selected = run.options.selection.map { prepared.selected(by: $0) }
    for step in prepared.graph.topologicalOrder where fates[step] == nil {
      let own = steps[Int(step)]
      let isWithoutNeeds = own.options.condition == nil && own.needs.contains { fates[$0] == .out }
      if disabled.contains(step) || selected?.contains(step) == false || isWithoutNeeds && !own.options.isFinal
        || run.isSkipped(step)
      {
        fates[step] = .out
        continue
      }
      let needsRun = own.needs.contains { fates[$0] == .runs }
      if own.options.inputsFrom.isEmpty, own.options.produces.isEmpty {
        fates[step] = .runs
        if let each = prepared.graph.workflow.itemWorkflows[own.uses] { addItemRuns(of: step, each) }
      } else if own.options.fanOut != nil {
        lookAtItems(of: step, own, needsRun: needsRun)
      } else {
        look(at: step, own, needsRun: needsRun)
      }
    }
  }

  /// Adds a step whose items run workflows. The steps of those workflows are not checked.
  private mutating func addItemRuns(of step: StepIndex, _ each: ItemWorkflow) {
    units.append(
      Unit(
        step: step, folder: run.workflowFolder(of: step), reads: [], makes: [], gone: [], runs: true,
        itemReads: run.readPatterns(of: each)))
  }

  private mutating func addUnknown(_ step: StepIndex) {
    fates[step] = .runs
    units.append(
      Unit(
        step: step, folder: run.workflowFolder(of: step), reads: [], makes: [], gone: [], runs: true, readsAll: true))
  }

  private mutating func look(at step: StepIndex, _ own: Step, needsRun: Bool) {
    guard let check = run.state.withLock({ state in run.inputs(of: step, &state)?.check }) else {
      return addUnknown(step)
    }
    var runs = true
    if case .upToDate(let outputs) = check.result() {
      runs = needsRun
      run.state.withLock { $0.outputs[step] = outputs }
    }
    let gone = check.temporaryFiles.gone
    run.lent.lend(gone, in: check.folder)
    units.append(
      Unit(step: step, folder: check.folder, reads: check.reads, makes: check.makes, gone: gone, runs: runs))
    keepProducts([paths(check.makes, gone, in: check.folder)], of: step)
    fates[step] = runs ? .runs : .known
  }

  private mutating func lookAtItems(of step: StepIndex, _ own: Step, needsRun: Bool) {
    let references = own.options.fanOut?.references(run.prepared.graph.workflow.texts)
    let isListUnknown = (references ?? []).contains { $0.name.lowercased() == "steps" } && needsRun
    let readsProducts = references.map { references in
      references.allSatisfy {
        $0.name.lowercased() != "steps" || $0.path.count > 1 && $0.path[1].lowercased() == "products"
      }
    }
    guard !isListUnknown || readsProducts == true, let detail = run.prepared.detail(of: step),
      let surveyed = try? run.survey(step, checksItems: true), let checks = surveyed.checks
    else { return addUnknown(step) }
    let followsNeeds = !detail.itemsReadOnly(Set(ItemContext.names).union(["inputs", "env", "run", "launch"]))
    let folder = run.workflowFolder(of: step)
    var (runsAny, outputs, products) = (false, [ValueObject?](), [[String]]())
    for (index, item) in checks.items.enumerated() {
      guard let item else {
        outputs.append(nil)
        continue
      }
      var runs = true
      if case .upToDate(let own)? = surveyed.finding(of: index) {
        runs = needsRun && followsNeeds
        outputs.append(own)
      } else {
        outputs.append(nil)
      }
      let gone = surveyed.gone[index] ?? []
      run.lent.lend(gone, in: folder)
      units.append(
        Unit(
          step: step, folder: folder, reads: item.reads, makes: item.makes, gone: gone, runs: runs,
          followsNeeds: followsNeeds))
      products.append(paths(item.makes, gone, in: folder))
      if runs { runsAny = true }
    }
    let columns = run.state.withLock { _ in run.columns(of: step, outputs) }
    run.state.withLock { $0.outputs[step] = columns }
    keepProducts(products, of: step)
    fates[step] = runsAny ? .runs : .known
  }

  /// Returns the known products of a step or item, including removed ones.
  private func paths(_ makes: [NamedFiles], _ gone: [InputStamp], in folder: String) -> [String] {
    var memo = FileMemo(in: folder, remembers: false)
    var paths: [String] = []
    for named in makes where !PatternText.isExclusion(named.pattern) {
      paths += memo.files(named.pattern, limit: Limits.watchedFiles).found.paths
    }
    return paths + gone.map(\.path).filter { !paths.contains($0) }
  }

  private func keepProducts(_ products: [[String]], of step: StepIndex) {
    run.state.withLock { $0.products[step] = WorkflowRun.products(products) }
  }

  // MARK: What follows

  private mutating func needed() -> Set<ByteName> {
    let gone = Set(units.flatMap { unit in unit.gone.map { place($0.path, unit) } })
    if gone.isEmpty { return [] }
    let steps = run.prepared.graph.workflow.steps
    var needed: Set<ByteName> = []
    var made: Set<ByteName> = []
    var running = Set(fates.filter { $0.value == .runs }.keys)
    var isNew = true
    while isNew {
      isNew = false
      for index in units.indices {
        let unit = units[index]
        if !unit.runs {
          let mustRun =
            unit.gone.contains { needed.contains(place($0.path, unit)) } || reads(unit, anyOf: made)
            || unit.followsNeeds && steps[Int(unit.step)].needs.contains { running.contains($0) }
          guard mustRun else { continue }
          units[index].runs = true
          running.insert(unit.step)
          isNew = true
        }
        let before = (needed.count, made.count)
        needed.formUnion(gone.filter { !needed.contains($0) && (unit.readsAll || reads(unit, $0)) })
        made.formUnion(paths(unit.makes, unit.gone, in: unit.folder).map { place($0, unit) })
        if before != (needed.count, made.count) { isNew = true }
      }
    }
    return needed
  }

  private func place(_ path: String, _ unit: Unit) -> ByteName { ByteName(FilePath.place(of: path, in: unit.folder)) }

  private func reads(_ unit: Unit, anyOf places: Set<ByteName>) -> Bool {
    if places.isEmpty { return false }
    var hasPatterns = false
    for named in unit.reads {
      if let path = FilePattern.plainPath(named.pattern) {
        if places.contains(place(path, unit)) { return true }
      } else {
        hasPatterns = true
      }
    }
    return hasPatterns && places.contains { reads(unit, $0) }
  }

  private func reads(_ unit: Unit, _ place: ByteName) -> Bool {
    if unit.itemReads.contains(where: { $0.matches(place.text) }) { return true }
    let own = FilePath.path(of: place.text, below: unit.folder) ?? place.text
    return unit.reads.contains { named in
      if PatternText.isExclusion(named.pattern) { return false }
      if let path = FilePattern.plainPath(named.pattern) { return self.place(path, unit) == place }
      let pattern = FilePattern(named.pattern)
      return pattern.covers(own) || pattern.covers(place.text)
    }
  }
}

extension WorkflowRun {
  /// True if it is known that the `if` of a step is false.
  fileprivate func isSkipped(_ step: StepIndex) -> Bool {
    if case .skip? = prepared.condition(of: step).flatMap({ knownDecision($0, of: step) }) { true } else { false }
  }
}
