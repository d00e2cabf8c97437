import FlowModel

/// The journal entries of a run between two reads, in order.
package struct JournalEntries: Sendable {
  /// The steps that finished.
  package let finished: [FinishedEntry]
  /// The failures of those steps.
  package let failures: [StepIndex: StepFailure]
  /// All other entries, each with the number of finished steps before it.
  private let others: [(behind: Int, entry: OtherEntry)]

  /// The entries other than finished steps.
  enum OtherEntry {
    case entry(JournalEntry)
    /// Consecutive items of a step that succeeded.
    case items([FinishedEntry])
  }

  /// Creates a list of entries. `behind` is the number of finished steps before an entry.
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

  /// The number of entries.
  package var count: Int {
    others.reduce(finished.count) { count, other in
      if case .items(let items) = other.entry { count + items.count } else { count + 1 }
    }
  }

  /// Consecutive entries.
  enum Stretch {
    /// Consecutive finished steps.
    case finished(ArraySlice<FinishedEntry>)
    case other(JournalEntry)
  }

  /// Calls `body` with every stretch, in order.
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

  /// Calls `body` with every journal entry, in order.
  package func forEach<Failure>(_ body: (JournalEntry) throws(Failure) -> Void) throws(Failure) {
    try forEachStretch { (stretch) throws(Failure) in
      switch stretch {
      case .finished(let steps): for step in steps { try body(.finished(step, failures[step.task.step])) }
      case .other(let entry): try body(entry)
      }
    }
  }
}
