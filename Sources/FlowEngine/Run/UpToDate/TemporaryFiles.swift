import FlowExpressions
import FlowModel
import FlowPlatform
import Synchronization

/// The existing temporary files of a run.
final class TemporaryFiles: Sendable {
  struct Made: Sendable {
    var file: InputStamp
    var folder: String
    var maker: StepIndex
    /// True if the file was produced in the run of an item. That run cannot determine which steps of the outer run must
    /// run, so it keeps a file that one of them reads.
    var isOfItem = false
  }

  private let files = Mutex<[ByteName: Made]>([:])

  func add(_ stamps: [InputStamp], by maker: StepIndex, in folder: String) {
    files.withLock { files in
      for file in stamps {
        files[ByteName(FilePath.place(of: file.path, in: folder))] = Made(file: file, folder: folder, maker: maker)
      }
    }
  }

  /// Adds temporary files that remain after the run of an item.
  func add(_ others: [ByteName: Made], ofItemOf step: StepIndex) {
    files.withLock { files in
      for (place, var made) in others {
        (made.maker, made.isOfItem) = (step, true)
        files[place] = made
      }
    }
  }

  /// The files, by their absolute paths.
  var all: [ByteName: Made] { files.withLock { $0 } }

  /// Removes a file from the table, but not from the disk.
  func remove(_ place: ByteName) { files.withLock { _ = $0.removeValue(forKey: place) } }
}

// Temporary files are removed when all steps that read them have succeeded. They are produced again when they are
// needed.
extension WorkflowRun {
  /// Decides whether a step that is up to date except for removed temporary files must run. It must if a step that must
  /// run reads one of these files. This method reads files, so it must be called outside the run's lock.
  func decided(_ finding: UpToDateCheck.Finding, _ check: UpToDateCheck, _ step: StepIndex) -> UpToDateCheck.Finding {
    guard case .upToDate = finding, !options.isTrial else { return finding }
    let gone = check.temporaryFiles.gone
    if gone.isEmpty { return finding }
    let needed = TemporarySearch.neededFiles(of: self)
    if let file = gone.first(where: { needed.contains(ByteName(FilePath.place(of: $0.path, in: check.folder))) }) {
      return .runs(.temporary(file.path))
    }
    lent.lend(gone, in: check.folder)
    return finding
  }

  /// Decides which items of a fan-out must run, although they are up to date except for removed temporary files.
  func decideTemporaries(
    _ files: [Int: (existing: [InputStamp], gone: [InputStamp])], of step: StepIndex, in folder: String,
    _ surveyed: inout SurveyedItems
  ) {
    guard !options.isTrial, !files.isEmpty else { return }
    for own in files.values { temporaries.add(own.existing, by: step, in: folder) }
    if surveyed.gone.isEmpty { return }
    let needed = TemporarySearch.neededFiles(of: self)
    for (index, gone) in surveyed.gone {
      if let file = gone.first(where: { needed.contains(ByteName(FilePath.place(of: $0.path, in: folder))) }) {
        surveyed.findings[index] = .runs(.temporary(file.path))
      } else {
        lent.lend(gone, in: folder)
      }
    }
  }

  /// Records the temporary files that a step or item has produced.
  func noteTemporaries(of instance: StepIndex, _ check: UpToDateCheck) {
    let files = check.temporaryFiles.existing
    if !files.isEmpty { temporaries.add(files, by: instances.owner(of: instance), in: check.folder) }
  }

  /// Finds the temporary files of steps that finished in an earlier process of a resumed run.
  func recallTemporaries() {
    guard hasTemporaries else { return }
    let steps = prepared.graph.workflow.steps
    for step in prepared.graph.steps(stating: .preparation) {
      guard steps[Int(step)].options.produces.contains(where: \.isTemporary),
        let files = prepared.detail(of: step)?.files
      else { continue }
      let (scope, hasEnded) = state.withLock { state in
        let reading = state.plan[step]
        return (self.scope(step, state), reading.outcome == .success || reading.reason == .upToDate)
      }
      guard hasEnded else { continue }
      let folder = workflowFolder(of: step)
      func recall(_ stamp: StepStamp?, _ scope: RunScope) {
        guard let stamp, !stamp.isOfFailure, let makes = try? files.evaluate(in: scope).makes else { return }
        let all = TemporaryNames(makes).filter(stamp.products)
        func exists(_ file: InputStamp) -> Bool { FilePath.exists(FilePath.place(of: file.path, in: folder)) }
        temporaries.add(all.filter(exists), by: step, in: folder)
        lent.lend(all.filter { !exists($0) }, in: folder)
      }
      if steps[Int(step)].options.fanOut == nil {
        recall(StepStamp(of: idInAll(of: step), in: run.dataFolder), scope)
      } else if let values = try? survey(step, checksItems: false).values {
        let stamps = ItemStamps(of: idInAll(of: step), in: run.dataFolder, reads: true)
        for (index, key) in values.recordKeys.enumerated() {
          var scope = scope
          scope.item = values.item(index)
          recall(stamps[key], scope)
        }
      }
    }
  }

