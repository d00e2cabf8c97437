import FlowModel

/// Which steps are drawn in which box: each file that is included has one, with its entry, its exit and the boxes of what
/// it includes itself.
struct GraphBoxes {
  /// A box, or the whole, which is the first.
  struct Box {
    /// The id of the step that includes the file; empty: the whole.
    var name = ""
    /// In the order of the workflow.
    var steps: [Int] = []
    /// The boxes inside, by their indices.
    var boxes: [Int] = []
  }

  private(set) var all: [Box] = [Box()]
  /// The box of each step.
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

  /// The id of the step that includes the file in which a step is; nil: it is in the workflow itself.
  func name(ofBoxAround step: Int) -> String? { boxOfStep[step] == 0 ? nil : all[boxOfStep[step]].name }
}
