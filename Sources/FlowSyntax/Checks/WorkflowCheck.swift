import FlowDiagnostics
import FlowModel

/// A workflow that has been read, under examination; each check is a method in a file of its own.
struct WorkflowCheck: DocumentReading {
  let tree: NodeTree
  let places: WorkflowPlaces
  let actions: ActionTable
  let catalogue: any ActionCatalogue
  let workflow: Workflow
  var diagnostics: [Diagnostic]
  /// Nil while unknown and when the needs form a cycle.
  var graph: WorkflowGraph?

  init(_ reader: WorkflowReader) {
    tree = reader.tree
    places = reader.places
    actions = reader.actions
    catalogue = reader.catalogue
    workflow = reader.workflow
    diagnostics = reader.diagnostics
  }

  /// Makes every check.
  mutating func run() {
    guard !workflow.steps.isEmpty else { return }
    checkActions()
    checkInputs()
    checkEvents()
    checkCycle()
  }

  /// The name of a step in messages.
  func name(_ step: Int) -> String { workflow.steps[step].id.text }

  /// The node under a key of a step, or nil.
  func node(_ key: StepKey, of step: Int) -> NodeID? { tree.member(key.rawValue, of: places.steps[step].value)?.value }

  /// The place of a step's key, else of its id.
  func span(_ key: StepKey, of step: Int) -> Span { tree.span(node(key, of: step) ?? places.steps[step].key) }

  /// The place of a step's id.
  func idSpan(_ step: Int) -> Span { tree.span(places.steps[step].key) }
}
