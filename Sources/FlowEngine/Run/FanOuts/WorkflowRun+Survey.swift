import FlowExpressions
import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowSecrets

/// The items of a fan-out, with the files and findings that determine which of them are up to date.
struct SurveyedItems: Sendable {
  var values: FanOutValues
  /// The decisions for items for which the step's `if` is false or invalid, by index.
  var refused: [Int: Decision] = [:]
  /// The files that each item reads and produces, or nil if the step declares none.
  var checks: ItemChecks?
  /// For each item, whether it is up to date, or nil if that was not checked. Empty if no item was checked.
  var findings: [UpToDateCheck.Finding?] = []
  /// The temporary files of up-to-date items that have been removed, by index.
  var gone: [Int: [InputStamp]] = [:]
  /// The products that items made in earlier runs, or in the earlier process of a resumed run. Empty unless an
  /// expression reads them.
  var products: [Int: [String]] = [:]

  func finding(of index: Int) -> UpToDateCheck.Finding? { findings.isEmpty ? nil : findings[index] }
}

/// The files that a fan-out runs for, if they were listed before the run began.
struct ListedFiles: Sendable {
  var values: FanOutValues
  /// The files that each item reads and produces. Empty if they are not known.
  var items: [ItemChecks.Item?] = []
  /// The stamp of an earlier run in which all items of this list were up to date, or nil if there is none.
  var stamp: FanOutStamp?
}

// Items are determined outside the run's lock if they are files, or if their files must be checked.
extension WorkflowRun {
  /// True if files must be read in order to determine the items of a fan-out.
  func needsSurvey(_ step: StepIndex) -> Bool {
    guard let detail = prepared.detail(of: step), let fanOut = detail.fanOut else { return false }
    return fanOut.isOfFiles || detail.files != nil
  }

  /// Determines the items of a fan-out on a separate thread.
  func beginSurvey(of step: StepIndex) {
    do throws(SystemError) {
      try DetachedThread.start(name: "items") { [self] in endSurvey(of: step) }
    } catch {
      endSurvey(of: step)
    }
  }

  private func endSurvey(of step: StepIndex) {
    let surveyed: Result<SurveyedItems, StepFailure>
    do throws(StepFailure) {
      surveyed = .success(try survey(step, checksItems: true))
    } catch {
      surveyed = .failure(error)
    }
    let aftermath = withPlan { state -> Aftermath? in
      guard state.plan.isExpanding(step) else { return nil }
      let expansion: Expansion =
        switch surveyed {
        case .success(let items): .items(storeItems(items, of: step, &state))
        case .failure(let failure): .fail(hidden(failure))
        }
      state.plan.apply(.expanded(step, expansion), at: state.instant(clock.now))
      return carryOut(&state)
    }
    if let aftermath { perform(aftermath) }
  }

