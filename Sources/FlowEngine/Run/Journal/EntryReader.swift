import FlowModel
import FlowStore

/// Decodes the journal entries in the body of a chunk, in order.
package struct EntryReader: Sendable {
  /// An element of a chunk's body.
  package enum Item: Sendable, Hashable {
    case entry(JournalEntry)
    /// The outputs of a step, as JSON in UTF-8.
    case output(StepIndex, json: ArraySlice<UInt8>)
    /// The outputs of an item, as JSON in UTF-8.
    case itemOutput(StepIndex, item: Int, json: ArraySlice<UInt8>)
    /// The value of a post, as JSON in UTF-8.
    case eventValue(String, number: Int, json: ArraySlice<UInt8>)
  }

  private var reader: ByteReader
  private let stepCount: Int
  /// The step of the item whose entry is being read, or nil outside of such an entry.
  private var owner: StepIndex?
  private var lastStep = 0
  private var lastTime = 0

  /// Creates a reader. Step indices of `stepCount` and above are errors.
  package init(_ bytes: [UInt8], stepCount: Int) {
    reader = ByteReader(bytes)
    self.stepCount = stepCount
  }

  /// Returns the next element, or nil at the end. Throws if the bytes were not written by an ``EntryWriter``.
  package mutating func next() throws(ByteReader.ByteProblem) -> Item? {
    guard !reader.isAtEnd else { return nil }
    guard let tag = EntryTag(rawValue: try reader.byte()) else { throw reader.problem("a kind of journal entry") }
    switch tag {
    case .expanded: return .entry(try expanded())
    case .grown:
      let step = try step()
      let time = try time()
      let count = try reader.number()
      guard count <= UInt64(Limits.events) else { throw reader.problem("at most \(Limits.events) posts") }
      return .entry(.grown(step, count: Int(count), atNanoseconds: time))
    case .item:
      guard owner == nil else { throw reader.problem("a journal entry of an item") }
      owner = try step()
      defer { owner = nil }
      guard case .entry(let entry)? = try next(), entry.task?.item != nil else {
        throw reader.problem("a journal entry of an item")
      }
      return .entry(entry)
    case .itemOutput:
      let step = try step()
      let item = try reader.number()
      guard item < UInt64(Limits.items) else { throw reader.problem("an item") }
      return .itemOutput(step, item: Int(item), json: try reader.block())
    case .eventValue:
      let event = try reader.text()
      let number = try reader.number()
      guard number <= UInt64(Limits.events) else { throw reader.problem("at most \(Limits.events) posts") }
      return .eventValue(event, number: Int(number), json: try reader.block())
    case .succeeded: return .entry(try succeeded())
    case .finished: return .entry(try finished())
    case .tried:
      let task = try task()
      let time = try time()
      return .entry(.tried(task, attempt: try small(), try failure(), atNanoseconds: time))
    case .lost:
      let task = try task()
      let time = try time()
      return .entry(.lost(task, attempt: try small(), try failure(), atNanoseconds: time))
    case .started:
      let task = try task()
      let time = try time()
      return .entry(.started(task, attempt: try small(), atNanoseconds: time))
    case .begun:
      let task = try task()
      let time = try time()
      return .entry(.begun(task, isRemote: try reader.byte() != 0, atNanoseconds: time))
    case .outlasted:
      let task = try task()
      let overrun = try reader.number()
      let isAbandoned = try reader.byte() != 0
      return .entry(
        .outlasted(
          task, overrunNanoseconds: overrun == 0 ? nil : Int(truncatingIfNeeded: overrun &- 1), isAbandoned: isAbandoned
        ))
    case .posted:
      let time = try time()
      let name = try reader.text()
      // No step posts this event.
      let poster: EventPoster = name == LifecycleEvent.activate.rawValue ? .outside : .unknown
      return .entry(.posted(name, by: poster, atNanoseconds: time))
    case .postedBy:
      let time = try time()
      let name = try reader.text()
      let number = try reader.number()
      guard number <= UInt64(stepCount) else { throw reader.problem("one of \(stepCount) steps") }
      let poster: EventPoster = number == 0 ? .outside : .step(StepIndex(number - 1))
      return .entry(.posted(name, by: poster, atNanoseconds: time))
    case .gateOpened:
      let time = try time()
      guard let outcome = GateOutcome(rawValue: try reader.byte()) else { throw reader.problem("how the gate opened") }
      return .entry(.gateOpened(OpenedGate(outcome, atNanoseconds: time)))
    case .failedAfterReady:
      let step = try step()
      let time = try time()
      guard let failure = try failure() else { throw reader.problem("a failure") }
      return .entry(.failedAfterReady(step, failure, atNanoseconds: time))
    case .activated:
      let time = try time()
      return .entry(.activated(try resolution(), atNanoseconds: time))
    case .cancelled: return .entry(.cancelled(atNanoseconds: try time()))
    case .carried:
      let task = try task()
      let attempts = try small()
      let uncounted = try small()
      return .entry(.carried(task, attempts: attempts, uncounted: uncounted, repetitions: try small()))
    case .output:
      let step = try step()
      return .output(step, json: try reader.block())
    }
  }

  private mutating func expanded() throws(ByteReader.ByteProblem) -> JournalEntry {
    let step = try step()
    let time = try time()
    let count = try reader.count()
    guard count <= Limits.items else { throw reader.problem("at most \(Limits.items) items") }
    var hashes: [UInt64] = []
    hashes.reserveCapacity(count)
    for _ in 0..<count { hashes.append(try reader.number()) }
    return .expanded(step, hashes: hashes, atNanoseconds: time)
  }

  private mutating func succeeded() throws(ByteReader.ByteProblem) -> JournalEntry {
    let task = try task()
    let readyAt = try time()
    let startedAt = readyAt &+ (try reader.signed())
    let endedAt = startedAt &+ (try reader.signed())
    lastTime = endedAt
    return .finished(
      FinishedEntry(
        task, attempts: 1, outcome: .success, readyAt: readyAt, startedAt: startedAt, endedAt: endedAt),
      nil)
  }

  private mutating func finished() throws(ByteReader.ByteProblem) -> JournalEntry {
    let task = try task()
    let endedAt = try time()
    let attempts = UInt8(clamping: try small())
    let ending = try reader.byte()
    guard let outcome = Outcome(rawValue: ending & ~(EndingBit.abandoned | EndingBit.workEnd)) else {
      throw reader.problem("an outcome")
    }
    let reason = try reader.byte()
    guard reason == 0 || SkipReason(rawValue: reason - 1) != nil else { throw reader.problem("a reason") }
    let readyAt = try time(before: endedAt)
    let startedAt = try time(before: endedAt)
    let workEndedAt = ending & EndingBit.workEnd == 0 ? never : try time(before: endedAt)
    return .finished(
      FinishedEntry(
        task, attempts: attempts, outcome: outcome, reason: reason == 0 ? nil : SkipReason(rawValue: reason - 1),
        isAbandoned: ending & EndingBit.abandoned != 0, readyAt: readyAt, startedAt: startedAt, endedAt: endedAt,
        workEndedAt: workEndedAt),
      try failure())
  }

  private mutating func step() throws(ByteReader.ByteProblem) -> StepIndex { StepIndex(try index(below: stepCount)) }

  /// Reads the step or item of an entry.
  private mutating func task() throws(ByteReader.ByteProblem) -> TaskInstance {
    guard let owner else { return TaskInstance(try step()) }
    return TaskInstance(owner, item: try index(below: Limits.items))
  }

  private mutating func index(below count: Int) throws(ByteReader.ByteProblem) -> Int {
    let index = lastStep &+ (try reader.signed())
    guard index >= 0, index < count else { throw reader.problem("one of \(count) steps") }
    lastStep = index
    return index
  }

  private mutating func time() throws(ByteReader.ByteProblem) -> Int {
    lastTime = lastTime &+ (try reader.signed())
    return lastTime
  }

  private mutating func time(before end: Int) throws(ByteReader.ByteProblem) -> Int {
    let distance = try reader.number()
    return distance == 0 ? never : end &- Int(truncatingIfNeeded: distance &- 1)
  }

  private mutating func small() throws(ByteReader.ByteProblem) -> Int {
    let number = try reader.number()
    guard number < 1 << 20 else { throw reader.problem("a number of attempts") }
    return Int(number)
  }

  private mutating func failure() throws(ByteReader.ByteProblem) -> StepFailure? {
    guard try reader.byte() != 0 else { return nil }
    let code = try reader.text()
    return StepFailure(code: code, message: try reader.text())
  }

  private mutating func resolution() throws(ByteReader.ByteProblem) -> Resolution {
    var resolution = Resolution()
    resolution.disabled = try steps()
    resolution.deferred = try steps()
    resolution.gate.minimumNanoseconds = try reader.signed()
    if try reader.byte() != 0 { resolution.gate.maximumNanoseconds = try reader.signed() }
    return resolution
  }

  private mutating func steps() throws(ByteReader.ByteProblem) -> StepList {
    var steps = StepList()
    for _ in 0..<(try reader.count()) {
      let step = try reader.number()
      guard step < UInt64(stepCount) else { throw reader.problem("one of \(stepCount) steps") }
      steps.insert(StepIndex(step))
    }
    return steps
  }
}
