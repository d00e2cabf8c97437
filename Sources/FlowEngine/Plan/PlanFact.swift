import FlowModel

/// What came out of a run, as another plan of the same workflow takes it in to go on from there.
///
/// Facts, not commands: how a step ended, never what the plan was told. What follows from a fact the plan works out by its
/// own rules, so that a newer engine may read what an older one wrote. Times are nanoseconds from the start of the run.
package enum PlanFact: Sendable, Hashable {
  /// The launch is known.
  case activated(Resolution, atNanoseconds: Int)
  /// A step is over for everybody else; why it failed stands beside it.
  case settled(SettledStep, StepFailure?)
  /// A try failed, and another follows.
  case tried(StepIndex, attempt: Int, StepFailure?, atNanoseconds: Int)
  /// A try was about to begin; noted only where nothing may begin before it is on disk.
  case started(StepIndex, attempt: Int, atNanoseconds: Int)
  /// A try behind the first began, or the body of one of an executor's steps began there.
  case begun(StepIndex, isRemote: Bool, atNanoseconds: Int)
  /// An event was posted for the first time.
  case posted(String, atNanoseconds: Int)
  /// The gate opened.
  case gateOpened(OpenedGate)
  /// A service failed after its dependants had seen it ready.
  case failedAfterReady(StepIndex, StepFailure, atNanoseconds: Int)
  /// The run was cancelled.
  case cancelled(atNanoseconds: Int)
  /// What a resume knows of a step's past: the tries it has had, those of them that do not count against its retries, and
  /// how often a success of it was given up.
  case carried(StepIndex, attempts: Int, uncounted: Int, repetitions: Int)
  /// The items of a step are known, by their hashes.
  case expanded(StepIndex, hashes: [UInt64], atNanoseconds: Int)
  /// What came out of an item of a step.
  case item(of: StepIndex, ItemFact)
}

/// What came out of an item of a step: the facts that there are of steps too, naming the item's index in place of a step's.
///
/// A type of its own and no fact in a fact, which would be an allocation for each item.
package enum ItemFact: Sendable, Hashable {
  case settled(SettledStep, StepFailure?)
  case tried(StepIndex, attempt: Int, StepFailure?, atNanoseconds: Int)
  case started(StepIndex, attempt: Int, atNanoseconds: Int)
  case begun(StepIndex, isRemote: Bool, atNanoseconds: Int)
  case carried(StepIndex, attempts: Int, uncounted: Int, repetitions: Int)

  /// The same of an item; nil: items have no such facts.
  package init?(_ fact: PlanFact) {
    switch fact {
    case .settled(let item, let failure): self = .settled(item, failure)
    case .tried(let item, let attempt, let failure, let time):
      self = .tried(item, attempt: attempt, failure, atNanoseconds: time)
    case .started(let item, let attempt, let time): self = .started(item, attempt: attempt, atNanoseconds: time)
    case .begun(let item, let isRemote, let time): self = .begun(item, isRemote: isRemote, atNanoseconds: time)
    case .carried(let item, let attempts, let uncounted, let repetitions):
      self = .carried(item, attempts: attempts, uncounted: uncounted, repetitions: repetitions)
    case .activated, .posted, .gateOpened, .failedAfterReady, .cancelled, .expanded, .item: return nil
    }
  }

  /// The same as if the item were a step.
  package var ofStep: PlanFact {
    switch self {
    case .settled(let item, let failure): .settled(item, failure)
    case .tried(let item, let attempt, let failure, let time):
      .tried(item, attempt: attempt, failure, atNanoseconds: time)
    case .started(let item, let attempt, let time): .started(item, attempt: attempt, atNanoseconds: time)
    case .begun(let item, let isRemote, let time): .begun(item, isRemote: isRemote, atNanoseconds: time)
    case .carried(let item, let attempts, let uncounted, let repetitions):
      .carried(item, attempts: attempts, uncounted: uncounted, repetitions: repetitions)
    }
  }
}

/// How a step ended.
package struct SettledStep: Sendable, Hashable {
  /// The step.
  package var step: StepIndex
  /// Tries it had.
  package var attempts: UInt8
  /// How it ended.
  package var outcome: Outcome
  /// Why it did not run; nil when it did.
  package var reason: SkipReason?
  /// Whether it was left behind because it ignored its cancellation.
  package var isAbandoned = false
  /// Nanoseconds from the start of the run at which nothing held it back but capacity; `Int.min`: never.
  package var readyAt: Int
  /// … at which its first try started; `Int.min`: never.
  package var startedAt: Int
  /// … at which it was settled.
  package var endedAt: Int

  /// A step that ended so.
  package init(
    step: StepIndex, attempts: UInt8, outcome: Outcome, reason: SkipReason? = nil, isAbandoned: Bool = false,
    readyAt: Int, startedAt: Int, endedAt: Int
  ) {
    self.step = step
    self.attempts = attempts
    self.outcome = outcome
    self.reason = reason
    self.isAbandoned = isAbandoned
    self.readyAt = readyAt
    self.startedAt = startedAt
    self.endedAt = endedAt
  }

  /// A step, or an item, in the state in which it was settled.
  init(_ step: StepIndex, _ state: StepState, _ outcome: Outcome) {
    self.init(
      step: step, attempts: state.attempt, outcome: outcome, reason: state.reason,
      isAbandoned: state.marks.contains(.abandoned), readyAt: state.readyAt, startedAt: state.startedAt,
      endedAt: state.endedAt)
  }
}

/// What came out of a run between two looks at it, in order.
package struct PlanFacts: Sendable {
  /// The steps that settled.
  package fileprivate(set) var settled: [SettledStep] = []
  /// Why some of them failed.
  package fileprivate(set) var failures: [StepIndex: StepFailure] = [:]
  /// Everything else, each with how many of the settled ones came before.
  fileprivate var others: [(behind: Int, entry: Entry)] = []

  /// What came out besides settled steps.
  fileprivate enum Entry {
    case fact(PlanFact)
    /// Items of a step that succeeded, one after the other.
    case items(of: StepIndex, [SettledStep])
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
    var facts = PlanFacts()
    let range = feed.taken..<feed.taken + min(limit, settledCount - feed.taken)
    facts.settled.reserveCapacity(range.count)
    for step in tables.order(range) {
      let state = states[step]
      guard let outcome = state.outcome else { continue }
      if outcome != .success, let failure = particulars.failures[step] { facts.failures[step] = failure }
      facts.settled.append(SettledStep(step, state, outcome))
    }
    let others = feed.others.prefix { $0.settledBefore <= range.upperBound }
    facts.others.reserveCapacity(others.count)
    var end = feed.firstItem(behind: others.count)
    for (settledBefore, entry) in others.reversed() {
      let behind = settledBefore - range.lowerBound
      switch entry {
      case .fact(let fact): facts.others.append((behind, .fact(fact)))
      case .items(let step, let from):
        facts.others.append((behind, .items(of: step, settledItems(feed.items[from..<end], of: step))))
        end = from
      }
    }
    facts.others.reverse()
    journal?.forget(first: others.count, upTo: range.upperBound)
    return facts
  }

  private func settledItems(_ items: ArraySlice<StepIndex>, of step: StepIndex) -> [SettledStep] {
    guard let index = fans.index(of: step) else { return [] }
    return fans[index].settled(items)
  }
}
