import FlowModel
import FlowStore
import FlowPlatform
import Synchronization

/// Writes what comes out of a run into a store, on a thread of its own: no step and no gate waits for it.
///
/// Nothing is opened before there is something to write. The first problem ends it: it is reported once, and the run continues
/// without a journal (a durable run does not).
final class RunJournal: Sendable {
  /// How often new entries are written.
  static let rhythmNanoseconds = 100_000_000

  let history: RunHistory
  /// The thread.
  let thread: AlarmClock
  private let state: Mutex<State>
  /// What the run is held by, once it is.
  private let held: Mutex<Held>

  private struct State {
    var store: (any RunStore)?
    var lease: (any RunLease)?
    var problem: StoreProblem?
    var isOver = false
    /// The file in which other processes read the lines that the record holds back, or nil if it holds none.
    var live: LiveLog?

    /// Nothing more is written. A run that continues without its journal keeps its lease until it ends: anyone who
    /// resumed it would run its steps a second time.
    mutating func fail(_ problem: StoreProblem, isEnding: Bool) -> StoreProblem {
      self.problem = problem
      if isEnding { lease = nil }
      return problem
    }
  }

  /// A journal that writes on `thread`; `lease` where the run is one that is resumed.
  init(_ history: RunHistory, thread: AlarmClock, resuming: (store: any RunStore, lease: any RunLease)? = nil) {
    self.history = history
    self.thread = thread
    state = Mutex(State(store: resuming?.store, lease: resuming?.lease))
    held = Mutex(Held(lease: resuming?.lease))
  }

  /// Why nothing more is written; nil: all is well.
  var problem: StoreProblem? { state.withLock { $0.problem } }

  /// Whether the run's end has been written, or nothing can be.
  var isOver: Bool { state.withLock { $0.isOver || $0.problem != nil } }

  /// Whether no other process can hold the run, as far as is known.
  ///
  /// It has a lock of its own: that of the writes is held while a database takes its time.
  var isSure: Bool { held.withLock { !$0.isFenced && $0.lease?.isSure ?? true } }

  /// What the run is held by; not kept alive, so that it is returned when the journal lets it go.
  private struct Held {
    weak var lease: (any RunLease)?
    var isFenced = false
  }

  private func fail(_ problem: StoreProblem, _ state: inout State) -> StoreProblem {
    var isEnding = history.isDurable
    if case .fenced = problem {
      held.withLock { $0.isFenced = true }
      isEnding = true
    }
    return state.fail(problem, isEnding: isEnding)
  }

  /// Whether another process has the run, or may have it by now and this one has given it up.
  var isLost: Bool { held.withLock { $0.isFenced || $0.lease?.isFenced ?? false } }

  /// Takes in, once, that the run is lost, of which no write tells any more; nil: it is not, or that is known.
  func noteLoss() -> StoreProblem? {
    guard isLost else { return nil }
    return state.withLock { state in
      if case .fenced? = state.problem { return nil }
      guard let run = state.lease?.run else { return nil }
      return fail(.fenced(run: run), &state)
    }
  }

  /// Gives the run up: nothing begins any more, also when the store says later that this process still has it.
  func giveUp(_ problem: StoreProblem) {
    held.withLock { $0.isFenced = true }
    state.withLock { state in _ = state.fail(state.problem ?? problem, isEnding: true) }
  }

  /// Opens the store, so that a run that must be recorded does not begin where it cannot be.
  func open() throws(StoreProblem) {
    try state.withLock { state throws(StoreProblem) in
      guard state.store == nil else { return }
      try Self.againWhereDamaged { (damage) throws(StoreProblem) in state.store = try history.open(damage) }
    }
  }

  /// Writes chunks behind those before; the first ones with the run itself, which `run` describes. They are collected while
  /// no other thread writes, so that none overtakes another.
  func write(_ run: @autoclosure () -> StoredRun, _ collect: () -> [JournalPiece]) throws(StoreProblem) {
    try state.withLock { state throws(StoreProblem) in
      guard state.problem == nil, !state.isOver else { return }
      do throws(StoreProblem) {
        if let store = state.store, let lease = state.lease {
          try write(collect(), to: store, lease, &state.live)
        } else {
          let pieces = collect()
          try Self.create(run(), pieces.compactMap(\.chunk?.bytes), history, &state)
          if let store = state.store, let lease = state.lease {
            for case .heldLines(let lines) in pieces { Self.show(lines, store, lease, &state.live) }
          }
          held.withLock { $0.lease = state.lease }
        }
      } catch {
        throw fail(error, &state)
      }
    }
  }

  /// Writes chunks behind those before; nothing before there are any.
  func add(_ collect: () -> [JournalPiece]) throws(StoreProblem) {
    try state.withLock { state throws(StoreProblem) in
      guard state.problem == nil, !state.isOver, let store = state.store, let lease = state.lease else { return }
      do throws(StoreProblem) {
        try write(collect(), to: store, lease, &state.live)
      } catch {
        throw fail(error, &state)
      }
    }
  }

