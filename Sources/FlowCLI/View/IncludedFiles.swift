import FlowModel

/// The files that a workflow includes, as views show them: each ends with one line, and is not a step itself.
struct IncludedFiles: Sendable {
  /// The numbers of steps by the steps that end the files; those of files that a file includes count, too.
  private let stepCounts: [StepID: Int]

  /// The files that a workflow includes.
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

  /// The number of steps of the file that a step ends; nil if it ends none.
  func stepCount(endingIn step: StepID) -> Int? { stepCounts.isEmpty ? nil : stepCounts[step] }

  /// Whether a step only binds the inputs of a file.
  func isEntry(_ step: StepID) -> Bool { !stepCounts.isEmpty && step.text.utf8.last == UInt8(ascii: "/") }

  /// The step that ends the file whose inputs a step binds.
  func exit(of entry: StepID) -> StepID { StepID(unchecked: String(entry.text.dropLast())) }
}
