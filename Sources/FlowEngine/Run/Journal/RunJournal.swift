import FlowModel
import FlowStore
import FlowPlatform
import Synchronization

/// Writes the journal of a run to its store on a separate thread, so that neither steps nor the gate wait for it.
///
/// The store is opened before the first write. The first problem ends the recording. It is reported once, and the run
/// continues without a journal, unless the run is durable or another process has taken it over.
final class RunJournal: Sendable {
  /// The interval between writes.
  static let rhythmNanoseconds = 100_000_000

  let history: RunHistory
  /// The thread that writes the journal.
  let thread: AlarmClock
  private let state: Mutex<State>
  /// The lease for checks that must not wait for a write. It is nil before the first write.
  private let held: Mutex<Held>

  private struct State {
    var store: (any RunStore)?
    var lease: (any RunLease)?
    var problem: StoreProblem?
    var isOver = false
    /// The number of chunks in the store. Nil for a resumed run, because such a run is not released for a suspension.
    var chunkCount: Int?
    /// The state to continue with, or nil if the app is not suspended.
    var suspension: Suspension?
    /// The reason why the run's lease could not be acquired again, which the next write throws, or nil if there is
    /// none.
    var refusal: StoreProblem?
    /// The file with lines that are held back, for other processes, or nil if no line is.
    var live: LiveLog?

    /// Records the problem that ends the recording. A run that continues keeps its lease until it ends, so that no
    /// other process resumes it and executes its steps a second time.
    mutating func fail(_ problem: StoreProblem, isEnding: Bool) -> StoreProblem {
      self.problem = problem
      if isEnding { lease = nil }
      return problem
    }

    /// Releases the lease and removes the files with held-back lines.
    mutating func release() {
      lease = nil
      live?.end()
      live = nil
    }
  }

  /// - Parameter resuming: The store and the lease of a resumed run, or nil for a new run.
  init(_ history: RunHistory, thread: AlarmClock, resuming: (store: any RunStore, lease: any RunLease)? = nil) {
    self.history = history
    self.thread = thread
    state = Mutex(State(store: resuming?.store, lease: resuming?.lease, chunkCount: resuming == nil ? 0 : nil))
    held = Mutex(Held(lease: resuming?.lease))
  }

  /// The problem that has ended the recording, or nil if none has.
  var problem: StoreProblem? { state.withLock { $0.problem } }

  /// True if the end of the run was written, or a problem has ended the recording.
  var isOver: Bool { state.withLock { $0.isOver || $0.problem != nil } }

  /// True if the run has ended, but its end has not been written because the app is suspended.
  var isWaiting: Bool { state.withLock { $0.suspension?.end != nil } }

  /// True unless another process may have the lease of the run.
  ///
  /// It has a separate lock, because the lock for writes is held while a database responds slowly.
  var isSure: Bool { held.withLock { !$0.isFenced && $0.lease?.isSure ?? true } }

  /// The lease of the run. The reference is weak, so that the lease is released when the journal releases it.
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

  /// True if another process has taken over the run, or may do so because this process has given it up.
  var isLost: Bool { held.withLock { $0.isFenced || $0.lease?.isFenced ?? false } }

  /// Records that another process has taken over the run. Returns nil if none has, or if a write has already reported
  /// it.
  func noteLoss() -> StoreProblem? {
    guard isLost else { return nil }
    return state.withLock { state in
      if case .fenced? = state.problem { return nil }
      guard let run = state.lease?.run else { return nil }
      return fail(.fenced(run: run), &state)
    }
  }

  /// Gives up the run, so that no more steps start, even if the store later confirms the lease.
  func giveUp(_ problem: StoreProblem) {
    held.withLock { $0.isFenced = true }
    state.withLock { state in _ = state.fail(state.problem ?? problem, isEnding: true) }
  }

  /// Opens the store at the start of a durable run, which must not run if the store cannot be opened.
  func open() throws(StoreProblem) {
    try state.withLock { state throws(StoreProblem) in
      guard state.store == nil else { return }
      try Self.againWhereDamaged { (damage) throws(StoreProblem) in state.store = try history.open(damage) }
    }
  }

  /// Appends chunks. The first call also creates the run, as described by `run`. The chunks are collected while no
  /// other thread writes, so that their order is kept. While the app is suspended, this collects no chunks and returns
  /// false.
  @discardableResult
  func write(_ run: @autoclosure () -> StoredRun, _ collect: () -> [JournalPiece]) throws(StoreProblem) -> Bool {
    try state.withLock { state throws(StoreProblem) in
      guard state.problem == nil, !state.isOver else { return true }
      guard state.suspension == nil else { return false }
      do throws(StoreProblem) {
        try Self.checkRefusal(&state)
        if let store = state.store, let lease = state.lease {
          try write(collect(), to: store, lease, &state)
        } else {
          let pieces = collect()
          try Self.create(run(), pieces.compactMap(\.chunk?.bytes), history, &state)
          if let store = state.store, let lease = state.lease {
            for case .heldLines(let lines) in pieces { Self.show(lines, store, lease, &state.live) }
          }
          held.withLock { $0.lease = state.lease }
        }
        return true
      } catch {
        throw fail(error, &state)
      }
    }
  }

