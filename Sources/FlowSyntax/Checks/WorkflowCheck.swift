import FlowDiagnostics
import FlowModel

/// A workflow that has been read, under examination; each check is a method in a file of its own.
struct WorkflowCheck: DocumentReading {
  let tree: NodeTree
  let locations: WorkflowLocations
  let actions: ActionTable
  let catalog: any ActionCatalog
  let workflow: Workflow
  /// The steps by id, as expressions name them.
  private let ids: NameTable
  /// The workflow's inputs, as expressions name them.
  let inputs: FieldIndex
  /// The outputs of steps whose outputs are the members of an input, in lower case; found when someone asks.
  var freeOutputs: [Int: Set<String>] = [:]
  var diagnostics: [Diagnostic]
  /// The variables that expressions read and the workflow does not set.
  var variableReads: [VariableRead] = []
  /// What steps require and none before them provides.
  var missingHandles: [HandleKey] = []
  /// Nil while unknown and when the dependencies form a cycle.
  var graph: WorkflowGraph?
  /// What each step has to do with the gate; nil while unknown.
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

  /// Makes every check.
  mutating func run() {
    guard !workflow.steps.isEmpty else { return }
    checkActions()
    checkInputs()
    checkEvents()
    checkCalls()
    checkFanOuts()
    checkExecutors()
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

  /// The location of each step in the order of the graph; empty until someone asks.
  var ranks: [Int32] = []
  /// The number of the last search for steps out of reach that came by each step; empty until someone asks.
  var searches: [Int32] = []
  var searchNumber: Int32 = 0
  /// The number of edges that the search for steps out of reach may still walk.
  var reachBudget = 100_000_000

  /// The steps in an order in which each comes after all it needs; only for checks that have a graph.
  var order: [StepIndex] { graph?.topologicalOrder ?? [] }

  /// The name of a step in messages.
  func name(_ step: Int) -> String { workflow.steps[step].id.text }

  /// The node under a key of a step, or nil.
  func node(_ key: StepKey, of step: Int) -> NodeID? {
    tree.member(key.rawValue, of: locations.steps[step].value)?.value
  }

  /// The location of a step's key, else of its id.
  func span(_ key: StepKey, of step: Int) -> TextSpan {
    tree.span(node(key, of: step) ?? (key == .uses ? node(.run, of: step) : nil) ?? locations.steps[step].key)
  }

  /// The member under which an input of a step is that has a key of its own instead of one below `with`.
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

  /// The outputs that a step declares or its action has, but for those that are the members of an input.
  func outputs(ofStep step: Int) -> [FieldDeclaration] {
    actions.declaration(ofStep: step)?.outputs(declaredBy: workflow.steps[step].with) ?? []
  }

  /// The location of a step's id.
  func idSpan(_ step: Int) -> TextSpan { tree.span(locations.steps[step].key) }

  /// The step of this id; expressions compare keys without case, and ids are in lower case.
  func stepIndex(like id: String) -> Int? {
    ids.index(ofText: id, in: tree) ?? ids.index(ofText: id.lowercased(), in: tree)
  }
}
