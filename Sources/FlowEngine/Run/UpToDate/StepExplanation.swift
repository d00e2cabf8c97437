import FlowExpressions
import FlowModel
import FlowPluginKit

/// A prediction of what the next run of a workflow does with a step.
package struct StepExplanation: Sendable {
  /// The predicted results for a step or item.
  package enum Fate: String, Sendable {
    case upToDate = "up to date"
    case skipped
    case runs
  }

  /// The id of the step in the workflow.
  package var step: StepID
  package var fate: Fate
  /// The human-readable reason for ``fate``.
  package var reason: String
  /// The predictions for the step's items. Empty if the step is not a fan-out or declares no files, or if the items are
  /// not known.
  package var items: [Item] = []
  /// The files of items that are no longer in the list. A run with ``RunOptions/removesLeftovers`` removes these files.
  package var leftovers: [String] = []
  /// The reason why the leftovers would not be removed, or nil if they would be.
  package var leftoversAreKept: String?

  /// A prediction of what the next run does with an item.
  package struct Item: Sendable {
    /// The index of the item, counted from 0.
    public var index: Int
    /// The name of the item, such as the path of its file, or nil if it has none.
    public var name: String?
    package var fate: Fate
    /// The human-readable reason for ``fate``.
    public var reason: String
  }
}

extension Engine {
  /// Predicts what a run would do with each step. Runs no step.
  package func explain(
    _ prepared: PreparedWorkflow, options: RunOptions
  ) throws(PreparedWorkflow.PreparationProblem) -> [StepExplanation] {
    var options = options
    if let selection = options.selection { try prepared.check(selection) }
    options.history = nil
    options.observer = nil
    let run = WorkflowRun(prepared, options: options, runID: RunInformation.newID())
    try run.resolveEnvironment()
    return try run.explanations()
  }
}

extension WorkflowRun {
  /// Predicts what a run would do with each step, in file order.
  func explanations() throws(PreparedWorkflow.PreparationProblem) -> [StepExplanation] {
    let steps = prepared.graph.workflow.steps
    var fates: [StepIndex: StepExplanation] = [:]
    let scope = state.withLock { state in
      var scope = self.scope(nil, state)
      scope.launch = options.launch
      return scope
    }
    let disabled = try prepared.resolution(in: scope).disabled
    let selected = options.selection.map { prepared.selected(by: $0) }
    for step in prepared.graph.topologicalOrder {
      let id = steps[Int(step)].id
      var explanation = StepExplanation(step: id, fate: .skipped, reason: "'enabled' is false")
      if let selected, !selected.contains(step) {
        explanation.reason = "not selected"
      } else if !disabled.contains(step) {
        (explanation.fate, explanation.reason) = self.fate(of: step, steps[Int(step)], fates, &explanation.items)
      }
      fates[step] = explanation
    }
    noteItems(fates)
    for entry in currentLeftovers() {
      fates[entry.step]?.leftovers += entry.files.map(\.path)
      fates[entry.step]?.leftoversAreKept = entry.obstacle
    }
    return steps.indices.compactMap { fates[StepIndex($0)] }
  }

  /// Determines the items of fan-outs that were not checked, because a step upstream runs, so that their products do
  /// not count as leftovers of other steps. Skips lists that depend on a step that runs.
  private func noteItems(_ fates: [StepIndex: StepExplanation]) {
    let workflow = prepared.graph.workflow
    for step in prepared.graph.steps(stating: .fanOut)
    where fates[step]?.fate == .runs && !leftovers.knowsItems(of: step) {
      let own = workflow.steps[Int(step)]
      let isOfItems = workflow.itemWorkflows[own.uses] != nil
      let prefix = workflow.scope(of: step).map { workflow.scopes[$0].prefix } ?? ""
      let isKnown = (own.options.fanOut?.references(workflow.texts) ?? []).allSatisfy { reference in
        guard reference.name.lowercased() == "steps" else { return true }
        return reference.path.first.flatMap { names[prefix + $0] }.flatMap { fates[$0] }?.fate == .upToDate
      }
      guard isKnown, own.options.fanOut?.event == nil, isOfItems || !own.options.produces.isEmpty,
        let values = try? survey(step, checksItems: !isOfItems).values
      else { continue }
      if isOfItems { state.withLock { $0.itemRecords[step] = Set(values.recordKeys) } }
    }
  }

