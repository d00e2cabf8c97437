import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowPlatform

// Steps are skipped if their inputs and products have not changed.
extension WorkflowRun {
  /// Returns the inputs of a step or item, with the check that determines whether it is up to date. Returns `inputs`
  /// unchanged if there is nothing to check.
  func withCheck(_ inputs: StartInputs?, of instance: StepIndex, _ state: RunState) -> StartInputs? {
    if inputs?.problem != nil { return inputs }
    let values = inputs?.values ?? ValueObject()
    if let (owner, item) = instances.item(of: instance) {
      return state.fanOuts[owner]?.checks?.check(item).map { StartInputs(values, check: $0) } ?? inputs
    }
    let workflow = prepared.graph.workflow
    let own = workflow.steps[Int(instance)]
    guard let files = prepared.detail(of: instance)?.files else { return inputs }
    let (reads, makes): ([NamedFiles], [NamedFiles])
    do throws(StepFailure) {
      (reads, makes) = try files.evaluate(in: scope(instance, state))
    } catch {
      return StartInputs(values, problem: hidden(error))
    }
    let needs = own.needs.map { need in
      (id: workflow.steps[Int(need)].id, outputs: state.outputs[need] ?? [:])
    }
    let basis = UpToDateCheck.Basis(
      step: own, folder: workflow.scope(of: instance).map { workflow.scopes[$0].folder } ?? "", inputs: values,
      variables: stated(by: instance, state), needs: needs,
      patterns: files.hasExpressions ? reads.map(\.pattern) + [""] + makes.map(\.pattern) : [])
    let check = UpToDateCheck(
      own.id.text, .basis(basis), reads: reads, makes: makes, in: workflowFolder(of: instance),
      at: .step(idInAll(of: instance), dataFolder: run.dataFolder), isForced: isForced(own), mask: mask, makers: makers,
      lent: lent)
    return StartInputs(values, check: check)
  }

  /// True if the step must run even though it may be up to date.
  func isForced(_ step: Step) -> Bool { !options.forcedSteps.isDisjoint(with: [step.id.text, "*"]) }

  /// Returns the name of a step's record in the data folder, such as `each[8f3a…]/convert` for a step in an item's
  /// workflow.
  func idInAll(of step: StepIndex) -> StepID {
    guard let outer = options.outer else { return stepID(of: step) }
    return StepID(unchecked: "\(outer.recordID)/\(stepID(of: step))")
  }

  /// Returns the name of an item's record in the data folder. It is derived from the item's key and value, so it does
  /// not depend on the position in the list. The name for a post contains only its number.
  func recordID(ofItem instance: StepIndex) -> StepID {
    guard let (owner, item) = instances.item(of: instance) else { return idInAll(of: instance) }
    let isPost = prepared.detail(of: owner)?.fanOut?.event != nil
    let key = isPost ? nil : state.withLock { $0.fanOuts[owner]?.recordKey(of: item) }
    return StepID(unchecked: "\(idInAll(of: owner))[\(key.map { Self.hexadecimal($0) } ?? "\(item)")]")
  }