  // MARK: Removing

  /// Schedules ``removeTemporaries()`` outside the run's lock.
  func removeTemporariesSoon(at now: Int) {
    deadlines.schedule(atNanoseconds: now) { [self] in removeTemporaries() }
  }

  /// Removes the temporary files of this run that have readers, all of which have succeeded, and the temporary files of
  /// items' runs that no step may read. Files that are outputs of the run are kept.
  func removeTemporaries() {
    let made = temporaries.all
    guard !made.isEmpty, !options.isTrial else { return }
    let readers = temporaryReaders(except: nil)
    let kept = filesOfOutputs()
    for (place, own) in made.sorted(by: { $0.key < $1.key }) where !kept.makers.contains(own.maker) {
      if kept.places.contains(place) { continue }
      let matching = readers.filter { $0.mayRead(place.text, of: own.maker, in: self) }
      if own.isOfItem {
        guard matching.isEmpty else { continue }
      } else {
        guard !matching.isEmpty, matching.allSatisfy(\.hasSucceeded) else { continue }
      }
      temporaries.remove(place)
      switch OwnedFile.remove(own.file, from: own.folder, below: run.workflowFolder) {
      case .removed: log("removed the temporary file '\(own.file.path)'", level: .debug, step: own.maker)
      case .kept(let reason):
        log("kept the temporary file '\(own.file.path)': \(reason)", level: .debug, step: own.maker)
      }
    }
  }

  /// At the end of an item's run, passes its remaining temporary files to the outer run, whose steps may read them.
  /// Files that are outputs of the item are not passed on.
  func handOverTemporaries() {
    guard let outer = options.outer, !options.isTrial else { return }
    let left = temporaries.all
    if left.isEmpty { return }
    let kept = filesOfOutputs()
    let readers = temporaryReaders(except: nil).filter { $0.run === self }
    let rest = left.filter { place, own in
      !kept.makers.contains(own.maker) && !kept.places.contains(place)
        && readers.contains { $0.mayRead(place.text, of: own.maker, in: self) }
    }
    if rest.isEmpty { return }
    outer.run.temporaries.add(rest, ofItemOf: outer.run.instances.owner(of: outer.instance))
  }

  /// A step that may read temporary files, in this run or an outer one.
  fileprivate struct Reader {
    var run: WorkflowRun
    var step: StepIndex
    var hasSucceeded: Bool
    /// The steps, in the same run, whose products it reads.
    var makers: Set<StepIndex>
    var patterns: [NamePattern]

    func mayRead(_ place: String, of maker: StepIndex, in own: WorkflowRun) -> Bool {
      if run === own, step == maker { return false }
      return run === own && makers.contains(maker) || patterns.contains { $0.matches(place) }
    }
  }

  private func temporaryReaders(except step: StepIndex?) -> [Reader] {
    let workflow = prepared.graph.workflow
    let readings = withPlan { state in
      workflow.steps.indices.map { index in
        let reading = state.plan[StepIndex(index)]
        return (outcome: reading.outcome, reason: reading.reason)
      }
    }
    let scopes = withPlan { state in
      workflow.steps.indices.map { index -> RunScope? in
        readings[index].outcome != nil && workflow.steps[index].hasOptions ? scope(StepIndex(index), state) : nil
      }
    }
    var readers: [Reader] = []
    for (index, own) in workflow.steps.enumerated() where own.hasOptions && StepIndex(index) != step {
      let reading = readings[index]
      if reading.reason == .condition || reading.reason == .disabled { continue }
      var reader = Reader(
        run: self, step: StepIndex(index), hasSucceeded: reading.outcome == .success || reading.reason == .upToDate,
        makers: [], patterns: [])
      if let scope = scopes[index], own.options.fanOut == nil,
        let reads = try? prepared.detail(of: StepIndex(index))?.files?.evaluate(in: scope).reads
      {
        // The step has ended, so its paths can be evaluated.
        let folder = workflowFolder(of: StepIndex(index))
        for named in reads where !PatternText.isExclusion(named.pattern) {
          reader.patterns += Self.namePatterns(named.pattern, in: folder, workflow.texts)
        }
      } else {
        addReads(of: own, StepIndex(index), to: &reader)
      }
      if !reader.makers.isEmpty || !reader.patterns.isEmpty { readers.append(reader) }
    }
    if let outer = options.outer {
      readers += outer.run.temporaryReaders(except: outer.run.instances.owner(of: outer.instance))
    }
    return readers
  }

