import FlowModel

/// The feed of a run's journal: what a plan notes besides the order in which its steps finish.
struct PlanJournal: Sendable {
  /// Whether starts are journal entries too.
  let keepsStarts: Bool
  /// How many of the finished steps have been taken.
  var taken = 0
  /// Everything but finished steps, each with how many had finished before.
  private(set) var others: [(finishedBefore: Int, entry: OtherEntry)] = []
  /// Items that succeeded, a whole journal entry of each of which would be twenty times as long.
  private(set) var items: [StepIndex] = []
  /// Whether the last of ``others`` is the items of this step that succeed now.
  private var openStep: StepIndex = -1

  init(keepsStarts: Bool, taken: Int) {
    self.keepsStarts = keepsStarts
    self.taken = taken
  }

  enum OtherEntry {
    case entry(JournalEntry)
    /// The items from an index of ``items`` on, up to those of the next such entry.
    case items(of: StepIndex, from: Int)
  }

  mutating func note(_ entry: JournalEntry, finishedBefore: Int) {
    openStep = -1
    others.append((finishedBefore, .entry(entry)))
  }

  /// Notes that an item of a step succeeded about which there is nothing more to say.
  @inline(__always)
  mutating func noteSuccess(ofItem item: StepIndex, of step: StepIndex, finishedBefore: Int) {
    if openStep != step || others[others.count - 1].finishedBefore != finishedBefore {
      openStep = step
      others.append((finishedBefore, .items(of: step, from: items.count)))
    }
    items.append(item)
  }

  /// The first of ``items`` that belongs to none of the first `count` of ``others``.
  func firstItem(behind count: Int) -> Int {
    for (_, entry) in others[count...] { if case .items(_, let from) = entry { return from } }
    return items.count
  }

  /// Forgets what was taken: this many of ``others`` with their items, and finished steps up to a number.
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
  /// Keeps what comes out from now on for ``takeEntries()``.
  package mutating func keepEntries(startsToo: Bool) {
    journal = PlanJournal(keepsStarts: startsToo, taken: finishedCount)
  }

  /// Whether there are entries that were not taken yet.
  package var hasEntries: Bool { journal.map { $0.taken < finishedCount || !$0.others.isEmpty } ?? false }

  /// Notes a journal entry where someone keeps them.
  mutating func noteEntry(_ entry: JournalEntry) {
    guard journal != nil else { return }
    let count = finishedCount
    journal?.note(entry, finishedBefore: count)
  }

  /// The number of finished steps that were not taken yet.
  var untakenCount: Int { journal.map { finishedCount - $0.taken } ?? 0 }

  /// Returns the entries since the last call; if there are many, the first `count` with everything before them.
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
