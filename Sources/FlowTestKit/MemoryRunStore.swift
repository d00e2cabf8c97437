import FlowStore
import Synchronization

/// A run store in memory, for tests. Tests can make it fail.
public final class MemoryRunStore: RunStore {
  private struct KeptRun {
    var run: StoredRun
    var definition: [UInt8]
    var chunks: [[UInt8]] = []
    var holder: Weak
    var requests: [RunRequestEntry] = []
  }

  private struct Weak {
    weak var lease: Lease?
  }

  private struct State {
    var entries: [String: KeptRun] = [:]
    var order: [String] = []
    var answers: [Int: [UInt8]] = [:]
    var count = 0
    var writesLeft = Int.max
  }

  private final class Lease: RunLease {
    let run: String
    let epoch: Int
    private let store: MemoryRunStore
    init(run: String, epoch: Int, _ store: MemoryRunStore) {
      self.run = run
      self.epoch = epoch
      self.store = store
    }
    var isSure: Bool {
      store.questions.add(1, ordering: .relaxed)
      return store.standing.withLock { $0 == .sure }
    }
    var isFenced: Bool { store.standing.withLock { $0 == .lost } }
  }

  /// The state that is reported to the holders of all leases.
  package enum LeaseStanding: Sendable {
    /// The lease is valid: no other process can own the run.
    case sure
    /// The lease was not renewed in time, so another process may own the run.
    case late
    /// Another process owns the run.
    case lost
  }

  private let standing = Mutex(LeaseStanding.sure)
  private let questions = Atomic(0)

  /// The number of times that lease holders have checked whether their lease is valid.
  package var leaseQuestions: Int { questions.load(ordering: .relaxed) }

  package func setLeases(_ new: LeaseStanding) { standing.withLock { $0 = new } }

  private let state = Mutex(State())

  /// Creates a store. After the given number of writes, every write fails.
  public init(failingAfter writes: Int = .max, liveFolder: String? = nil) {
    self.liveFolder = liveFolder
    state.withLock { $0.writesLeft = writes }
  }

  /// The folder for output lines that have not been recorded, or nil if there is none.
  public let liveFolder: String?

  /// Makes writes succeed from now on.
  package func repair() { state.withLock { $0.writesLeft = .max } }