  private func addReads(of own: Step, _ step: StepIndex, to reader: inout Reader) {
    let workflow = prepared.graph.workflow
    let folder = workflowFolder(of: step)
    let prefix = workflow.scope(of: step).map { workflow.scopes[$0].prefix } ?? ""
    var patterns: [NamePattern] = []
    defer { reader.patterns = patterns }
    let texts = workflow.texts
    func add(_ pattern: String, in folder: String) { patterns += Self.namePatterns(pattern, in: folder, texts) }
    for pattern in own.options.inputsFrom.map(\.pattern) where !PatternText.isExclusion(pattern) {
      let references = Value.string(pattern).references(texts)
      let ofItems = references.contains { $0.name.lowercased() == ItemContext.item }
      let sources: Value =
        switch own.options.fanOut?.source {
        case .items(let value)?: ofItems ? value : .null
        case .files(let patterns)?: ofItems ? .array(patterns.map { .string($0) }) : .null
        default: .null
        }
      let makers = (references + sources.references(texts)).compactMap { reference -> StepIndex? in
        guard reference.name.lowercased() == "steps", reference.path.count > 1,
          reference.path[1].lowercased() == "products"
        else { return nil }
        return names[prefix + reference.path[0]]
      }
      reader.makers.formUnion(makers)
      // A pattern that is only an expression for products, or for the path of an item from a list of files, can match
      // no other files.
      if !makers.isEmpty, ProductTable.text(of: pattern, texts) == "*" { continue }
      if ofItems, case .files(let patterns)? = own.options.fanOut?.source,
        ProductTable.text(of: pattern, texts) == "*"
      {
        for pattern in patterns where !PatternText.isExclusion(pattern) { add(pattern, in: folder) }
        continue
      }
      add(pattern, in: folder)
    }
    guard let each = workflow.itemWorkflows[own.uses] else { return }
    patterns += readPatterns(of: each)
  }

  private static func namePatterns(
    _ pattern: String, in folder: String, _ texts: WorkflowTexts
  ) -> [NamePattern] {
    let text = ProductTable.text(of: pattern, texts)
    return NamePattern.ofWholePaths(FilePath.isAbsolute(text) ? text : "\(PatternText.quoted(folder))/\(text)")
  }

  /// Returns the files that the steps of an item's workflow read.
  func readPatterns(of each: ItemWorkflow) -> [NamePattern] {
    let home = each.folder.isEmpty ? run.workflowFolder : "\(run.workflowFolder)/\(each.folder)"
    var patterns: [NamePattern] = []
    for (index, step) in each.workflow.steps.enumerated() where step.hasOptions {
      let scope = each.workflow.scope(of: StepIndex(index)).map { each.workflow.scopes[$0].folder } ?? ""
      let folder = scope.isEmpty ? home : "\(home)/\(scope)"
      for pattern in step.options.inputsFrom.map(\.pattern) where !PatternText.isExclusion(pattern) {
        patterns += Self.namePatterns(pattern, in: folder, each.workflow.texts)
      }
      if let inner = each.workflow.itemWorkflows[step.uses] { patterns += readPatterns(of: inner) }
    }
    return patterns
  }

  /// Returns the files that are outputs of the run, and the steps whose products an output refers to.
  private func filesOfOutputs() -> (places: Set<ByteName>, makers: Set<StepIndex>) {
    let workflow = prepared.graph.workflow
    var makers: Set<StepIndex> = []
    func note(_ references: [ContextReference], _ prefix: String) {
      for reference in references where reference.path.count < 2 || reference.path[1].lowercased() == "products" {
        if let id = reference.path.first, let step = names[prefix + id] { makers.insert(step) }
      }
    }
    note(Value.object(workflow.outputs).stepReferences(workflow.texts), "")
    for (index, step) in workflow.steps.enumerated() where step.hasOptions && step.options.includeRole == .exit {
      note(
        Value.object(step.with).stepReferences(workflow.texts),
        workflow.scope(of: StepIndex(index)).map { workflow.scopes[$0].prefix } ?? "")
    }
    let outputs = withPlan { state in (try? prepared.outputs.evaluate(in: scope(nil, state))) ?? [:] }
    let texts = Value.object(outputs).texts
    return (Set(texts.map { ByteName(FilePath.place(of: $0, in: run.workflowFolder)) }), makers)
  }
}

extension Value {
  fileprivate func references(_ texts: WorkflowTexts) -> [ContextReference] {
    ((try? PreparedValue(self, texts)) ?? .literal(.null)).references
  }

  fileprivate var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let values): values.flatMap(\.texts)
    case .object(let members): members.flatMap { $0.value.texts }
    case .null, .boolean, .integer, .number: []
    }
  }
}
