/// The transitions that nobody has taken yet, in chunks: appending one is a comparison and a store, and what has been
/// taken is not copied.
///
/// Proof of safety: `next` and `end` are places in the memory of the last of `chunks`, which live as long as the log or
/// whoever took them. The log belongs to the ``StepTables`` of one plan; a plan that shares them calls
/// ``StepTables/makeUnique()`` before it appends, and that copies what is not taken.
struct RecordLog: @unchecked Sendable {
  private var next: UnsafeMutablePointer<PlanRecord>?
  private var end: UnsafeMutablePointer<PlanRecord>?
  private var chunks: [RecordChunk] = []
  private var spare: [RecordChunk] = []

  /// So many chunks, 64 KiB each, are kept to be used again.
  private static let mostSpare = 16

  var isEmpty: Bool { chunks.isEmpty }

  /// Adds a transition that says all there is to say.
  @inline(__always)
  mutating func append(_ record: PlanRecord) {
    if next == end { grow() }
    next.unsafelyUnwrapped.initialize(to: record)
    next = next.unsafelyUnwrapped + 1
  }

  /// Adds a transition that the plan must be asked about.
  mutating func appendIncomplete(_ record: PlanRecord) {
    append(record)
    chunks[chunks.count - 1].isComplete = false
  }

  @inline(never)
  private mutating func grow() {
    chunks.last?.count = RecordChunk.capacity
    let chunk = spare.popLast() ?? RecordChunk()
    chunk.isComplete = true
    chunks.append(chunk)
    (next, end) = (chunk.records, chunk.records + RecordChunk.capacity)
  }

  /// Hands over what it holds.
  mutating func take() -> [RecordChunk] {
    guard let last = chunks.last else { return [] }
    last.count = next.unsafelyUnwrapped - last.records
    defer { (chunks, next, end) = ([], nil, nil) }
    return chunks
  }

  /// Takes back chunks that have been read.
  mutating func reuse(_ read: [RecordChunk]) {
    spare.append(contentsOf: read.prefix(Self.mostSpare - spare.count))
  }

  /// The same log in memory of its own.
  func copied() -> RecordLog {
    var copy = RecordLog()
    for chunk in chunks {
      let count = chunk === chunks.last ? next.unsafelyUnwrapped - chunk.records : chunk.count
      for place in 0..<count {
        let record = chunk.records[place]
        if record.kind.isComplete { copy.append(record) } else { copy.appendIncomplete(record) }
      }
    }
    return copy
  }
}

/// Transitions that follow each other.
///
/// Proof of safety: the memory is allocated in `init` and freed in `deinit`. The log that the chunk is part of writes it,
/// and sets the rest before it hands the chunk over; then it is read, until the log has it back.
final class RecordChunk: @unchecked Sendable {
  static let capacity = 4096

  let records = UnsafeMutablePointer<PlanRecord>.allocate(capacity: capacity)
  /// How many there are.
  fileprivate(set) var count = 0
  /// Whether all of them say all there is to say.
  fileprivate(set) var isComplete = true

  deinit { records.deallocate() }
}
