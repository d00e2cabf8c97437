import FlowModel

/// Maps the steps of one file to those of another by id.
struct StepMapping {
  /// The new index of each step, or nil if all have the same index.
  private var newIndices: [StepIndex?]?
  private var isKnown: [Bool] = []

  /// Creates a mapping between two workflows, or the identity for nil.
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

  /// True if a step of the later file was in the earlier one.
  func isKnown(_ step: StepIndex) -> Bool { newIndices == nil || isKnown[Int(step)] }
}

/// Determines whether a step has changed.
struct StepComparison {
  /// The earlier workflow, or nil if it is the same.
  let before: WorkflowGraph?
  let graph: WorkflowGraph
  /// The plugins whose programs have changed.
  let changedPlugins: Set<String>

  /// True if a failure of the step concludes as a success.
  func isOptional(_ step: StepIndex) -> Bool { (before ?? graph).workflow.steps[Int(step)].options.isOptional }

  /// True if step `old` of the earlier workflow is equal to step `new`.
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

/// The parts of a step that determine its behavior. A step has changed if any of them has.
private struct StepDefinition: Equatable {
  var uses: String
  var with: ValueObject
  var needs: Set<String>
  var condition: String?
  var environment: ValueObject
  var after: Set<String>
  var enabled: Switch
  var fanOut: FanOut.Source?
  /// The digest of the workflow that its items run.
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
