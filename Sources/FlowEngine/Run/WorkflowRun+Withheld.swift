import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowSecrets

// Withheld outputs are derived from a secret, such as the parameters of a link. Steps can read them, but the journal
// and the report do not contain them.
extension WorkflowRun {
  /// Withholds the outputs that the step's action declares as withheld, and hides `texts` in all output.
  package func withholdOutputs(hiding texts: [String], step: StepIndex) {
    let owner = instances.owner(of: step)
    let names = prepared.action(of: owner).withheld
    if !names.isEmpty { state.withLock { $0.withheld[owner, default: []].formUnion(names) } }
    hide(texts, of: stepID(of: step).text)
  }

  /// Hides texts in the output of this run and of outer runs. If a text is an input of this run, it is hidden only in
  /// the outer run, whose journal contains it for a resume.
  func hide(_ texts: [String], of step: String) {
    mask?.add(texts.filter { !options.inputs.contains(text: $0) }, of: step)
    options.outer?.run.hide(texts, of: step)
  }

  /// Withholds the outputs of a step that are copied from withheld outputs. This applies only to steps that pass on
  /// their inputs: `flow.set`, and the entry and exit of an included file.
  func withholdOutputs(ofReader step: StepIndex, _ state: inout RunState) {
    guard mayRead(state), case .evaluated(let given)? = prepared.detail(of: step)?.inputs else { return }
    let passed: [String]
    if prepared.graph.workflow.steps[Int(step)].options.includeRole != .none {
      passed = names(in: given, thatRead: state, of: step)
    } else if let input = prepared.action(of: step).declaration.outputsFromInput,
      case .object(let members)? = given.member(input, ignoresCase: false)
    {
      passed = members.filter { reads($0.1.references, state, of: step) }.map(\.0)
    } else {
      return
    }
    if !passed.isEmpty { state.withheld[step, default: []].formUnion(passed) }
  }

  /// Returns the outputs of a step for the journal, without the values of withheld outputs.
  func recordable(_ outputs: ValueObject, of step: StepIndex, _ state: RunState) -> ValueObject {
    guard let names = state.withheld[step] else { return outputs }
    var recorded = outputs
    for name in names {
      if let value = outputs[name] { recorded[name] = SecretMask.withheld(value, by: mask) }
    }
    return recorded
  }

  /// Returns the launch options for the journal, with all values withheld.
  func recordable(launchOptions: ValueObject) -> ValueObject {
    SecretMask.withheld(.object(launchOptions), by: nil).objectValue ?? [:]
  }

  /// Returns the outputs of the run. Those that read withheld outputs are hidden.
  func hidingWithheld(_ outputs: ValueObject, _ state: RunState) -> ValueObject {
    guard mayRead(state) else { return outputs }
    var shown = outputs
    for name in names(in: prepared.outputs, thatRead: state, of: nil) {
      if let value = outputs[name] { shown[name] = SecretMask.allHidden(value) }
    }
    return shown
  }

  /// True if there are withheld outputs or launch options that an expression could read.
  private func mayRead(_ state: RunState) -> Bool { !state.withheld.isEmpty || !state.launch.options.isEmpty }

  private func names(in object: PreparedObject, thatRead state: RunState, of step: StepIndex?) -> [String] {
    object.evaluatedMembers.filter { reads($0.value.references, state, of: step) }.map(\.key)
  }

  /// True if one of the references, which belong to the file of `step`, reads a withheld output or the launch options.
  private func reads(_ references: [ContextReference], _ state: RunState, of step: StepIndex?) -> Bool {
    let withheld = state.withheld
    let workflow = prepared.graph.workflow
    let prefix = step.flatMap { workflow.scope(of: $0) }.map { workflow.scopes[$0].prefix } ?? ""
    let entry = step.flatMap { workflow.scope(of: $0) }.map { workflow.scopes[$0].entry }
    return references.contains { reference in
      if reference.name.lowercased() == "inputs" {
        guard let entry, let names = withheld[entry] else { return false }
        return reference.path.first.map { names.contains($0.lowercased()) } ?? true
      }
      if reference.name.lowercased() == "launch" {
        return !state.launch.options.isEmpty && reference.path.first.map { $0.lowercased() == "options" } ?? true
      }
      guard reference.name.lowercased() == "steps" else { return false }
      guard let name = reference.path.first else { return true }
      guard let read = names[prefix + name], let names = withheld[read] else { return false }
      guard reference.path.count > 1 else { return true }
      guard reference.path[1].lowercased() == "outputs" else { return false }
      return reference.path.count == 2 || names.contains(reference.path[2].lowercased())
    }
  }
}

extension ValueObject {
  /// True if a string in the object, at any depth, equals `text`.
  fileprivate func contains(text: String) -> Bool { contains { $0.1.contains(text: text) } }
}

extension Value {
  fileprivate func contains(text: String) -> Bool {
    switch self {
    case .string(let own): own == text
    case .array(let values): values.contains { $0.contains(text: text) }
    case .object(let members): members.contains(text: text)
    default: false
    }
  }
}
