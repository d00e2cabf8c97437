import FlowModel

/// The boxes of a drawing. Each included file has a box with its entry, its exit and the boxes of the files it
/// includes.
struct GraphBoxes {
  /// A box. The first one is the whole graph.
  struct Box {
    /// The id of the step that includes the file; empty for the whole graph.
    var name = ""
    /// The indices of its steps, in file order.
    var steps: [Int] = []
    /// The indices of its inner boxes.
    var boxes: [Int] = []
  }

  private(set) var all: [Box] = [Box()]
  /// The index of the box of each step.
  private var boxOfStep: [Int]

  init(_ workflow: Workflow) {
    boxOfStep = workflow.steps.indices.map { workflow.scope(of: StepIndex($0)).map { $0 + 1 } ?? 0 }
    let outer = boxOfStep
    all += workflow.scopes.map { Box(name: String($0.prefix.dropLast())) }
    for (number, scope) in workflow.scopes.enumerated() {
      all[outer[Int(scope.entry)]].boxes.append(number + 1)
      boxOfStep[Int(scope.entry)] = number + 1
    }
    for (step, box) in boxOfStep.enumerated() { all[box].steps.append(step) }
  }

  /// Returns the id of the step that includes the file of this step, or nil for a step of the workflow itself.
  func name(ofBoxAround step: Int) -> String? { boxOfStep[step] == 0 ? nil : all[boxOfStep[step]].name }
}
