import FlowBytes
import FlowModel
import FlowStore

/// The kinds of elements in the body of a chunk. Each element begins with its tag byte, and numbers follow. Steps and
/// times are stored as differences from the previous ones, so that an ordinary step takes about ten bytes.
enum EntryTag: UInt8 {
  /// A step that succeeded in its first attempt. `finished` has more details.
  case succeeded = 1
  case finished, tried, started, posted, gateOpened, failedAfterReady, activated, cancelled, carried
  case output
  /// The items of a fan-out, a prefix for an entry about an item, and the outputs of an item.
  case expanded, item, itemOutput
  /// The start of a second or later attempt, or of the body of a remote step.
  case begun
  /// Posts have added items to a fan-out.
  case grown
  /// The value of a post.
  case eventValue
  /// An event was posted, with the step that posted it. `posted` has no step: earlier versions wrote it, and it is
  /// still written for `activate`, an event of each run that no step posts.
  case postedBy
  /// A body ended after its maximum, or was abandoned.
  case outlasted
  /// An attempt was lost together with its worker.
  case lost
}

/// The bits that are added to the outcome in its byte of a `finished` entry.
enum EndingBit {
  static let abandoned: UInt8 = 0x80
  /// Set if the entry also contains the time at which the last attempt ended. Earlier versions never set it.
  static let workEnd: UInt8 = 0x40
}

/// Encodes journal entries in the body of a chunk.
package struct EntryWriter: Sendable {
  private var writer = ByteWriter()
  private var lastStep = 0
  private var lastTime = 0

  /// Creates a writer for an empty body.
  package init() {}

  /// The bytes written so far.
  package var bytes: [UInt8] { writer.bytes }

  var isEmpty: Bool { writer.bytes.isEmpty }

  /// Reserves memory for `stepCount` entries of steps that succeed in their first attempt.
  mutating func reserve(stepCount: Int) { writer.reserve(12 * stepCount) }

  /// Writes all entries of the list.
  package mutating func add(_ entries: JournalEntries) {
    writer.reserve(16 * entries.count)
    entries.forEachStretch { stretch in
      switch stretch {
      case .finished(let steps): add(steps, entries.failures)
      case .other(let entry): add(entry)
      }
    }
  }

  /// Writes results of steps. Ordinary results are written in batches, which are assembled on the stack.
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

  /// Writes the ordinary steps at the beginning of `steps`, up to one batch. Returns the number of steps written.
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

  /// The number of steps in a batch, and the maximum size of an ordinary step in bytes: a tag and four numbers.
  private static let batch = 64
  private static let ordinaryBytes = 1 + 4 * LEB128.mostBytes

  package mutating func add(output: ValueObject, of step: StepIndex) {
    begin(.output, step)
    writer.add(JSONText.bytes(of: .object(output)))
  }

  package mutating func add(output: ValueObject, of step: StepIndex, item: Int) {
    begin(.itemOutput, step)
    writer.add(UInt64(item))
    writer.add(JSONText.bytes(of: .object(output)))
  }

  package mutating func add(_ recorded: RecordedEventValue) {
    writer.add(byte: EntryTag.eventValue.rawValue)
    writer.add(recorded.event)
    writer.add(UInt64(recorded.number))
    writer.add(JSONText.bytes(of: .object(recorded.value)))
  }

  package mutating func add(_ entry: JournalEntry) {
    switch entry {
    case .finished(let finished, let failure): add(finished, failure)
    case .tried(let task, let attempt, let failure, let time):
      begin(.tried, task, at: time)
      writer.add(UInt64(attempt))
      add(failure)
    case .lost(let task, let attempt, let failure, let time):
      begin(.lost, task, at: time)
      writer.add(UInt64(attempt))
      add(failure)
    case .started(let task, let attempt, let time):
      begin(.started, task, at: time)
      writer.add(UInt64(attempt))
    case .begun(let task, let isRemote, let time):
      begin(.begun, task, at: time)
      writer.add(byte: isRemote ? 1 : 0)
    case .outlasted(let task, let overrun, let isAbandoned):
      begin(.outlasted, task)
      writer.add(UInt64(overrun.map { max(0, $0) + 1 } ?? 0))
      writer.add(byte: isAbandoned ? 1 : 0)
    case .posted(let name, let poster, let time)
    where poster == .unknown || poster == .outside && name == LifecycleEvent.activate.rawValue:
      begin(.posted, at: time)
      writer.add(name)
    case .posted(let name, let poster, let time):
      begin(.postedBy, at: time)
      writer.add(name)
      if case .step(let step) = poster { writer.add(UInt64(step) + 1) } else { writer.add(UInt64(0)) }
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
    let isHeld = step.workEndedAt != never
    writer.add(
      byte: step.outcome.rawValue | (step.isAbandoned ? EndingBit.abandoned : 0) | (isHeld ? EndingBit.workEnd : 0))
    writer.add(byte: step.reason.map { $0.rawValue + 1 } ?? 0)
    add(time: step.readyAt, before: step.endedAt)
    add(time: step.startedAt, before: step.endedAt)
    if isHeld { add(time: step.workEndedAt, before: step.endedAt) }
    add(failure)
  }

  private mutating func begin(_ tag: EntryTag, _ step: StepIndex) {
    writer.add(byte: tag.rawValue)
    writer.add(signed: Int(step) - lastStep)
    lastStep = Int(step)
  }

  /// Writes the tag and index of a step. For an item, this is preceded by the tag `item` and the index of its step.
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

  /// Writes the distance from `time` to a later time plus one, or 0 for `never`.
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
  /// The index that an entry stores: that of the item or, for a step, that of the step.
  fileprivate var number: Int { item ?? Int(step) }
}

extension FinishedEntry {
  /// True if the step succeeded in its first attempt, so that ``EntryTag/succeeded`` can store all details.
  fileprivate var isOrdinary: Bool {
    outcome == .success && attempts == 1 && !isAbandoned && readyAt != never && startedAt != never
      && workEndedAt == never
  }
}