  /// Determines the items of a fan-out. It reads files, so it must be called outside the run's lock.
  ///
  /// - Parameter checksItems: True to check also which items are up to date.
  func survey(_ step: StepIndex, checksItems: Bool) throws(StepFailure) -> SurveyedItems {
    guard let detail = prepared.detail(of: step), let fanOut = detail.fanOut else {
      return SurveyedItems(values: FanOutValues([]))
    }
    let values = try withPlan { state in
      Result { () throws(StepFailure) in try fanOut.values(in: scope(step, state)) }
    }.get()
    let folder = workflowFolder(of: step)
    var listed = ListedFiles(values: values)
    if fanOut.isOfFiles {
      if let known = listedFiles.withLock({ $0.removeValue(forKey: step) }) {
        listed = known
      } else {
        listed.values = try Self.files(values.indices.compactMap { values[$0].stringValue }, in: folder) { link in
          warnOnce("step '\(stepID(of: step))' has no item for '\(link)', a link that leads to nothing")
        }
      }
    }
    guard let files = detail.files else {
      return SurveyedItems(
        values: listed.values, refused: checksItems ? withPlan { refusals(of: step, listed.values, $0) } : [:])
    }
    let key = stampKey(of: step, detail, listed, folder)
    // If leftovers are asked for, each item is checked, because the stamp does not list removed items.
    if let key, !asksForLeftovers, let stamp = listed.stamp ?? FanOutStamp(of: idInAll(of: step), in: run.dataFolder),
      stamp.key.files == key.files
    {
      // When the stamp was written, no two items produced the same file, so this need not be checked again.
      if !checksItems {
        listed.stamp = stamp
        keep(listed, of: step)
        return SurveyedItems(values: listed.values)
      }
      if stamp.key == key, let findings = findings(stamp, ofItems: listed.values.count, in: folder) {
        return SurveyedItems(
          values: listed.values, findings: findings,
          products: readsProducts(of: step) ? recordedProducts(ofItems: listed.values.recordKeys, of: step) : [:])
      }
    }
    var checks = itemChecks(of: step, reads: checksItems)
    let known = listed.items
    var surveyed = try withPlan { state in
      Result { () throws(StepFailure) in
        var surveyed = SurveyedItems(values: listed.values)
        if checksItems { surveyed.refused = refusals(of: step, listed.values, state) }
        try describe(
          listed.values, of: step, detail, files, refused: surveyed.refused, withInputs: checksItems, known: known,
          &checks, state)
        return surveyed
      }
    }.get()
    if known.isEmpty, let collision = checks.collision(listed.values.describe) { throw collision }
    surveyed.checks = checks
    guard checksItems else {
      if files.isKnownFromTheStart { listed.items = checks.items }
      keep(listed, of: step)
      return surveyed
    }
    if checks.items.contains(where: { $0 == nil }) { checks.allKeys = listed.values.recordKeys }
    let looked = checks.look()
    for note in looked.notes { warnOnce(note) }
    if let problem = looked.problem {
      warn("which items of step '\(stepID(of: step))' are up to date cannot be recorded: \(problem)")
    }
    noteLeftovers(of: step, looked.leftover, in: folder, isListEmpty: listed.values.count == 0)
    if let key, let (outputs, files) = looked.unchanged {
      FanOutStamp.write(key, outputs: outputs, files: files, of: idInAll(of: step), in: run.dataFolder)
    }
    (surveyed.checks, surveyed.findings) = (checks, looked.findings)
    surveyed.gone = looked.temporary.mapValues(\.gone).filter { !$0.value.isEmpty }
    decideTemporaries(looked.temporary, of: step, in: folder, &surveyed)
    if readsProducts(of: step) { surveyed.products = checks.recordedProducts(looked.findings, ofAll: origin != nil) }
    return surveyed
  }

  /// Stores the listed files until the items are determined, unless a step may change them before that.
  private func keep(_ listed: ListedFiles, of step: StepIndex) {
    guard prepared.detail(of: step)?.fanOut?.isOfFiles == true, !options.isPrewarmed, origin == nil else { return }
    listedFiles.withLock { $0[step] = listed }
  }

  /// Returns the key of the stamp for all items together. Returns nil if results of other steps may affect the items,
  /// or if the step is forced to run.
  private func stampKey(
    of step: StepIndex, _ detail: StepDetail, _ listed: ListedFiles, _ folder: String
  ) -> FanOutStamp.Key? {
    let own = prepared.graph.workflow.steps[Int(step)]
    guard !isForced(own), detail.fanOut?.asksForEachItem == false, detail.files?.isKnownFromTheStart == true,
      detail.itemsReadOnly(Set(ItemContext.names).union(["inputs", "env"]))
    else { return nil }
    let scope = state.withLock { state in self.scope(step, state) }
    var common = SHA256()
    for object in commonValues(detail, scope) { common.combine(JSONText.bytes(of: .object(object))) }
    // A stored list need not be hashed again, because its stamp contains the digest.
    let files = listed.stamp?.key.files ?? filesDigest(of: step, listed.values, scope.inputs, folder)
    return FanOutStamp.Key(files: files, values: common.finish())
  }

  /// Returns a digest of the step's definition, the inputs of the run, and the items.
  private func filesDigest(
    of step: StepIndex, _ values: FanOutValues, _ inputs: ValueObject, _ folder: String
  ) -> String {
    var files = SHA256()
    for text in [Release.version, basis(of: step).definition, folder] { files.combine(Array(text.utf8) + [0]) }
    files.combine(JSONText.bytes(of: .object(inputs)))
    for index in values.indices {
      if let path = values.path(of: index) {
        files.combine(Array(path.utf8) + [0])
      } else {
        files.combine(JSONText.bytes(of: [values.keys.map { .string($0[index]) } ?? .null, values[index]]))
      }
    }
    return files.finish()
  }

  /// Returns the outputs of all items if the stamp shows that all are up to date, or nil if each must be checked.
  private func findings(_ stamp: FanOutStamp, ofItems count: Int, in folder: String) -> [UpToDateCheck.Finding?]? {
    guard stamp.outputs.count == count else { return nil }
    let now = clock.now
    guard stamp.isAsItWas(in: folder) else { return nil }
    if clock.virtual == nil { recentStates.keep(stamp.states, of: stamp.files, in: folder, at: now) }
    do throws(SecretMask.MissingSecret) {
      var findings: [UpToDateCheck.Finding?] = []
      findings.reserveCapacity(stamp.outputs.count)
      for outputs in stamp.outputs {
        findings.append(.upToDate(try mask == nil ? outputs : SecretMask.filled(outputs, by: mask)))
      }
      return findings
    } catch {
      return nil
    }
  }

