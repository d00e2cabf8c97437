import FlowModel

/// The feed of a run's journal: what a plan notes besides the order in which its steps settle.
struct PlanJournal: Sendable {
  /// Whether starts are facts too.
  let keepsStarts: Bool
  /// How many of the settled steps have been taken.
  var taken = 0
  /// Everything but settled steps, each with how many had settled before.
  private(set) var others: [(settledBefore: Int, entry: Entry)] = []
  /// Items that succeeded, a whole fact of each of which would be twenty times as long.
  private(set) var items: [StepIndex] = []
  /// Whether the last of ``others`` is the items of this step that succeed now.
  private var openStep: StepIndex = -1

  init(keepsStarts: Bool, taken: Int) {
    self.keepsStarts = keepsStarts
    self.taken = taken
  }

  enum Entry {
    case fact(PlanFact)
    /// The items from an index of ``items`` on, up to those of the next such entry.
    case items(of: StepIndex, from: Int)
  }

  mutating func note(_ fact: PlanFact, settledBefore: Int) {
    openStep = -1
    others.append((settledBefore, .fact(fact)))
  }

  /// Notes that an item of a step succeeded about which there is nothing more to say.
  @inline(__always)
  mutating func noteSuccess(ofItem item: StepIndex, of step: StepIndex, settledBefore: Int) {
    if openStep != step || others[others.count - 1].settledBefore != settledBefore {
      openStep = step
      others.append((settledBefore, .items(of: step, from: items.count)))
    }
    items.append(item)
  }

  /// The first of ``items`` that belongs to none of the first so many of ``others``.
  func firstItem(behind count: Int) -> Int {
    for (_, entry) in others[count...] { if case .items(_, let from) = entry { return from } }
    return items.count
  }

  /// Forgets what somebody has taken: so many of ``others`` with their items, and settled steps up to a number.
  mutating func forget(first count: Int, upTo settled: Int) {
    taken = settled
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
  /// Keeps what comes out from now on for ``takeFacts()``.
  package mutating func keepFacts(startsToo: Bool) {
    journal = PlanJournal(keepsStarts: startsToo, taken: settledCount)
  }

  /// Whether something came out that nobody has taken.
  package var hasFacts: Bool { journal.map { $0.taken < settledCount || !$0.others.isEmpty } ?? false }

  /// Notes a fact where somebody keeps them.
  mutating func noteFact(_ fact: PlanFact) {
    guard journal != nil else { return }
    let count = settledCount
    journal?.note(fact, settledBefore: count)
  }

  /// Notes that a try begins, where that is a fact.
  mutating func noteTry(of step: StepIndex, at now: Int) {
    guard let journal, journal.keepsStarts else { return }
    noteFact(.started(step, attempt: Int(states[step].attempt), atNanoseconds: now))
  }

  /// How many steps have settled that nobody has taken.
  var untakenCount: Int { journal.map { settledCount - $0.taken } ?? 0 }

  /// Hands over what came out since the last call; of many steps the first so many, with what came before them.
  package mutating func takeFacts(atMost limit: Int = .max) -> PlanFacts {
    guard let feed = journal else { return PlanFacts() }
    var settled: [SettledStep] = []
    var failures: [StepIndex: StepFailure] = [:]
    var others: [(behind: Int, entry: PlanFacts.Entry)] = []
    let range = feed.taken..<feed.taken + min(limit, settledCount - feed.taken)
    settled.reserveCapacity(range.count)
    for step in tables.order(range) {
      let state = states[step]
      guard let outcome = state.outcome else { continue }
      if outcome != .success, let failure = particulars.failures[step] { failures[step] = failure }
      settled.append(SettledStep(step, state, outcome))
    }
    let noted = feed.others.prefix { $0.settledBefore <= range.upperBound }
    others.reserveCapacity(noted.count)
    var end = feed.firstItem(behind: noted.count)
    for (settledBefore, entry) in noted.reversed() {
      let behind = settledBefore - range.lowerBound
      switch entry {
      case .fact(let fact): others.append((behind, .fact(fact)))
      case .items(let step, let from):
        others.append((behind, .items(of: step, settledItems(feed.items[from..<end], of: step))))
        end = from
      }
    }
    others.reverse()
    journal?.forget(first: noted.count, upTo: range.upperBound)
    return PlanFacts(settled: settled, failures: failures, others: others)
  }

  private func settledItems(_ items: ArraySlice<StepIndex>, of step: StepIndex) -> [SettledStep] {
    guard let index = fans.index(of: step) else { return [] }
    return fans[index].settled(items)
  }
}
