import FlowDiagnostics
import FlowModel

/// The state of a workflow's check. Each rule is a method in a separate file.
struct WorkflowCheck: DocumentReading {
  let tree: NodeTree
  let locations: WorkflowLocations
  let actions: ActionTable
  let catalog: any ActionCatalog
  let workflow: Workflow
  /// Finds steps by their ids as written in expressions.
  private let ids: NameTable
  /// Finds inputs of the workflow by their names as written in expressions.
  let inputs: FieldIndex
  /// The names of outputs in lower case, for steps whose outputs are the members of an input. Filled on demand.
  var freeOutputs: [Int: Set<String>] = [:]
  var diagnostics: [Diagnostic]
  /// The variables that expressions read but the workflow does not set.
  var variableReads: [VariableRead] = []
  /// The handles that steps require but no dependency provides.
  var missingHandles: [HandleKey] = []
  /// The graph, or nil before ``run()`` or if the dependencies form a cycle.
  var graph: WorkflowGraph?
  /// The role of each step regarding the gate, or nil before ``run()``.
  var roles: GateRoles?

  init(_ reader: WorkflowReader) {
    tree = reader.tree
    locations = reader.locations
    actions = reader.actions
    catalog = reader.catalog
    workflow = reader.workflow
    diagnostics = reader.diagnostics
    ids = reader.ids
    inputs = FieldIndex(reader.workflow.inputs)
  }

  mutating func run() {
    guard !workflow.steps.isEmpty else { return }
    checkActions()
    checkInputs()
    checkEvents()
    checkCalls()
    checkFanOuts()
    checkExecutors()
    checkKeep()
    checkInteractive()
    checkMachineResources()
    checkUpToDate()
    checkIncludes()
    checkEstimates()
    checkRetries()
    checkBudgets()
    checkGateGuidance()
    checkPrewarm()
    checkCycle()
    checkDeferral()
    checkExpressions()
    checkNumbers()
    checkLookAlikes()
    checkVariableLooks()
    checkShellForms()
    checkForeignExpressions()
    guard graph != nil, !isSettled else { return }
    checkHandles()
    checkFileOrder()
    checkSameProducts()
    checkEventOrder()
    checkWaitsWithoutMaximum()
    checkFeasibility()
    checkMainQueueBudget()
  }

  /// The position of each step in topological order. Computed on demand.
  var ranks: [Int32] = []
  /// For each step, the number of the last search that visited it. Created on demand.
  var searches: [Int32] = []
  var searchNumber: Int32 = 0
  /// The number of edges that searches for dependencies may still follow.
  var reachBudget = 100_000_000

  /// The steps in topological order, or an empty list if there is no graph.
  var order: [StepIndex] { graph?.topologicalOrder ?? [] }

  /// The id of the step, for messages.
  func name(_ step: Int) -> String { workflow.steps[step].id.text }

  /// Returns the node of the value that a step has for a key, or nil.
  func node(_ key: StepKey, of step: Int) -> NodeID? {
    tree.member(key.rawValue, of: locations.steps[step].value)?.value
  }

  /// Returns the location of the value that a step has for a key, or of the step's id if it does not have the key. If
  /// the step has `run` instead of `uses`, the location of `uses` is that of `run`.
  func span(_ key: StepKey, of step: Int) -> TextSpan {
    tree.span(node(key, of: step) ?? (key == .uses ? node(.run, of: step) : nil) ?? locations.steps[step].key)
  }

  /// Returns the member for an input that is written as a key of the step instead of under `with`, or nil.
  func shorthand(for input: String, of step: Int) -> MemberCursor.Member? {
    switch input {
    case CommandKeys.commandInput: tree.member(StepKey.run.rawValue, of: locations.steps[step].value)
    case CommandKeys.shellInput: tree.member(StepKey.shell.rawValue, of: locations.steps[step].value)
    case ReadyCondition.input, RestartPolicy.input, StopPolicy.input:
      tree.member(input, of: locations.steps[step].value)
    default:
      input == actions.declaration(ofStep: step)?.outputFieldsFromInput
        ? tree.member(StepKey.outputs.rawValue, of: locations.steps[step].value) : nil
    }
  }

  /// Returns the outputs that a step and its action declare. Outputs that are members of an input are not included.
  func outputs(ofStep step: Int) -> [FieldDeclaration] {
    actions.declaration(ofStep: step)?.outputs(declaredBy: workflow.steps[step].with) ?? []
  }

  func idSpan(_ step: Int) -> TextSpan { tree.span(locations.steps[step].key) }

  /// Returns the step with this id, or nil. Uppercase letters in `id` are accepted, although ids are lowercase.
  func stepIndex(like id: String) -> Int? {
    ids.index(ofText: id, in: tree) ?? ids.index(ofText: id.lowercased(), in: tree)
  }
}