  static func hexadecimal(_ key: UInt64) -> String {
    let digits = String(key, radix: 16)
    return "#" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Removes records of items for which a workflow ran and which are no longer in their list, if there are many.
  func tidyItemRecords() {
    let current = state.withLock { $0.itemRecords }
    let folder = StepStamp.folder(in: run.dataFolder)
    guard !current.isEmpty, let names = FilePath.names(in: folder) else { return }
    for (step, items) in current {
      let (prefix, keys) = (StepStamp.name(of: stepID(of: step)) + "[", Set(items.map { Self.hexadecimal($0) }))
      let others = names.filter { name in
        guard name.hasPrefix(prefix) else { return false }
        return !keys.contains(String(name.dropFirst(prefix.count).prefix { $0 != "]" }))
      }
      guard others.count > keys.count + ItemStamps.spareRecords else { continue }
      for name in others { unlink("\(folder)/\(name)") }
    }
  }

  /// Returns the evaluated variables of the workflow and the step.
  private func stated(by step: StepIndex, _ state: RunState) -> ValueObject {
    let scope = scope(step, state)
    var values = scope.environment
    if let own = prepared.detail(of: step)?.environment, let stated = try? scope.variables(own) {
      for (name, value) in stated { values[name] = value }
    }
    return values
  }

  /// Claims the products of a step or item. Returns a failure if another step or item may produce one of these files.
  func claimProducts(_ check: UpToDateCheck, of instance: StepIndex) -> StepFailure? {
    guard !check.makes.isEmpty else { return nil }
    let failure = claims.claim(
      check.makes, in: workflowFolder(of: instance),
      by: ProductClaims.Owner(fullName(of: instance), claimLevels(of: instance)))
    return failure.map(hidden)
  }

  /// Returns the name of a step or item, preceded by the items of the outer runs that contain it.
  func fullName(of instance: StepIndex) -> String {
    let own = stepID(of: instance).text
    return options.outer.map { "\($0.run.fullName(of: $0.instance))/\(own)" } ?? own
  }

  private func claimLevels(of instance: StepIndex) -> [ProductClaims.Level] {
    (options.outer.map { $0.run.claimLevels(of: $0.instance) } ?? [])
      + [ProductClaims.Level(graph: prepared.graph, step: instances.owner(of: instance), instance: instance)]
  }

  /// Records the success of a step, unless its attempt was cancelled or its outputs are refused. Returns a failure if
  /// its products are not in order, for example because one is missing.
  func noteSuccess(_ start: Start, _ outputs: ValueObject) -> Ending? {
    guard let check = start.inputs?.check else { return nil }
    guard !cancellations.isCancelled(start.step, attempt: Int(start.attempt)), refusal(of: outputs, start) == nil else {
      noteFailure(start)
      return nil
    }
    let ended = check.noteSuccess(outputs, turn(of: start))
    for warning in ended.warnings { warnOnce(warning) }
    if ended.failure == nil {
      keepProducts(of: start.step, check)
      noteTemporaries(of: start.step, check)
    }
    return ended.failure.map { failure in
      let isRetryable = retryReasons(of: start)?.allow(.failed, code: failure.code) ?? true
      return .failure(hidden(failure), isRetryable: isRetryable)
    }
  }

  /// Records the products that a failed attempt has changed, if products of the step are checked.
  func noteFailure(_ start: Start) {
    start.inputs?.check?.noteFailure("\(run.id) \(start.attempt)", turn(of: start))
  }

  private func turn(of start: Start) -> RecordTurn {
    RecordTurn(of: start.step, attempt: Int(start.attempt), in: recordTurns)
  }

  /// Waits for the products of a remote step, because files from another machine may appear late on a shared file
  /// system.
  func awaitProducts(of start: Start) async {
    guard let check = start.inputs?.check, var path = check.missingProduct else { return }
    let wait = options.fileWait
    guard wait > .zero, !cancellations.isCancelled(start.step, attempt: Int(start.attempt)) else { return }
    log("has ended; waiting up to \(DurationText.format(wait)) for '\(path)'", level: .info, step: start.step)
    let end = clock.now + wait.nanoseconds
    var pause = Duration.milliseconds(20)
    while clock.now < end, !cancellations.isCancelled(start.step, attempt: Int(start.attempt)) {
      await withCheckedContinuation { continuation in
        let rest = min(pause, .nanoseconds(end - clock.now))
        wake(after: rest, step: start.step, attempt: Int(start.attempt)) { continuation.resume() }
      }
      // Listing the folder makes a network file system refresh it.
      let place = FilePath.isAbsolute(path) ? path : "\(workflowFolder(of: start.step))/\(path)"
      _ = FilePath.names(in: FilePath.folder(of: place))
      guard let next = check.missingProduct else { return }
      path = next
      pause = min(pause * 2, .seconds(1))
    }
  }
}
