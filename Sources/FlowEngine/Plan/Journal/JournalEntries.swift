import FlowModel

/// Consecutive entries of a run's journal.
package struct JournalEntries: Sendable {
  /// The results of steps, in the order in which the steps finished.
  package let finished: [FinishedEntry]
  /// The failures of the steps in ``finished``.
  package let failures: [StepIndex: StepFailure]
  /// The remaining entries. `behind` is the number of steps in `finished` that precede the entry.
  private let others: [(behind: Int, entry: OtherEntry)]

  enum OtherEntry {
    case entry(JournalEntry)
    /// Successful items of one step.
    case items([FinishedEntry])
  }

  init(
    finished: [FinishedEntry] = [], failures: [StepIndex: StepFailure] = [:],
    others: [(behind: Int, entry: OtherEntry)] = []
  ) {
    self.finished = finished
    self.failures = failures
    self.others = others
  }

  /// True if there are no entries.
  package var isEmpty: Bool { finished.isEmpty && others.isEmpty }

  /// The number of entries. Each item of a group counts as one.
  package var count: Int {
    others.reduce(finished.count) { count, other in
      if case .items(let items) = other.entry { count + items.count } else { count + 1 }
    }
  }

  /// A part of the list: several results of steps, or one other entry.
  enum Stretch {
    case finished(ArraySlice<FinishedEntry>)
    case other(JournalEntry)
  }

  /// Calls `body` with each part of the list, in order.
  func forEachStretch<Failure>(_ body: (Stretch) throws(Failure) -> Void) throws(Failure) {
    var next = 0
    for (behind, entry) in others {
      if next < behind {
        try body(.finished(finished[next..<behind]))
        next = behind
      }
      switch entry {
      case .entry(let entry): try body(.other(entry))
      case .items(let items):
        for item in items { try body(.other(.finished(item, nil))) }
      }
    }
    if next < finished.count { try body(.finished(finished[next...])) }
  }

  /// Calls `body` with each entry, in order.
  package func forEach<Failure>(_ body: (JournalEntry) throws(Failure) -> Void) throws(Failure) {
    try forEachStretch { (stretch) throws(Failure) in
      switch stretch {
      case .finished(let steps): for step in steps { try body(.finished(step, failures[step.task.step])) }
      case .other(let entry): try body(entry)
      }
    }
  }
}