  /// Checks before the run starts whether two items would produce the same file. It checks only fan-outs whose items
  /// depend on nothing but inputs, because only those are known at that time.
  func checkProducts() throws(PreparedWorkflow.PreparationProblem) {
    for step in prepared.graph.steps(stating: .fanOut) {
      let own = prepared.graph.workflow.steps[Int(step)]
      guard let fanOut = own.options.fanOut, !own.options.produces.isEmpty, fanOut.event == nil,
        fanOut.references(prepared.graph.workflow.texts).allSatisfy({ $0.name.lowercased() == "inputs" }),
        own.needs.isEmpty || prepared.detail(of: step)?.fanOut?.isOfFiles == false,
        prepared.graph.workflow.scope(of: step) == nil,
        prepared.detail(of: step)?.fanOut?.asksForEachItem == false
      else { continue }
      do throws(StepFailure) {
        _ = try survey(step, checksItems: false)
      } catch {
        guard error.code == "same-product" else { continue }
        throw PreparedWorkflow.PreparationProblem(step: own.id, message: hidden(error).message)
      }
    }
  }

  /// Returns the definition of a step, which is compared with the definition in the last run.
  private func basis(of step: StepIndex) -> UpToDateCheck.Basis {
    let workflow = prepared.graph.workflow
    return UpToDateCheck.Basis(
      step: workflow.steps[Int(step)], folder: workflow.scope(of: step).map { workflow.scopes[$0].folder } ?? "",
      inputs: [:], variables: [:], needs: [])
  }

  private func itemChecks(of step: StepIndex, reads: Bool) -> ItemChecks {
    let basis = basis(of: step)
    var checks = ItemChecks(
      basis.step.id.text, stamps: ItemStamps(of: idInAll(of: step), in: run.dataFolder, reads: reads),
      definition: basis.definition, common: [], folder: workflowFolder(of: step), isForced: isForced(basis.step),
      mask: mask)
    checks.makers = makers
    checks.lent = lent
    return checks
  }

  /// Returns the inputs and variables that are the same for all items.
  private func commonValues(_ detail: StepDetail, _ scope: RunScope) -> [ValueObject] {
    var common = [scope.environment]
    switch detail.inputs {
    case .bound(let literal): common.append(literal.values)
    case .withPaths(let literal): common.append(literal)
    case .nothing, .evaluated: break
    }
    if let literal = detail.environment.literal { common.append(literal) }
    return common
  }

  /// Evaluates the inputs, read files and products of each item. `known` contains the files of each item if they have
  /// been evaluated before; otherwise it is empty.
  private func describe(
    _ values: FanOutValues, of step: StepIndex, _ detail: StepDetail, _ files: PreparedFiles,
    refused: [Int: Decision], withInputs: Bool, known: [ItemChecks.Item?], _ checks: inout ItemChecks, _ state: RunState
  ) throws(StepFailure) {
    var scope = scope(step, state)
    checks.common = commonValues(detail, scope)
    var inputs: PreparedObject?
    if case .evaluated(let object) = detail.inputs, withInputs { inputs = object }
    checks.items.reserveCapacity(values.count)
    let keys = known.isEmpty ? values.recordKeys : []
    for index in values.indices {
      guard refused[index] == nil else {
        checks.items.append(nil)
        continue
      }
      var given: [ValueObject]? = []
      if known.isEmpty || inputs != nil || detail.environment.literal == nil { scope.item = values.item(index) }
      if let inputs { given = (try? inputs.evaluate(in: scope)).map { [$0] } }
      if withInputs, detail.environment.literal == nil {
        if let variables = try? scope.variables(detail.environment) { given?.append(variables) } else { given = nil }
      }
      if !known.isEmpty {
        var item = known[index]
        if let given { item?.given = given } else { item = nil }
        checks.items.append(item)
        continue
      }
      let (reads, makes): ([NamedFiles], [NamedFiles])
      do throws(StepFailure) {
        (reads, makes) = try files.evaluate(in: scope)
      } catch {
        throw StepFailure(code: error.code, message: "\(values.describe(index)): \(error.message)")
      }
      checks.items.append(
        given.map { ItemChecks.Item(key: keys[index], reads: reads, makes: makes, given: $0) })
    }
  }

