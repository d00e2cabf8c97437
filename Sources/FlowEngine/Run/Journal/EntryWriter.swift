import FlowBytes
import FlowModel
import FlowStore

/// The encoding of journal entries and outputs in the body of a chunk: a tag byte, then numbers. Steps and times are
/// stored as differences from the previous ones, so an ordinary step takes about ten bytes.
enum EntryTag: UInt8 {
  /// A success in the first attempt, without further details.
  case succeeded = 1
  case finished, tried, started, posted, gateOpened, failedAfterReady, activated, cancelled, carried
  case output
  /// The items of a step; a journal entry of an item; the outputs of an item.
  case expanded, item, itemOutput
  /// A later attempt than the first began, or a remote body.
  case begun
  /// The number of items of a step that runs for posts has grown.
  case grown
  /// The value of a posted event.
  case eventValue
}

/// Writes the body of a chunk of journal entries.
package struct EntryWriter: Sendable {
  private var writer = ByteWriter()
  private var lastStep = 0
  private var lastTime = 0

  /// Creates an empty chunk body.
  package init() {}

  /// The bytes that have been written.
  package var bytes: [UInt8] { writer.bytes }

  /// True if nothing has been written.
  var isEmpty: Bool { writer.bytes.isEmpty }

  /// Reserves memory for this number of ordinary steps.
  mutating func reserve(stepCount: Int) { writer.reserve(12 * stepCount) }

  /// Writes all new journal entries.
  package mutating func add(_ entries: JournalEntries) {
    writer.reserve(16 * entries.count)
    entries.forEachStretch { stretch in
      switch stretch {
      case .finished(let steps): add(steps, entries.failures)
      case .other(let entry): add(entry)
      }
    }
  }

  /// Writes finished steps, ordinary ones in batches into reserved memory.
  private mutating func add(_ steps: ArraySlice<FinishedEntry>, _ failures: [StepIndex: StepFailure]) {
    var next = steps.startIndex
    while next < steps.endIndex {
      let count = addOrdinary(steps[next...], failures)
      next += count
      guard count == 0 else { continue }
      add(.finished(steps[next], failures[steps[next].task.step]))
      next += 1
    }
  }

  /// Writes the ordinary steps at the beginning of these, at most one batch. Returns their number.
  private mutating func addOrdinary(
    _ steps: ArraySlice<FinishedEntry>, _ failures: [StepIndex: StepFailure]
  ) -> Int {
    withUnsafeTemporaryAllocation(byteCount: Self.batch * Self.ordinaryBytes, alignment: 8) { room in
      var head = ByteCursor(room)
      var count = 0
      for step in steps.prefix(Self.batch) {
        guard step.isOrdinary, failures.isEmpty || failures[step.task.step] == nil else { break }
        head.add(byte: EntryTag.succeeded.rawValue)
        head.add(signed: step.task.number - lastStep)
        head.add(signed: step.readyAt - lastTime)
        head.add(signed: step.startedAt - step.readyAt)
        head.add(signed: step.endedAt - step.startedAt)
        lastStep = step.task.number
        lastTime = step.endedAt
        count += 1
      }
      writer.add(raw: head.written)
      return count
    }
  }

  /// The number of ordinary steps written at once, and the maximum size of one in bytes: a tag and four numbers.
  private static let batch = 64
  private static let ordinaryBytes = 1 + 4 * LEB128.mostBytes

  /// Writes the outputs of a step.
  package mutating func add(output: ValueObject, of step: StepIndex) {
    begin(.output, step)
    writer.add(JSONText.bytes(of: .object(output)))
  }

  /// Writes the outputs of an item.
  package mutating func add(output: ValueObject, of step: StepIndex, item: Int) {
    begin(.itemOutput, step)
    writer.add(UInt64(item))
    writer.add(JSONText.bytes(of: .object(output)))
  }

  /// Writes the value of a posted event.
  package mutating func add(_ recorded: RecordedEventValue) {
    writer.add(byte: EntryTag.eventValue.rawValue)
    writer.add(recorded.event)
    writer.add(UInt64(recorded.number))
    writer.add(JSONText.bytes(of: .object(recorded.value)))
  }

  /// Writes a journal entry.
  package mutating func add(_ entry: JournalEntry) {
    switch entry {
    case .finished(let finished, let failure): add(finished, failure)
    case .tried(let task, let attempt, let failure, let time):
      begin(.tried, task, at: time)
      writer.add(UInt64(attempt))
      add(failure)
    case .started(let task, let attempt, let time):
      begin(.started, task, at: time)
      writer.add(UInt64(attempt))
    case .begun(let task, let isRemote, let time):
      begin(.begun, task, at: time)
      writer.add(byte: isRemote ? 1 : 0)
    case .posted(let name, let time):
      begin(.posted, at: time)
      writer.add(name)
    case .gateOpened(let opened):
      begin(.gateOpened, at: opened.atNanoseconds)
      writer.add(byte: opened.outcome.rawValue)
    case .failedAfterReady(let step, let failure, let time):
      begin(.failedAfterReady, step, at: time)
      add(failure)
    case .activated(let resolution, let time):
      begin(.activated, at: time)
      add(resolution)
    case .cancelled(let time): begin(.cancelled, at: time)
    case .expanded(let step, let hashes, let time):
      begin(.expanded, step, at: time)
      writer.add(UInt64(hashes.count))
      for hash in hashes { writer.add(hash) }
    case .grown(let step, let count, let time):
      begin(.grown, step, at: time)
      writer.add(UInt64(count))
    case .carried(let task, let attempts, let uncounted, let repetitions):
      begin(.carried, task)
      for number in [attempts, uncounted, repetitions] { writer.add(UInt64(max(0, number))) }
    }
  }

  private mutating func add(_ step: FinishedEntry, _ failure: StepFailure?) {
    if failure == nil, step.isOrdinary {
      if step.task.item != nil { begin(.item, step.task.step) }
      _ = addOrdinary([step], [:])
      return
    }
    begin(.finished, step.task, at: step.endedAt)
    writer.add(UInt64(step.attempts))
    writer.add(byte: step.outcome.rawValue | (step.isAbandoned ? 0x80 : 0))
    writer.add(byte: step.reason.map { $0.rawValue + 1 } ?? 0)
    add(time: step.readyAt, before: step.endedAt)
    add(time: step.startedAt, before: step.endedAt)
    add(failure)
  }

  private mutating func begin(_ tag: EntryTag, _ step: StepIndex) {
    writer.add(byte: tag.rawValue)
    writer.add(signed: Int(step) - lastStep)
    lastStep = Int(step)
  }

  /// For an item, writes the item's step first, then the index of the item instead of a step.
  private mutating func begin(_ tag: EntryTag, _ task: TaskInstance) {
    if task.item != nil { begin(.item, task.step) }
    begin(tag, StepIndex(task.number))
  }

  private mutating func begin(_ tag: EntryTag, _ task: TaskInstance, at time: Int) {
    begin(tag, task)
    writer.add(signed: time - lastTime)
    lastTime = time
  }

  private mutating func begin(_ tag: EntryTag, _ step: StepIndex, at time: Int) {
    begin(tag, TaskInstance(step), at: time)
  }

  private mutating func begin(_ tag: EntryTag, at time: Int) {
    writer.add(byte: tag.rawValue)
    writer.add(signed: time - lastTime)
    lastTime = time
  }

  /// Writes a time relative to a later one, plus one, or 0 if it is `never`.
  private mutating func add(time: Int, before end: Int) {
    writer.add(UInt64(time == never ? 0 : max(0, end - time) + 1))
  }

  private mutating func add(_ failure: StepFailure?) {
    writer.add(byte: failure == nil ? 0 : 1)
    guard let failure else { return }
    writer.add(failure.code)
    writer.add(failure.message)
  }

  private mutating func add(_ resolution: Resolution) {
    for steps in [resolution.disabled, resolution.deferred] {
      writer.add(UInt64(steps.count))
      for step in steps { writer.add(UInt64(step)) }
    }
    writer.add(signed: resolution.gate.minimumNanoseconds)
    writer.add(byte: resolution.gate.maximumNanoseconds == nil ? 0 : 1)
    if let maximum = resolution.gate.maximumNanoseconds { writer.add(signed: maximum) }
  }
}

extension TaskInstance {
  /// The index in an entry: that of the item, or of the step.
  fileprivate var number: Int { item ?? Int(step) }
}

extension FinishedEntry {
  /// True if it is a success in the first attempt, without further details.
  fileprivate var isOrdinary: Bool {
    outcome == .success && attempts == 1 && !isAbandoned && readyAt != never && startedAt != never
  }
}