  /// Writes pieces in their order.
  private func write(
    _ pieces: [JournalPiece], to store: any RunStore, _ lease: any RunLease, _ live: inout LiveLog?
  ) throws(StoreProblem) {
    for piece in pieces {
      switch piece {
      case .chunk(let chunk): try store.append(chunk.bytes, to: lease, isDurable: history.isDurable)
      case .heldLines(let lines): Self.show(lines, store, lease, &live)
      }
    }
  }

  private static func show(_ lines: [UInt8], _ store: any RunStore, _ lease: any RunLease, _ live: inout LiveLog?) {
    guard let folder = store.liveFolder else { return }
    if live == nil {
      // Files that other runs left behind.
      LiveLog.remove(in: folder) { run in run != lease.run && (try? store.run(run)?.state) != .running }
      live = LiveLog(in: folder, run: lease.run, epoch: lease.epoch)
    }
    live?.write(lines)
  }

  private static func create(
    _ run: StoredRun, _ chunks: [[UInt8]], _ history: RunHistory, _ state: inout State
  ) throws(StoreProblem) {
    try againWhereDamaged { (damage) throws(StoreProblem) in
      if damage != nil || state.store == nil { state.store = try history.open(damage) }
      guard let store = state.store else { return }
      state.lease = try store.create(
        run, definition: history.definition, chunks: chunks, isDurable: history.isDurable)
    }
  }

  /// Runs `body`, and once more with the cause if it finds the store damaged.
  private static func againWhereDamaged(
    _ body: (_ damage: String?) throws(StoreProblem) -> Void
  ) throws(StoreProblem) {
    do throws(StoreProblem) {
      try body(nil)
    } catch {
      guard case .damaged(_, let cause) = error else { throw error }
      try body(cause)
    }
  }

  /// Writes what is left and the run's end: all at once where nothing has been written.
  func finish(_ run: StoredRun, _ collect: () -> [JournalPiece]) throws(StoreProblem) {
    try state.withLock { state throws(StoreProblem) in
      defer {
        state.lease = nil
        state.live?.end()
        state.live = nil
      }
      guard state.problem == nil, !state.isOver else { return }
      let pieces = collect()
      do throws(StoreProblem) {
        if let store = state.store, let lease = state.lease {
          try write(pieces, to: store, lease, &state.live)
          try store.finish(lease, state: run.state, summary: run.summary)
        } else {
          try keep(run, pieces.compactMap(\.chunk), &state)
        }
        state.isOver = true
      } catch {
        throw fail(error, &state)
      }
    }
  }

  private func keep(_ run: StoredRun, _ chunks: [RunChunk], _ state: inout State) throws(StoreProblem) {
    try Self.againWhereDamaged { (damage) throws(StoreProblem) in
      let store = try history.open(damage)
      try store.keep(run, definition: history.definition, chunks: chunks.map(\.bytes))
      state.store = store
    }
  }

  /// Removes old runs; its failures are ignored.
  func prune(nowMilliseconds: Int) {
    state.withLock { state in
      guard let store = state.store else { return }
      // Most runs are of the same text.
      var known: [[UInt8]: [String]?] = [:]
      let excess = try? history.retention.excess(in: store, nowMilliseconds: nowMilliseconds) { run in
        RunRecollection.successes(of: run, in: store) { definition in
          if let names = known[definition] { return names }
          let names = history.stepNames(definition)
          known[definition] = .some(names)
          return names
        }
      }
      if let excess, !excess.isEmpty { _ = try? store.remove(excess) }
    }
  }

  /// Releases the store; to be called once nothing more is written.
  func releaseStore() { state.withLock { $0.store = nil } }

  /// What has been asked of the run and not been answered. Throws `fenced` when someone else has the run; other problems
  /// are left to the next write.
  func requests() throws(StoreProblem) -> [RunRequestEntry] {
    try state.withLock { state throws(StoreProblem) in
      guard state.problem == nil, !state.isOver, let store = state.store, let lease = state.lease else { return [] }
      do throws(StoreProblem) {
        return try store.requests(of: lease)
      } catch {
        guard case .fenced = error else { return [] }
        throw fail(error, &state)
      }
    }
  }

  /// Answers a request.
  func answer(_ request: Int, _ answer: Value) {
    state.withLock { state in
      try? state.store?.answer(request, with: JSONText.bytes(of: answer))
    }
  }

  /// Milliseconds since 1970.
  static var wallMilliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}

/// Something that a run's journal has, in order.
enum JournalPiece {
  case chunk(RunChunk)
  /// Lines that ``RecordedLog`` holds back, as ``LiveLog`` has them.
  case heldLines([UInt8])

  var chunk: RunChunk? { if case .chunk(let chunk) = self { chunk } else { nil } }
}