  /// Appends chunks, unless the run has not been created in the store.
  func add(_ collect: () -> [JournalPiece]) throws(StoreProblem) {
    try state.withLock { state throws(StoreProblem) in
      guard state.problem == nil, !state.isOver, let store = state.store, let lease = state.lease else { return }
      do throws(StoreProblem) {
        try write(collect(), to: store, lease, &state)
      } catch {
        throw fail(error, &state)
      }
    }
  }

  private func write(
    _ pieces: [JournalPiece], to store: any RunStore, _ lease: any RunLease, _ state: inout State
  ) throws(StoreProblem) {
    for piece in pieces {
      switch piece {
      case .chunk(let chunk):
        try store.append(chunk.bytes, to: lease, isDurable: history.isDurable)
        state.chunkCount? += 1
      case .heldLines(let lines): Self.show(lines, store, lease, &state.live)
      }
    }
  }

  private static func show(_ lines: [UInt8], _ store: any RunStore, _ lease: any RunLease, _ live: inout LiveLog?) {
    guard let folder = store.liveFolder else { return }
    if live == nil {
      // Remove the files that ended runs have left.
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
      state.chunkCount = chunks.count
    }
  }

  /// Calls `body`. If it throws because the store is damaged, calls it once more with the cause.
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

  /// Writes the remaining entries and the end of the run, in one call if nothing has been written so far. While the app
  /// is suspended, they wait for ``reactivate()``.
  func finish(_ run: StoredRun, _ collect: () -> [JournalPiece]) throws(StoreProblem) {
    try state.withLock { state throws(StoreProblem) in
      guard state.problem == nil, !state.isOver else { return state.release() }
      if state.suspension != nil {
        state.suspension?.end = (run, collect())
      } else {
        try writeEnd(run, collect(), &state)
      }
    }
  }

  private func writeEnd(_ run: StoredRun, _ pieces: [JournalPiece], _ state: inout State) throws(StoreProblem) {
    defer { state.release() }
    do throws(StoreProblem) {
      try Self.checkRefusal(&state)
      if let store = state.store, let lease = state.lease {
        try write(pieces, to: store, lease, &state)
        try store.finish(lease, state: run.state, summary: run.summary)
      } else {
        try keep(run, pieces.compactMap(\.chunk), &state)
      }
      state.isOver = true
    } catch {
      throw fail(error, &state)
    }
  }

  // MARK: Suspension

  /// Releases the run and the store, as at the end of the process. Nothing is written until ``reactivate()`` is called.
  /// Does nothing for a resumed run, or if the recording has ended.
  func suspend() {
    state.withLock { state in
      guard state.suspension == nil, state.problem == nil, !state.isOver else { return }
      guard let chunkCount = state.chunkCount else { return }
      let released = state.lease.map { lease in
        (run: lease.run, position: RunPosition(epoch: lease.epoch, chunkCount: chunkCount))
      }
      state.suspension = Suspension(released: released)
      state.release()
      state.store = nil
    }
  }

  /// Acquires the lease of the run again, unless another process has taken the run over, and writes the end of the run
  /// if it has ended in the meantime. Returns the problem if this fails.
  func reactivate() -> StoreProblem? {
    state.withLock { state in
      guard let suspension = state.suspension else { return nil }
      state.suspension = nil
      do throws(StoreProblem) {
        if let (run, position) = suspension.released {
          do throws(StoreProblem) {
            let store = try history.open(nil)
            state.lease = try store.take(run, at: position, by: history.holder)
            state.store = store
          } catch {
            switch error {
            case .held, .moved: throw .fenced(run: run)
            default: throw error
            }
          }
          held.withLock { $0.lease = state.lease }
        }
      } catch {
        state.refusal = error
      }
      do throws(StoreProblem) {
        if let (run, pieces) = suspension.end {
          defer { state.store = nil }
          try writeEnd(run, pieces, &state)
        }
        return state.refusal
      } catch {
        return error
      }
    }
  }

  private static func checkRefusal(_ state: inout State) throws(StoreProblem) {
    guard let refusal = state.refusal else { return }
    state.refusal = nil
    throw refusal
  }

  private func keep(_ run: StoredRun, _ chunks: [RunChunk], _ state: inout State) throws(StoreProblem) {
    try Self.againWhereDamaged { (damage) throws(StoreProblem) in
      let store = try history.open(damage)
      try store.keep(run, definition: history.definition, chunks: chunks.map(\.bytes))
      state.store = store
    }
  }

  /// Deletes old runs. Failures are ignored.
  func prune(nowMilliseconds: Int) {
    state.withLock { state in
      guard let store = state.store else { return }
      // Most runs have the same workflow, so read the names of each workflow only once.
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

  /// Releases the store after the last write.
  func releaseStore() { state.withLock { $0.store = nil } }

  /// Returns the unanswered requests to the run. Throws `fenced` if another process has taken over the run. Other
  /// problems are ignored, because the next write will report them.
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

  func answer(_ request: Int, _ answer: Value) {
    state.withLock { state in
      try? state.store?.answer(request, with: JSONText.bytes(of: answer))
    }
  }

  /// The current time in milliseconds since 1970.
  static var wallMilliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}

/// A part of a write to the journal.
enum JournalPiece {
  case chunk(RunChunk)
  /// Lines that ``RecordedLog`` holds back, encoded for ``LiveLog``.
  case heldLines([UInt8])

  var chunk: RunChunk? { if case .chunk(let chunk) = self { chunk } else { nil } }
}
