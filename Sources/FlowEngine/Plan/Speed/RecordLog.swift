import FlowModel

/// A log of the plan's transitions (such as the start of a step) that have not been read. Appending takes one
/// comparison and one store, and the chunks are returned without copying. An observed step has three transitions, so
/// those of first attempts are stored in only 8 bytes each.
///
/// Proof of safety: `next` and `end` point into the memory of the last of `chunks`, which live as long as the log or
/// the code that took them. The log belongs to the ``StepTables`` of one plan. A plan that shares them calls
/// ``StepTables/makeUnique()`` before it appends, which copies the transitions that have not been read.
struct RecordLog: @unchecked Sendable {
  private var next: UnsafeMutablePointer<UInt64>?
  private var end: UnsafeMutablePointer<UInt64>?
  /// The origin of the times in the last chunk, in nanoseconds from the start of the run.
  private var baseNanoseconds = 0
  private var chunks: [RecordChunk] = []
  private var spare: [RecordChunk] = []

  /// The maximum number of 32 KiB chunks kept for reuse.
  private static let spareLimit = 32

  var isEmpty: Bool { chunks.isEmpty }

  @inline(__always)
  mutating func appendReady(_ step: StepIndex, at now: Int) { append(ShortRecord.ready, step, at: now) }

  @inline(__always)
  mutating func appendFirstSuccess(of step: StepIndex, at now: Int) { append(ShortRecord.succeeded, step, at: now) }

  @inline(__always)
  mutating func appendFirstStart(of step: StepIndex, in pool: Pool, at now: Int) {
    append(ShortRecord.started + UInt64(truncatingIfNeeded: pool.index), step, at: now)
  }

  mutating func append(_ kind: PlanRecord.Kind, at now: Int) {
    append(ShortRecord.long, 0, at: now)
    chunks[chunks.count - 1].long.append(PlanRecord(kind, atNanoseconds: now))
    if case .partial = kind { chunks[chunks.count - 1].isComplete = false }
  }

  @inline(__always)
  private mutating func append(_ kind: UInt64, _ step: StepIndex, at now: Int) {
    if next == end || (now &- baseNanoseconds) >> 32 != 0 { grow(at: now) }
    let time = UInt64(truncatingIfNeeded: now &- baseNanoseconds)
    next.unsafelyUnwrapped.initialize(to: kind &<< 60 | UInt64(truncatingIfNeeded: step) &<< 32 | time)
    next = next.unsafelyUnwrapped + 1
  }

  @inline(never)
  private mutating func grow(at now: Int) {
    closeLast()
    let chunk = spare.popLast() ?? RecordChunk()
    chunk.begin(at: now)
    chunks.append(chunk)
    (next, end) = (chunk.words, chunk.words + RecordChunk.capacity)
    baseNanoseconds = now
  }

  /// Stores the number of records in the last chunk.
  private func closeLast() {
    if let last = chunks.last { last.count = next.unsafelyUnwrapped - last.words }
  }

  /// Removes and returns all chunks.
  mutating func take() -> [RecordChunk] {
    closeLast()
    defer { (chunks, next, end) = ([], nil, nil) }
    return chunks
  }

  /// Keeps chunks that have been read for reuse, up to ``spareLimit``.
  mutating func reuse(_ read: [RecordChunk]) {
    spare.append(contentsOf: read.prefix(Self.spareLimit - spare.count))
  }

  /// Returns a copy with separate memory. It does not change this log, because two threads may copy plans that share
  /// the log at the same time.
  func copied() -> RecordLog {
    var copy = RecordLog()
    for (index, chunk) in chunks.enumerated() {
      let isLast = index == chunks.count - 1
      let count = isLast ? next.unsafelyUnwrapped - chunk.words : chunk.count
      for record in chunk.records(first: count) { copy.append(record.kind, at: record.atNanoseconds) }
    }
    return copy
  }
}

/// The encoding of a transition in 64 bits: 4 for the kind, 28 for the step, 32 for the nanoseconds since the beginning
/// of the chunk.
private enum ShortRecord {
  static let ready: UInt64 = 0
  static let succeeded: UInt64 = 1
  /// A start in pool 0. The values for the other pools follow.
  static let started: UInt64 = 2
  /// A placeholder for the next element of the chunk's `long`.
  static let long: UInt64 = 15
}

/// A block of consecutive transitions.
///
/// Proof of safety: the memory is allocated in `init` and freed in `deinit`. The log that owns the chunk writes it, and
/// sets `count` before it hands the chunk over. Afterwards the chunk is only read, until it is returned to the log.
final class RecordChunk: @unchecked Sendable, Sequence {
  static let capacity = 4096

  fileprivate let words = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
  fileprivate var count = 0
  fileprivate var long: [PlanRecord] = []
  private var baseNanoseconds = 0
  /// True if all records have all details of their events, so that none must be read from the plan.
  fileprivate(set) var isComplete = true

  deinit { words.deallocate() }

  fileprivate func begin(at now: Int) {
    (count, baseNanoseconds, isComplete) = (0, now, true)
    long.removeAll(keepingCapacity: true)
  }

  func makeIterator() -> Iterator { Iterator(chunk: self, count: count) }

  fileprivate func records(first count: Int) -> IteratorSequence<Iterator> {
    IteratorSequence(Iterator(chunk: self, count: count))
  }

  struct Iterator: IteratorProtocol {
    fileprivate let chunk: RecordChunk
    private let count: Int
    private var position = 0
    private var longPosition = 0

    fileprivate init(chunk: RecordChunk, count: Int) {
      self.chunk = chunk
      self.count = count
    }

    mutating func next() -> PlanRecord? {
      guard position < count else { return nil }
      let word = chunk.words[position]
      position += 1
      let step = StepIndex(truncatingIfNeeded: word >> 32 & 0xFFF_FFFF)
      let kind: PlanRecord.Complete
      switch word >> 60 {
      case ShortRecord.ready: kind = .ready(step)
      case ShortRecord.succeeded: kind = .succeeded(step, attempt: 1)
      case ShortRecord.long:
        longPosition += 1
        return chunk.long[longPosition - 1]
      case let pool: kind = .started(step, attempt: 1, queue: Int(pool - ShortRecord.started))
      }
      return PlanRecord(.complete(kind), atNanoseconds: chunk.baseNanoseconds + Int(word & 0xFFFF_FFFF))
    }
  }
}
