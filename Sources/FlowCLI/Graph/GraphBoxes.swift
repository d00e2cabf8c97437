import FlowModel

/// The boxes of a drawing. Each stands for an included file and contains its steps, including its entry and exit, and
/// the boxes of the files that it includes.
struct GraphBoxes {
  /// A box in the drawing. The first one stands for the whole graph.
  struct Box {
    /// The id of the step that includes the file. Empty for the whole graph.
    var name = ""
    var steps: [Int] = []
    var boxes: [Int] = []
  }

  private(set) var all: [Box] = [Box()]
  /// For each step, the index of the innermost box that contains it.
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

  /// Returns the id of the step that includes the file with this step, or nil if the step is in the main file.
  func name(ofBoxAround step: Int) -> String? { boxOfStep[step] == 0 ? nil : all[boxOfStep[step]].name }
}
