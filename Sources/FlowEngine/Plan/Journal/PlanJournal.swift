import FlowModel

/// The journal entries of a plan, except for the order in which its steps finish.
struct PlanJournal: Sendable {
  /// True if starts are recorded, too.
  let keepsStarts: Bool
  /// The number of finished steps that have been taken.
  var taken = 0
  /// All entries except finished steps, each with the number of steps that had finished before.
  private(set) var others: [(finishedBefore: Int, entry: OtherEntry)] = []
  /// The items that succeeded, stored by index because a full entry is 20 times as large.
  private(set) var items: [StepIndex] = []
  /// The step whose successful items the last of ``others`` collects, or -1.
  private var openStep: StepIndex = -1

  init(keepsStarts: Bool, taken: Int) {
    self.keepsStarts = keepsStarts
    self.taken = taken
  }

  enum OtherEntry {
    case entry(JournalEntry)
    /// The items from an index of ``items`` up to the start of the next such entry.
    case items(of: StepIndex, from: Int)
  }

  mutating func note(_ entry: JournalEntry, finishedBefore: Int) {
    openStep = -1
    others.append((finishedBefore, .entry(entry)))
  }

  /// Records the success of an item without further details.
  @inline(__always)
  mutating func noteSuccess(ofItem item: StepIndex, of step: StepIndex, finishedBefore: Int) {
    if openStep != step || others[others.count - 1].finishedBefore != finishedBefore {
      openStep = step
      others.append((finishedBefore, .items(of: step, from: items.count)))
    }
    items.append(item)
  }

  /// The index in ``items`` of the first item that belongs to none of the first `count` entries of ``others``.
  func firstItem(behind count: Int) -> Int {
    for (_, entry) in others[count...] { if case .items(_, let from) = entry { return from } }
    return items.count
  }

  /// Removes the entries that were taken: `count` of ``others`` with their items, and finished steps up to a number.
  mutating func forget(first count: Int, upTo finished: Int) {
    taken = finished
    guard count < others.count else {
      others.removeAll(keepingCapacity: true)
      items.removeAll(keepingCapacity: true)
      openStep = -1
      return
    }
    let first = firstItem(behind: count)
    others.removeFirst(count)
    items.removeFirst(first)
    for index in others.indices {
      guard case .items(let step, let from) = others[index].entry else { continue }
      others[index].entry = .items(of: step, from: from - first)
    }
  }
}

extension Plan {
  /// Starts to record entries for ``takeEntries(atMost:)``.
  package mutating func keepEntries(startsToo: Bool) {
    journal = PlanJournal(keepsStarts: startsToo, taken: finishedCount)
  }

  /// True if there are entries that have not been taken.
  package var hasEntries: Bool { journal.map { $0.taken < finishedCount || !$0.others.isEmpty } ?? false }

  /// Records a journal entry if a journal is kept.
  mutating func noteEntry(_ entry: JournalEntry) {
    guard journal != nil else { return }
    let count = finishedCount
    journal?.note(entry, finishedBefore: count)
  }

  /// The number of finished steps that have not been taken.
  var untakenCount: Int { journal.map { finishedCount - $0.taken } ?? 0 }

  /// Returns the entries since the last call. If there are many, returns the first `limit` finished steps and
  /// everything before them.
  package mutating func takeEntries(atMost limit: Int = .max) -> JournalEntries {
    guard let feed = journal else { return JournalEntries() }
    var finished: [FinishedEntry] = []
    var failures: [StepIndex: StepFailure] = [:]
    var others: [(behind: Int, entry: JournalEntries.OtherEntry)] = []
    let range = feed.taken..<feed.taken + min(limit, finishedCount - feed.taken)
    finished.reserveCapacity(range.count)
    for step in tables.order(range) {
      let state = states[step]
      guard let outcome = state.outcome else { continue }
      if outcome != .success, let failure = particulars.failures[step] { failures[step] = failure }
      finished.append(FinishedEntry(TaskInstance(step), state, outcome))
    }
    let noted = feed.others.prefix { $0.finishedBefore <= range.upperBound }
    others.reserveCapacity(noted.count)
    var end = feed.firstItem(behind: noted.count)
    for (finishedBefore, entry) in noted.reversed() {
      let behind = finishedBefore - range.lowerBound
      switch entry {
      case .entry(let entry): others.append((behind, .entry(entry)))
      case .items(let step, let from):
        others.append((behind, .items(finishedItems(feed.items[from..<end], of: step))))
        end = from
      }
    }
    others.reverse()
    journal?.forget(first: noted.count, upTo: range.upperBound)
    return JournalEntries(finished: finished, failures: failures, others: others)
  }

  private func finishedItems(_ items: ArraySlice<StepIndex>, of step: StepIndex) -> [FinishedEntry] {
    guard let index = fanOuts.index(of: step) else { return [] }
    return fanOuts[index].finished(items)
  }
}