  /// The number of journal chunks of all runs together.
  package var chunkCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.chunks.count } } }

  private func change<Result: Sendable>(
    _ body: (inout State) throws(StoreProblem) -> Result
  ) throws(StoreProblem) -> Result {
    try state.withLock { state throws(StoreProblem) in
      guard state.writesLeft > 0 else { throw .unusable(path: "memory", cause: "the disk is full") }
      state.writesLeft -= 1
      return try body(&state)
    }
  }

  /// Adds a run that has started, and returns its lease.
  public func create(
    _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
  ) throws(StoreProblem) -> any RunLease {
    try change { state throws(StoreProblem) in
      let lease = Lease(run: run.id, epoch: 1, self)
      state.entries[run.id] = KeptRun(run: run, definition: definition, chunks: chunks, holder: Weak(lease: lease))
      state.order.append(run.id)
      return lease
    }
  }

  /// Adds a run that has already ended.
  public func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem) {
    try change { state throws(StoreProblem) in
      state.entries[run.id] = KeptRun(run: run, definition: definition, chunks: chunks, holder: Weak())
      state.order.append(run.id)
    }
  }

  /// Appends a chunk to the journal of a run.
  public func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem) {
    try change { state throws(StoreProblem) in
      guard state.entries[lease.run]?.run.epoch == lease.epoch, !lease.isFenced else { throw .fenced(run: lease.run) }
      state.entries[lease.run]?.chunks.append(chunk)
    }
  }

  /// Records the end of a run.
  public func finish(_ lease: any RunLease, state end: StoredRun.State, summary: [UInt8]) throws(StoreProblem) {
    try change { state throws(StoreProblem) in
      guard state.entries[lease.run]?.run.epoch == lease.epoch, !lease.isFenced else { throw .fenced(run: lease.run) }
      state.entries[lease.run]?.run.state = end
      state.entries[lease.run]?.run.summary = summary
      state.entries[lease.run]?.holder = Weak()
    }
  }

  /// Acquires the lease of a run that is not running.
  public func take(
    _ run: String, at position: RunPosition, by holder: RunHolder
  ) throws(StoreProblem) -> any RunLease {
    try change { state throws(StoreProblem) in
      guard var entry = state.entries[run] else { throw .unknown(run: run) }
      guard entry.holder.lease == nil else { throw .held(run: run, by: entry.run.holder) }
      guard position == RunPosition(epoch: entry.run.epoch, chunkCount: entry.chunks.count) else {
        throw .moved(run: run)
      }
      entry.run.epoch += 1
      entry.run.state = .running
      entry.run.holder = holder
      let lease = Lease(run: run, epoch: entry.run.epoch, self)
      entry.holder = Weak(lease: lease)
      state.entries[run] = entry
      return lease
    }
  }

  /// Releases a run whose lease was taken but that was not resumed, and restores its record.
  public func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem) {
    try change { state throws(StoreProblem) in
      guard state.entries[lease.run]?.run.epoch == lease.epoch, !lease.isFenced else { throw .fenced(run: lease.run) }
      state.entries[lease.run]?.run = run
      if run.state == .interrupted { state.entries[lease.run]?.run.state = .running }
      state.entries[lease.run]?.holder = Weak()
    }
  }

  /// Resumes a run whose lease was taken, with a new definition, and appends chunks to its journal.
  public func resume(
    _ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]
  ) throws(StoreProblem) {
    try change { state throws(StoreProblem) in
      guard state.entries[lease.run]?.run.epoch == lease.epoch, !lease.isFenced else { throw .fenced(run: lease.run) }
      state.entries[lease.run]?.definition = definition
      state.entries[lease.run]?.chunks += chunks
    }
  }

  /// Returns the runs that match a filter, the newest first.
  public func list(_ filter: RunFilter) throws(StoreProblem) -> RunList {
    let runs = state.withLock { state in
      state.order.compactMap { id -> StoredRun? in
        guard let entry = state.entries[id] else { return nil }
        var run = entry.run
        if run.state == .running, entry.holder.lease == nil { run.state = .interrupted }
        return run
      }
    }
    let fitting = runs.reversed().filter { run in
      (filter.id.map { $0 == run.id } ?? true) && (filter.file.map { $0 == run.file } ?? true)
        && (filter.sinceMilliseconds.map { $0 <= run.startedMilliseconds } ?? true)
        && (filter.states.isEmpty || filter.states.contains(run.state))
    }
    var list = RunList()
    list.runs = Array(fitting.prefix(filter.limit ?? .max))
    return list
  }

  /// Returns the journal chunks of a run, starting with the one at an index.
  public func chunks(of run: String, from first: Int) throws(StoreProblem) -> [[UInt8]] {
    Array(try entry(run).chunks.dropFirst(first))
  }

  /// Returns the size of each run's journal and summary, in bytes.
  public func sizes() throws(StoreProblem) -> [String: Int] {
    state.withLock { state in
      state.entries.mapValues { entry in entry.run.summary.count + entry.chunks.reduce(0) { $0 + $1.count } }
    }
  }

  /// Returns the definition that was used when a run was last started or resumed.
  public func definition(of run: String) throws(StoreProblem) -> [UInt8] { try entry(run).definition }

  private func entry(_ run: String) throws(StoreProblem) -> KeptRun {
    guard let entry = state.withLock({ $0.entries[run] }) else { throw .unknown(run: run) }
    return entry
  }

  /// Removes runs, except those that are running. Returns the number of removed runs.
  public func remove(_ runs: [String]) throws(StoreProblem) -> Int {
    state.withLock { state in
      let gone = runs.filter { state.entries[$0] != nil && state.entries[$0]?.holder.lease == nil }
      for run in gone { state.entries[run] = nil }
      state.order.removeAll { gone.contains($0) }
      return gone.count
    }
  }

  /// Adds a request to a run, such as one to cancel it. Returns the number of the request.
  public func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int {
    _ = try entry(run)
    return state.withLock { state in
      state.count += 1
      state.entries[run]?.requests.append(RunRequestEntry(number: state.count, body: request))
      return state.count
    }
  }

  /// Returns the requests to a run that have not been answered.
  public func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry] {
    try state.withLock { state throws(StoreProblem) in
      guard let entry = state.entries[lease.run], entry.run.epoch == lease.epoch, !lease.isFenced else {
        throw .fenced(run: lease.run)
      }
      return entry.requests
    }
  }

  /// Answers a request.
  public func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem) {
    state.withLock { state in
      for run in state.entries.keys { state.entries[run]?.requests.removeAll { $0.number == request } }
      state.answers[request] = answer
    }
  }

  /// Removes and returns the answer to a request. Returns nil if the request has not been answered.
  public func answer(to request: Int) throws(StoreProblem) -> [UInt8]? {
    state.withLock { $0.answers.removeValue(forKey: request) }
  }
}
