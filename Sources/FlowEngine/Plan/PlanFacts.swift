import FlowModel

/// What came out of a run between two looks at it, in order.
package struct PlanFacts: Sendable {
  /// The steps that settled.
  package let settled: [SettledStep]
  /// Why some of them failed.
  package let failures: [StepIndex: StepFailure]
  /// Everything else, each with how many of the settled ones came before.
  private let others: [(behind: Int, entry: Entry)]

  /// What came out besides settled steps.
  enum Entry {
    case fact(PlanFact)
    /// Items of a step that succeeded, one after the other.
    case items(of: StepIndex, [SettledStep])
  }

  /// What came out; with each of the others how many of the settled ones came before.
  init(
    settled: [SettledStep] = [], failures: [StepIndex: StepFailure] = [:], others: [(behind: Int, entry: Entry)] = []
  ) {
    self.settled = settled
    self.failures = failures
    self.others = others
  }

  /// Whether nothing came out.
  package var isEmpty: Bool { settled.isEmpty && others.isEmpty }

  /// How many there are.
  package var count: Int {
    others.reduce(settled.count) { count, other in
      if case .items(_, let items) = other.entry { count + items.count } else { count + 1 }
    }
  }

  /// What came out in a row.
  enum Stretch {
    /// Steps that settled, with nothing between them.
    case settled(ArraySlice<SettledStep>)
    case other(PlanFact)
  }

  /// Calls `body` with everything, in order.
  func forEachStretch<Failure>(_ body: (Stretch) throws(Failure) -> Void) throws(Failure) {
    var next = 0
    for (behind, entry) in others {
      if next < behind {
        try body(.settled(settled[next..<behind]))
        next = behind
      }
      switch entry {
      case .fact(let fact): try body(.other(fact))
      case .items(let step, let items):
        for item in items { try body(.other(.item(of: step, .settled(item, nil)))) }
      }
    }
    if next < settled.count { try body(.settled(settled[next...])) }
  }

  /// Calls `body` with every fact, in order.
  package func forEach<Failure>(_ body: (PlanFact) throws(Failure) -> Void) throws(Failure) {
    try forEachStretch { (stretch) throws(Failure) in
      switch stretch {
      case .settled(let steps): for step in steps { try body(.settled(step, failures[step.step])) }
      case .other(let fact): try body(fact)
      }
    }
  }
}
