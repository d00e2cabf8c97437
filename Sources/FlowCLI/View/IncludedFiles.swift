import FlowModel

/// The files that a workflow includes. Views show a single line for each of them when it ends, and do not count it as a
/// step.
struct IncludedFiles: Sendable {
  /// The number of steps of each file, including the files that it includes itself, by its exit step.
  private let stepCounts: [StepID: Int]

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

  /// Returns the number of steps of the included file whose exit is `step`, or nil if `step` is not an exit.
  func stepCount(endingIn step: StepID) -> Int? { stepCounts.isEmpty ? nil : stepCounts[step] }

  /// True if the step is the entry of an included file. It only binds the file's inputs.
  func isEntry(_ step: StepID) -> Bool { !stepCounts.isEmpty && step.text.utf8.last == UInt8(ascii: "/") }

  /// Returns the exit of the included file whose entry is `entry`.
  func exit(of entry: StepID) -> StepID { StepID(unchecked: String(entry.text.dropLast())) }
}