  /// Stores the items of a fan-out, for its bodies and for a resume.
  private func storeItems(_ surveyed: SurveyedItems, of step: StepIndex, _ state: inout RunState) -> FanOutItems {
    var items = storeItems(surveyed.values, refused: surveyed.refused, of: step, &state)
    guard var own = state.fanOuts.removeValue(forKey: step) else { return items }
    own.checks = surveyed.checks
    own.products = surveyed.products
    own.outputs.reserveCapacity(surveyed.findings.count)
    for (index, finding) in surveyed.findings.enumerated() {
      switch finding {
      case .upToDate(let outputs):
        items.upToDate.append(index)
        guard !outputs.isEmpty, own.outputs[index] == nil else { continue }
        own.outputs[index] = outputs
        own.bytes += Value.object(outputs).roughBytes
      case .fails(let failure): items.refused[index] = .fail(hidden(failure))
      case .runs, nil: break
      }
    }
    state.fanOuts[step] = own
    if !items.upToDate.isEmpty, options.isObserved {
      let count = surveyed.values.count
      let message =
        switch items.upToDate.count {
        case count: count == 1 ? "its only item is up to date" : "all \(count) items are up to date"
        case 1: "1 of \(count) items is up to date"
        default: "\(items.upToDate.count) of \(count) items are up to date"
        }
      state.undelivered.append(
        .event(
          RunEvent(
            atNanoseconds: state.instant(clock.now),
            .stepLog(stepID(of: step), level: .info, stream: nil, message: message))))
    }
    return items
  }

  // MARK: Files

  /// Returns the files that match the patterns, without duplicates.
  static func files(
    _ patterns: [String], in folder: String, foundDangling: (_ link: String) -> Void = { _ in }
  ) throws(StepFailure) -> FanOutValues {
    let list = FilePatterns(patterns)
    if let excluded = list.excludedFolder(in: folder) { throw .excludedFolder(excluded, in: "foreach") }
    var seen: Set<ByteName>? = patterns.count > 1 ? [] : nil
    var files: [String] = []
    for (index, text) in patterns.enumerated() where !PatternText.isExclusion(text) {
      guard !text.isEmpty else {
        throw StepFailure(code: "not-a-file", message: "foreach: expected a path under 'files', found an empty text")
      }
      let pattern = FilePattern(text)
      let found = pattern.find(in: folder, limit: Limits.items)
      for link in found.danglingLinks where list.keeps(link, of: index) { foundDangling(link) }
      let paths = found.paths.filter { list.keeps($0, of: index) }
      if !pattern.isOpen, let path = paths.first {
        let place = FilePath.isAbsolute(path) ? path : "\(folder)/\(path)"
        guard FilePath.isFile(place) else { throw Self.notAFile(path, isFolder: FilePath.isFolder(place)) }
      }
      for path in paths where seen?.insert(ByteName(path)).inserted != false { files.append(path) }
      guard files.count <= Limits.items else {
        throw StepFailure(
          code: "too-many-items",
          message: "foreach: '\(PatternText.shown(text))' matches more than \(Limits.items) files; name fewer")
      }
    }
    return FanOutValues(files: files)
  }

  private static func notAFile(_ path: String, isFolder: Bool) -> StepFailure {
    if isFolder {
      return StepFailure(
        code: "not-a-file", message: "foreach: '\(path)' is a folder; for the files in it write '\(path)/*'")
    }
    let isLikePattern = path.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    return StepFailure(
      code: "not-a-file",
      message: "foreach: there is no file '\(path)'; "
        + (isLikePattern
          ? "in a path that an expression gives, '*' and '?' stand for themselves"
          : "a pattern such as '*.csv' may mean none"))
  }
}

extension StepFailure {
  /// Returns the failure for an exclusion that names a folder. Such an exclusion would exclude no file.
  static func excludedFolder(_ path: String, in key: String) -> StepFailure {
    StepFailure(
      code: "not-a-file",
      message: "\(key): '!\(path)' names a folder, and excludes files only; for the files in it write '!\(path)/**'")
  }
}

extension FanOutValues {
  /// Returns a name for an item: its key, its path, its member `path` or, if it is a string, the string itself. Returns
  /// nil if it has none of these.
  func name(of index: Int) -> String? {
    keys?[index] ?? path(of: index) ?? self[index].objectValue?["path"]?.stringValue ?? self[index].stringValue
  }

  fileprivate func describe(_ index: Int) -> String {
    "item [\(index)]" + (name(of: index).map { " '\($0)'" } ?? "")
  }
}
