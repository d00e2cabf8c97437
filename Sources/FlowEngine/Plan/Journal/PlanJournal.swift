import FlowModel

/// The journal entries that have not been collected for writing. Results of steps are not stored here; they are read
/// from the plan's list of finished steps.
struct PlanJournal: Sendable {
  /// True if the start of a first attempt is recorded, too.
  let keepsStarts: Bool
  /// The number of finished steps whose results have been collected.
  var taken = 0
  /// All other entries. `finishedBefore` is the number of steps that had finished before the entry.
  private(set) var others: [(finishedBefore: Int, entry: OtherEntry)] = []
  /// The indices of items that succeeded. A full entry for each would take 20 times as much memory.
  private(set) var items: [StepIndex] = []
  /// The step whose items belong to the last entry of ``others``, or -1 if that is another kind of entry.
  private var openStep: StepIndex = -1

  init(keepsStarts: Bool, taken: Int) {
    self.keepsStarts = keepsStarts
    self.taken = taken
  }

  enum OtherEntry {
    case entry(JournalEntry)
    /// Successful items of one step: the elements of ``items`` from an index up to the one where the next such entry
    /// begins.
    case items(of: StepIndex, from: Int)
  }

  mutating func note(_ entry: JournalEntry, finishedBefore: Int) {
    openStep = -1
    others.append((finishedBefore, .entry(entry)))
  }

  /// Records the success of an item. The rest of its result is read from the plan later.
  @inline(__always)
  mutating func noteSuccess(ofItem item: StepIndex, of step: StepIndex, finishedBefore: Int) {
    if openStep != step || others[others.count - 1].finishedBefore != finishedBefore {
      openStep = step
      others.append((finishedBefore, .items(of: step, from: items.count)))
    }
    items.append(item)
  }

  /// Returns the index in ``items`` of the first item that does not belong to the first `count` entries of ``others``.
  func firstItem(behind count: Int) -> Int {
    for (_, entry) in others[count...] { if case .items(_, let from) = entry { return from } }
    return items.count
  }

  /// Removes entries that have been collected: the first `count` of ``others``, and the results of the first `finished`
  /// steps.
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
  /// Starts recording entries for ``takeEntries(atMost:)``.
  package mutating func keepEntries(startsToo: Bool) {
    journal = PlanJournal(keepsStarts: startsToo, taken: finishedCount)
  }

  package var hasEntries: Bool { journal.map { $0.taken < finishedCount || !$0.others.isEmpty } ?? false }

  mutating func noteEntry(_ entry: JournalEntry) {
    guard journal != nil else { return }
    let count = finishedCount
    journal?.note(entry, finishedBefore: count)
  }

  /// The number of finished steps whose results have not been collected.
  var untakenCount: Int { journal.map { finishedCount - $0.taken } ?? 0 }

  /// Removes and returns the entries since the last call. At most `limit` results of steps are returned, with the
  /// entries that precede them.
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
      let workEndedAt = workEnd(of: PlanTask(step), state)
      finished.append(FinishedEntry(TaskInstance(step), state, outcome, workEndedAt: workEndedAt))
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
    return items.map { item in
      let task = task(Int(item), of: index)
      let state = self[state: task]
      return FinishedEntry(
        task.instance, state, state.outcome ?? .cancelled, workEndedAt: workEnd(of: task, state))
    }
  }

  /// Returns the end of a finished task's last attempt if the task's minimum delayed its end; otherwise `never`.
  @inline(__always)
  func workEnd(of task: PlanTask, _ state: StepState) -> Int {
    guard traits[task.step].flags.contains(.timed), let last = particulars.attemptTimes[task.index]?.last,
      last.endedAt < state.endedAt
    else { return never }
    return last.endedAt
  }
}
