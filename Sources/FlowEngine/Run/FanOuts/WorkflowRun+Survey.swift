import FlowExpressions
import FlowModel
import FlowPlatform

/// The items of a step as far as they have been worked out.
struct SurveyedItems: Sendable {
  var values: FanOutValues
  /// What the `if` of the step said of items for which it does not hold.
  var refused: [Int: Decision] = [:]
  /// What the items read and make; nil: the step does not say.
  var checks: ItemChecks?
  /// The result of looking at them.
  var findings: [Int: UpToDateCheck.Finding] = [:]
}

// Items for which files are read, outside the run's lock: those that are files, and those that say which they read and make.
extension WorkflowRun {
  /// Whether the items of a step can be worked out only with files.
  func needsSurvey(_ step: StepIndex) -> Bool {
    guard let detail = prepared.detail(of: step), let fanOut = detail.fanOut else { return false }
    return fanOut.isOfFiles || detail.files != nil
  }

  /// Works the items of a step out on a thread of its own.
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
        case .success(let items): .items(take(items, of: step, &state))
        case .failure(let failure): .fail(hidden(failure))
        }
      state.plan.apply(.expanded(step, expansion), at: state.instant(clock.now))
      return carryOut(&state)
    }
    if let aftermath { perform(aftermath) }
  }

  /// The items of a step. Reads files; not for the run's lock.
  ///
  /// - Parameter checksItems: whether to look which items are up to date, too.
  func survey(_ step: StepIndex, checksItems: Bool) throws(StepFailure) -> SurveyedItems {
    guard let detail = prepared.detail(of: step), let fanOut = detail.fanOut else {
      return SurveyedItems(values: FanOutValues(values: []))
    }
    var values = try withPlan { state in
      Result { () throws(StepFailure) in try fanOut.values(in: scope(step, state)) }
    }.get()
    let folder = workflowFolder(of: step)
    var known: [ItemChecks.Item?] = []
    if fanOut.isOfFiles {
      if let listed = listedFiles.withLock({ $0.removeValue(forKey: step) }) {
        (values, known) = listed
      } else {
        values = try Self.files(values.values.compactMap(\.stringValue), in: folder)
      }
    }
    var surveyed = SurveyedItems(values: values)
    let checks = detail.files.map { _ in itemChecks(of: step, reads: checksItems) }
    surveyed = try withPlan { state in
      Result { () throws(StepFailure) in
        var surveyed = surveyed
        if checksItems { surveyed.refused = refusals(of: step, values, state) }
        if var checks, let files = detail.files {
          checks.common = []
          try describe(
            values, of: step, detail, files, refused: surveyed.refused, withInputs: checksItems, known: known, &checks,
            state)
          surveyed.checks = checks
        }
        return surveyed
      }
    }.get()
    guard let checks = surveyed.checks else { return surveyed }
    if known.isEmpty, let collision = checks.collision(values.describe) { throw collision }
    if fanOut.isOfFiles, !checksItems, !options.isPrewarmed, origin == nil {
      let isKnown = detail.files?.isKnownFromTheStart ?? false
      listedFiles.withLock { $0[step] = (values, isKnown ? checks.items : []) }
    }
    guard checksItems, let (findings, problem) = surveyed.checks?.findings() else { return surveyed }
    if let problem { warn("which items of step '\(stepID(of: step))' are up to date cannot be recorded: \(problem)") }
    surveyed.findings = findings
    return surveyed
  }

  /// Finds items that make the same file, before anything runs, where the items are known then: the list is in the file, or the
  /// step needs none that could make files.
  func checkProducts() throws(PreparedWorkflow.Problem) {
    for step in prepared.graph.stepsWithOptions {
      let own = prepared.graph.workflow.steps[Int(step)]
      guard let fanOut = own.options.fanOut, !own.options.produces.isEmpty, fanOut.event == nil,
        fanOut.references.allSatisfy({ $0.name.lowercased() == "inputs" }),
        own.needs.isEmpty || prepared.detail(of: step)?.fanOut?.isOfFiles == false,
        prepared.graph.workflow.scope(of: step) == nil,
        prepared.detail(of: step)?.fanOut?.asksForEachItem == false
      else { continue }
      do throws(StepFailure) {
        _ = try survey(step, checksItems: false)
      } catch {
        guard error.code == "same-product" else { continue }
        throw PreparedWorkflow.Problem(step: own.id, message: hidden(error).message)
      }
    }
  }

  private func itemChecks(of step: StepIndex, reads: Bool) -> ItemChecks {
    let workflow = prepared.graph.workflow
    let own = workflow.steps[Int(step)]
    let basis = UpToDateCheck.Basis(
      step: own, folder: workflow.scope(of: step).map { workflow.scopes[$0].folder } ?? "", inputs: [:], variables: [:],
      needs: [])
    return ItemChecks(
      own.id.text, stamps: ItemStamps(of: idInAll(of: step), in: run.dataFolder, reads: reads),
      definition: basis.definition,
      common: [], folder: workflowFolder(of: step), isForced: isForced(own), mask: mask)
  }

  /// Evaluates what each item runs on, reads and makes; `known` is what items of files read and make, empty: it is not known.
  private func describe(
    _ values: FanOutValues, of step: StepIndex, _ detail: StepDetail, _ files: PreparedFiles,
    refused: [Int: Decision], withInputs: Bool, known: [ItemChecks.Item?], _ checks: inout ItemChecks, _ state: RunState
  ) throws(StepFailure) {
    var scope = scope(step, state)
    checks.common.append(scope.environment)
    var inputs: PreparedObject?
    switch detail.inputs {
    case .nothing: break
    case .bound(let literal): checks.common.append(literal.values)
    case .withPaths(let literal): checks.common.append(literal)
    case .evaluated(let object): if withInputs { inputs = object }
    }
    if let literal = detail.environment.literal { checks.common.append(literal) }
    let isOfFiles = detail.fanOut?.isOfFiles ?? false
    var seen: [UInt64: UInt64] = [:]
    checks.items.reserveCapacity(values.values.count)
    let hashes = known.isEmpty ? values.hashes : []
    for index in values.values.indices {
      guard refused[index] == nil else {
        checks.items.append(nil)
        continue
      }
      var given: [ValueObject]? = []
      if known.isEmpty || inputs != nil || detail.environment.literal == nil { scope.item = values.item(index) }
      if let inputs { given = (try? inputs.evaluate(in: scope)).map { [$0] } }
      if withInputs, detail.environment.literal == nil {
        if let variables = try? detail.environment.evaluate(in: scope) { given?.append(variables) } else { given = nil }
      }
      if !known.isEmpty {
        var item = known[index]
        if let given { item?.given = given } else { item = nil }
        checks.items.append(item)
        continue
      }
      if isOfFiles { scope.item?.value = values.values[index].quotedFile }
      let (reads, makes): ([String], [String])
      do throws(StepFailure) {
        (reads, makes) = try files.evaluate(in: scope)
      } catch {
        throw StepFailure(code: error.code, message: "\(values.describe(index)): \(error.message)")
      }
      // Of equal items each has a stamp of its own.
      let hash = hashes[index]
      let count = seen[hash, default: 0]
      seen[hash] = count + 1
      checks.items.append(
        given.map { ItemChecks.Item(key: hash &+ count, reads: reads, makes: makes, given: $0) })
    }
  }

  /// Takes in what the items of a step are, for its bodies and for a resume.
  private func take(_ surveyed: SurveyedItems, of step: StepIndex, _ state: inout RunState) -> FanOutItems {
    var items = take(surveyed.values, refused: surveyed.refused, of: step, &state)
    state.fanOuts[step]?.checks = surveyed.checks
    for index in surveyed.values.values.indices {
      switch surveyed.findings[index] {
      case .upToDate(let outputs):
        items.upToDate.append(index)
        guard !outputs.isEmpty, state.fanOuts[step]?.outputs[index] == nil else { continue }
        state.fanOuts[step]?.outputs[index] = outputs
        state.fanOuts[step]?.bytes += Value.object(outputs).roughBytes
      case .fails(let failure): items.refused[index] = .fail(hidden(failure))
      case .runs, nil: break
      }
    }
    if !items.upToDate.isEmpty, options.observer != nil {
      let count = surveyed.values.values.count
      let message =
        items.upToDate.count == count
        ? "all \(count) items are up to date" : "\(items.upToDate.count) of \(count) items are up to date"
      state.undelivered.append(
        .event(
          RunEvent(
            atNanoseconds: state.instant(clock.now),
            .stepLog(stepID(of: step), level: .info, stream: nil, message: message))))
    }
    return items
  }

  // MARK: Files

  /// The files that patterns mean, each once.
  private static func files(_ patterns: [String], in folder: String) throws(StepFailure) -> FanOutValues {
    var seen: Set<String> = []
    var values: [Value] = []
    for text in patterns {
      guard !text.isEmpty else {
        throw StepFailure(code: "not-a-file", message: "foreach: expected a path under 'files', found an empty text")
      }
      let pattern = FilePattern(text)
      let paths = pattern.files(in: folder, limit: Limits.items)
      if !pattern.isOpen, let path = paths.first {
        let place = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        guard FilePath.isFile(place) else {
          throw StepFailure(
            code: "not-a-file",
            message: FilePath.isFolder(place)
              ? "foreach: '\(path)' is a folder; for the files in it write '\(path)/*'"
              : "foreach: there is no file '\(path)'; a pattern such as '*.csv' may mean none")
        }
      }
      for path in paths where seen.insert(path).inserted { values.append(FileItem.value(of: path)) }
      guard values.count <= Limits.items else {
        throw StepFailure(
          code: "too-many-items", message: "foreach: '\(text)' matches more than \(Limits.items) files; name fewer")
      }
    }
    return FanOutValues(values: values)
  }
}

extension FanOutValues {
  /// What a person calls an item: its key, its path where it is a file, or the text that it is.
  func name(of index: Int) -> String? {
    keys?[index] ?? values[index].objectValue?["path"]?.stringValue ?? values[index].stringValue
  }

  fileprivate func describe(_ index: Int) -> String {
    "item [\(index)]" + (name(of: index).map { " '\($0)'" } ?? "")
  }
}

extension Value {
  /// The item of a file for a pattern of files, in which the characters of its name stand for themselves.
  fileprivate var quotedFile: Value {
    guard let path = objectValue?["path"]?.stringValue else { return self }
    let quoted = FilePattern.quoted(path)
    return quoted == path ? self : FileItem.value(of: quoted)
  }
}
