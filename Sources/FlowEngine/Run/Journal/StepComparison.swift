import FlowModel

/// A mapping from the step indices of one workflow to those of another, by id.
struct StepMapping {
  /// The new index of each step, or nil if the step was removed. The array is nil if all steps keep their indices.
  private var newIndices: [StepIndex?]?
  private var isKnown: [Bool] = []

  /// Creates the mapping by id. If `before` is nil, each step keeps its index.
  init(from before: WorkflowGraph?, to graph: WorkflowGraph) {
    guard let before else { return }
    var indices: [String: StepIndex] = [:]
    for (index, step) in graph.workflow.steps.enumerated() { indices[step.id.text] = StepIndex(index) }
    let newIndices = before.workflow.steps.map { indices[$0.id.text] }
    isKnown = Array(repeating: false, count: graph.workflow.steps.count)
    for case let index? in newIndices { isKnown[Int(index)] = true }
    self.newIndices = newIndices
  }

  subscript(step: StepIndex) -> StepIndex? { newIndices.map { $0[Int(step)] } ?? step }

  /// True if the earlier workflow also has this step of the later one.
  func isKnown(_ step: StepIndex) -> Bool { newIndices == nil || isKnown[Int(step)] }
}

/// Compares the steps of the recorded workflow with those of the current one.
struct StepComparison {
  /// The recorded workflow, or nil if it has not changed.
  let before: WorkflowGraph?
  let graph: WorkflowGraph
  let changedPlugins: Set<String>

  func isOptional(_ step: StepIndex) -> Bool { (before ?? graph).workflow.steps[Int(step)].options.isOptional }

  /// True if the step has not changed. `old` is its index in the recorded workflow, and `new` its index in the current
  /// one.
  func isSame(_ old: StepIndex, _ new: StepIndex) -> Bool {
    if !changedPlugins.isEmpty,
      changedPlugins.contains(String(graph.workflow.steps[Int(new)].uses.prefix { $0 != "." }))
    {
      return false
    }
    guard let before else { return true }
    return StepDefinition(before, old) == StepDefinition(graph, new)
  }
}

/// The properties that determine a step's behavior. A step has changed if one of them has.
private struct StepDefinition: Equatable {
  var uses: String
  var with: ValueObject
  var needs: Set<String>
  var condition: String?
  var environment: ValueObject
  var after: Set<String>
  var enabled: Switch
  var fanOut: FanOut.Source?
  /// The digest of the workflow that runs for each item, or nil if there is none.
  var itemDigest: UInt64?

  init(_ graph: WorkflowGraph, _ index: StepIndex) {
    let step = graph.workflow.steps[Int(index)]
    uses = step.uses
    with = step.with
    needs = Set(step.needs.map { graph.workflow.steps[Int($0)].id.text })
    condition = step.options.condition
    environment = step.options.environment
    after = Set(step.options.after)
    enabled = step.options.enabled
    fanOut = step.options.fanOut?.source
    itemDigest = graph.workflow.itemWorkflows[step.uses]?.digest
  }
}
