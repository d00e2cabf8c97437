import FlowModel

/// The included files of a workflow. Views show a line for the end of each file and do not count it as a step.
struct IncludedFiles: Sendable {
  /// The number of steps of each file by its exit step, including those of files that it includes.
  private let stepCounts: [StepID: Int]

  /// Finds the files that a workflow includes.
  init(_ workflow: Workflow) {
    let scopes = workflow.scopes
    let numbers = Dictionary(uniqueKeysWithValues: scopes.enumerated().map { ($1.exit, $0) })
    let entries = Set(scopes.map(\.entry))
    func count(_ number: Int) -> Int {
      scopes[number].members.reduce(0) { sum, step in
        sum + (numbers[step].map(count) ?? (entries.contains(step) ? 0 : 1))
      }
    }
    stepCounts = Dictionary(
      uniqueKeysWithValues: scopes.indices.map { (workflow.steps[Int(scopes[$0].exit)].id, count($0)) })
  }

  /// Returns the number of steps of the file whose exit is this step, or nil if it is not an exit.
  func stepCount(endingIn step: StepID) -> Int? { stepCounts.isEmpty ? nil : stepCounts[step] }

  /// True if a step only binds the inputs of a file.
  func isEntry(_ step: StepID) -> Bool { !stepCounts.isEmpty && step.text.utf8.last == UInt8(ascii: "/") }

  /// Returns the exit of the file that begins with this step.
  func exit(of entry: StepID) -> StepID { StepID(unchecked: String(entry.text.dropLast())) }
}
