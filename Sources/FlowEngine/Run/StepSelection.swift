import FlowExpressions
import FlowModel

/// The steps that a run is limited to. All steps of `finally` run too, and so do dependencies, unless they are
/// excluded.
package struct StepSelection: Sendable, Hashable {
  /// The ids of the steps, without duplicates.
  package var steps: [String]
  /// True if the dependencies of the selected steps run too.
  package var includesNeeds: Bool

  /// Creates a selection of steps by id.
  package init(_ steps: [String], includesNeeds: Bool = true) {
    var seen: Set<String> = []
    self.steps = steps.filter { seen.insert($0).inserted }
    self.includesNeeds = includesNeeds
  }
}

extension PreparedWorkflow {
  /// Returns the steps that run with this selection. Unknown ids are ignored.
  ///
  /// A step depends on those in `needs` (including the steps that its expressions and handles refer to), on the steps
  /// that post the events in its `after`, and on the entries of the files that contain it.
  func selected(by selection: StepSelection) -> Set<StepIndex> {
    let names = Set(selection.steps)
    var open = graph.workflow.steps.indices.filter { names.contains(graph.workflow.steps[$0].id.text) }
      .map { StepIndex($0) }
    var selected = Set(open)
    func add(_ steps: some Sequence<StepIndex>) {
      for step in steps where selected.insert(step).inserted { open.append(step) }
    }
    while let step = open.popLast() {
      // The exit of an included file depends on all steps of that file.
      let own = graph.workflow.steps[Int(step)]
      if let scope = graph.workflow.scope(of: step) {
        add([graph.workflow.scopes[scope].entry])
        add(graph.workflow.scopes[scope].members.filter { isFinal($0) })
      }
      guard selection.includesNeeds || own.options.includeRole == .exit else { continue }
      // Steps in the `finally` of a file wait for its other steps, but do not need their results.
      if own.options.isFinal {
        add(own.needs.filter { isFinal($0) })
      } else {
        add(own.needs)
      }
      for event in own.options.events { add(posters(of: event)) }
    }
    return selected.union(graph.steps(stating: .waitsForAll))
  }

  private func isFinal(_ step: StepIndex) -> Bool {
    graph.workflow.steps[Int(step)].hasOptions && graph.workflow.steps[Int(step)].options.isFinal
  }

  private func posters(of event: String) -> [StepIndex] {
    graph.workflow.steps.indices.map { StepIndex($0) }.filter { step in
      action(of: step).declaration.eventsPosted(with: graph.workflow.steps[Int(step)].with).contains(event)
    }
  }

  /// Throws if an id is unknown. If dependencies are excluded, also throws if a step that runs needs outputs, handles
  /// or events of one that does not.
  func check(_ selection: StepSelection) throws(PreparationProblem) {
    let ids = Set(graph.workflow.steps.map(\.id.text))
    for name in selection.steps where !ids.contains(name) {
      throw PreparationProblem(step: nil, message: "there is no step '\(name)' to run")
    }
    guard !selection.includesNeeds else { return }
    let selected = selected(by: selection)
    for step in selected.sorted() {
      let own = graph.workflow.steps[Int(step)]
      guard !own.options.isFinal else { continue }
      let prefix = graph.workflow.scope(of: step).map { graph.workflow.scopes[$0].prefix } ?? ""
      let reads = own.stepsRead(graph.workflow.texts)
      if let read = reads.first(where: { ids.contains(prefix + $0) && !isSelected(prefix + $0, selected) }) {
        throw PreparationProblem(
          step: own.id,
          message: "it reads 'steps.\(read)', which does not run; select '\(read)' too, or leave out --no-needs")
      }
      let declaration = action(of: step).declaration
      for key in declaration.requires where !handles.contains(where: { $0.key == key }) {
        let provider = graph.workflow.steps.indices.first { provides(key, StepIndex($0)) }
        guard let provider, !selected.contains(where: { provides(key, $0) }) else { continue }
        throw PreparationProblem(
          step: own.id,
          message: "it requires the handle '\(key)' of '\(graph.workflow.steps[provider].id)', which does not run")
      }
      for event in own.options.events {
        let posters = posters(of: event)
        guard let first = posters.first, posters.allSatisfy({ !selected.contains($0) }) else { continue }
        throw PreparationProblem(
          step: own.id,
          message: "it waits for the event '\(event)' of '\(graph.workflow.steps[Int(first)].id)', which does not run")
      }
    }
  }

  private func provides(_ key: HandleKey, _ step: StepIndex) -> Bool {
    action(of: step).declaration.provides.contains(key)
  }

  private func isSelected(_ id: String, _ selected: Set<StepIndex>) -> Bool {
    selected.contains { graph.workflow.steps[Int($0)].id.text == id }
  }
}

extension Step {
  /// The ids of the steps that the step's expressions read without a fallback value, as written in the file.
  fileprivate func stepsRead(_ texts: WorkflowTexts) -> [String] {
    stepReferences(texts).filter { !$0.hasFallback }.compactMap(\.path.first)
  }

  /// Returns the references to `steps` in the expressions of this step.
  func stepReferences(_ texts: WorkflowTexts) -> [ContextReference] {
    var references = Value.object(with).stepReferences(texts)
    references += Value.object(options.environment).stepReferences(texts)
    references += options.condition.flatMap { try? texts.condition($0) }?.expression.stepReferences ?? []
    var values: [Value] = options.inputsFrom.map { .string($0.pattern) }
    switch options.fanOut?.source {
    case .items(let value)?: values.append(value)
    case .axes(let axes, let exclude, let include)?: values += [.object(axes), .array(exclude), .array(include)]
    case .files(let patterns)?: values += patterns.map { .string($0) }
    case .posts?, nil: break
    }
    return references + values.flatMap { $0.stepReferences(texts) }
  }
}

extension Value {
  /// Returns the references to `steps` in the expressions of this value.
  func stepReferences(_ texts: WorkflowTexts) -> [ContextReference] {
    guard containsExpression else { return [] }
    switch self {
    case .string(let text):
      return ((try? texts.template(text))?.expressions ?? []).flatMap(\.expression.stepReferences)
    case .array(let values): return values.flatMap { $0.stepReferences(texts) }
    case .object(let members): return members.flatMap { $0.value.stepReferences(texts) }
    case .null, .boolean, .integer, .number: return []
    }
  }
}

extension Expression {
  /// The references to `steps` in this expression.
  fileprivate var stepReferences: [ContextReference] { references.filter { $0.name.lowercased() == "steps" } }
}