  private func fate(
    of step: StepIndex, _ own: Step, _ fates: [StepIndex: StepExplanation],
    _ items: inout [StepExplanation.Item]
  ) -> (fate: StepExplanation.Fate, reason: String) {
    var doubt = ""
    if own.hasOptions, own.options.condition != nil {
      switch prepared.condition(of: step).flatMap({ knownDecision($0, of: step) }) {
      case .skip: return (.skipped, "its 'if' does not hold")
      case .fail(let failure): return (.runs, "it fails: \(failure.message)")
      case .run: break
      case nil: doubt = ", where its 'if' holds"
      }
    }
    guard own.hasOptions, !own.options.inputsFrom.isEmpty || !own.options.produces.isEmpty else {
      return (.runs, "always runs (no inputs-from or produces)" + doubt)
    }
    if let need = own.needs.first(where: { fates[$0]?.fate == .runs }) {
      let id = prepared.graph.workflow.steps[Int(need)].id
      return (.runs, "it needs '\(id)', which runs and may change its results" + doubt)
    }
    if let secret = secretOfCommand(readBy: step) {
      return (.runs, "it reads the secret '\(secret)', whose command does not run here" + doubt)
    }
    if own.options.fanOut != nil { return fateOfItems(of: step, doubt, &items) }
    guard let check = state.withLock({ state in inputs(of: step, &state)?.check }) else {
      return (.runs, "its inputs cannot be evaluated")
    }
    switch decided(check.result(), check, step) {
    case .upToDate(let outputs):
      state.withLock { $0.outputs[step] = outputs }
      keepProducts(of: step, check)
      return (.upToDate, "nothing has changed since it succeeded")
    case .runs(let reason): return (.runs, reason.text + doubt)
    case .fails(let failure): return (.runs, "it fails: \(failure.message)")
    }
  }

  /// Returns the first secret that the step reads and that comes from a command, because a prediction does not run the
  /// command. Returns nil if there is none.
  private func secretOfCommand(readBy step: StepIndex) -> String? {
    guard let detail = prepared.detail(of: step) else { return nil }
    var references = detail.environment.references
    if case .evaluated(let object) = detail.inputs { references += object.references }
    let names = references.filter { $0.name.lowercased() == "secrets" }.compactMap(\.path.first)
    return prepared.graph.workflow.secrets.first { secret in
      guard case .command = secret.source, options.secrets[secret.name] ?? .null == .null else { return false }
      return names.contains(secret.name)
    }?.name
  }

  private func fateOfItems(
    of step: StepIndex, _ doubt: String, _ items: inout [StepExplanation.Item]
  ) -> (fate: StepExplanation.Fate, reason: String) {
    let surveyed: SurveyedItems
    do throws(StepFailure) {
      surveyed = try survey(step, checksItems: true)
    } catch {
      return (.runs, "it fails: \(error.message)" + doubt)
    }
    for index in surveyed.values.indices {
      let (fate, reason): (StepExplanation.Fate, String) =
        switch surveyed.finding(of: index) {
        case .upToDate: (.upToDate, "nothing has changed since it succeeded")
        case .runs(let reason): (.runs, reason.text + doubt)
        case .fails(let failure): (.runs, "it fails: \(failure.message)")
        case nil:
          switch surveyed.refused[index] {
          case .skip: (.skipped, "its 'if' does not hold")
          case .fail(let failure): (.runs, "it fails: \(failure.message)")
          case .run, nil: (.runs, "its inputs cannot be evaluated")
          }
        }
      items.append(
        StepExplanation.Item(index: index, name: surveyed.values.name(of: index), fate: fate, reason: reason))
    }
    let count = items.count { $0.fate == .runs }
    guard count == 0 else {
      let all = count == 1 ? "its only item" : "all \(count) items"
      return (.runs, count < items.count ? "\(count) of \(items.count) items" : all)
    }
    let gathered = state.withLock { state in
      let given = surveyed.findings.map { finding -> ValueObject? in
        if case .upToDate(let own) = finding { own } else { nil }
      }
      let columns = columns(of: step, given)
      if !columns.isEmpty { state.outputs[step] = columns }
      if !surveyed.products.isEmpty {
        state.products[step] = Self.products(surveyed.values.indices.map { surveyed.products[$0] ?? [] })
      }
      return items.count
    }
    let reason =
      switch gathered {
      case 0: "it has no items"
      case 1: "nothing has changed since its only item succeeded"
      default: "nothing has changed since its \(gathered) items succeeded"
      }
    return (.upToDate, reason)
  }

  /// Returns the result of an `if` that does not depend on steps, the gate, the launch or the run. Returns nil for any
  /// other `if`.
  func knownDecision(_ condition: Expression, of step: StepIndex) -> Decision? {
    let asked = Set(condition.references.map { $0.name.lowercased() })
    guard condition.statusFunctionSet.isEmpty, asked.isDisjoint(with: ["steps", "gate", "launch", "run"]) else {
      return nil
    }
    let scope = state.withLock { state in self.scope(step, state) }
    do throws(ExpressionError) {
      return try condition.isTrue(in: scope) ? .run : .skip
    } catch {
      return .fail(StepFailure(error, in: "if"))
    }
  }
}
