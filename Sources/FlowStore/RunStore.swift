/// Records runs and reads them again.
///
/// A store has no knowledge of workflows. A run's journal is a list of opaque chunks; its definition and its summary
/// are bytes. The process that writes a run has a lease with an epoch. A later lease has a higher epoch, and writes
/// with a lower one are refused. Calls may wait for a disk, so steps and gates must not wait for them.
/// `RunStoreConformance` tests the behavior that all stores have in common.
public protocol RunStore: Sendable {
  /// Creates a run and the first chunks of its journal in one change. If `isDurable` is true, the change is on disk
  /// when the method returns. The first epoch is 1. Equal definitions are stored once.
  func create(
    _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
  ) throws(StoreProblem) -> any RunLease

  /// Appends a chunk to the journal. If `isDurable` is true, the chunk is on disk when the method returns. Throws
  /// `fenced` if another process has taken over the run.
  func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem)

  /// Records a run that has ended, with its whole journal, in one change.
  func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem)

  /// Writes the end of a run and releases its lease.
  func finish(_ lease: any RunLease, state: StoredRun.State, summary: [UInt8]) throws(StoreProblem)

  /// Takes over a run that no process is executing, with the next epoch. Throws `held` if a process is executing it,
  /// `moved` if it has changed since it was at `position`, and `unknown` if it does not exist. Nothing else of the run
  /// changes before ``resume(_:as:chunks:)``.
  func take(_ run: String, at position: RunPosition, by holder: RunHolder) throws(StoreProblem) -> any RunLease

  /// Releases a run that was taken over but not written. `run` is its earlier state, which is restored.
  func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem)

  /// Resumes a run that was taken over, with a new definition and the first chunks under the new lease. Because chunks
  /// refer to steps by their index in the definition, all of this is one change, which is on disk when the method
  /// returns.
  func resume(_ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem)

  /// The folder for output of running runs that other processes on the machine can read before it is recorded. Nil if
  /// the store has none. The process that uses it first creates it.
  var liveFolder: String? { get }

  /// Returns the matching runs. The run that was created last comes first, regardless of the clock. Damaged runs are
  /// listed by id and do not affect the others.
  func list(_ filter: RunFilter) throws(StoreProblem) -> RunList

  /// Returns the chunks of a run in the order in which they were written, without the first `first` ones. Throws
  /// `unknown` if there is no such run.
  func chunks(of run: String, from first: Int) throws(StoreProblem) -> [[UInt8]]

  /// Returns the sizes of journals and summaries in bytes, by run. Empty runs may be omitted.
  func sizes() throws(StoreProblem) -> [String: Int]

  /// Returns the definition that was used when a run was last started or resumed. Throws `unknown` if there is no such
  /// run.
  func definition(of run: String) throws(StoreProblem) -> [UInt8]

  /// Removes the given runs with all data that belongs only to them, even if they are damaged. Runs that are running
  /// are not removed. Returns the number of removed runs.
  func remove(_ runs: [String]) throws(StoreProblem) -> Int

  /// Sends a request to a running run. Returns its number, which ``answer(to:)`` needs. Throws `unknown` if there is no
  /// such run.
  func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int

  /// Returns the unanswered requests to a run, in order. Throws `fenced` if another process has taken over the run,
  /// because that process must answer them.
  func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry]

  /// Stores the answer to a request.
  func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem)

  /// Returns the answer to a request, and removes the request. Returns nil if it has not been answered.
  func answer(to request: Int) throws(StoreProblem) -> [UInt8]?
}

extension RunStore {
  /// By default, nil: a store has no folder for the output of running runs.
  public var liveFolder: String? { nil }

  /// Returns the matching runs that are not damaged, the newest first.
  public func runs(_ filter: RunFilter) throws(StoreProblem) -> [StoredRun] { try list(filter).runs }

  /// Returns the chunks of a run in the order in which they were written.
  public func chunks(of run: String) throws(StoreProblem) -> [[UInt8]] { try chunks(of: run, from: 0) }

  /// Returns the run with this id, or nil if there is none.
  public func run(_ id: String) throws(StoreProblem) -> StoredRun? {
    var filter = RunFilter()
    filter.id = id
    return try runs(filter).first
  }

  /// Creates a run with an empty journal.
  public func create(_ run: StoredRun, definition: [UInt8]) throws(StoreProblem) -> any RunLease {
    try create(run, definition: definition, chunks: [], isDurable: false)
  }
}

/// The exclusive right to write a run. It lasts as long as the object exists.
public protocol RunLease: AnyObject, Sendable {
  /// The id of the run.
  var run: String { get }
  /// The number of this lease of the run, starting at 1.
  var epoch: Int { get }
  /// True if no other process can have the lease, so that steps may start and remote steps may continue.
  var isSure: Bool { get }
  /// True if it is known that another process has taken over the run.
  var isFenced: Bool { get }
}

extension RunLease {
  /// By default, a lease lasts until the process ends, so it is always sure.
  public var isSure: Bool { true }

  /// By default, a lease lasts until the process ends, so no other process can take over the run.
  public var isFenced: Bool { false }
}

/// The position in a run's journal up to which a process has read it.
public struct RunPosition: Sendable, Hashable {
  /// The last epoch of the run.
  public var epoch: Int
  /// The number of chunks in the journal.
  package var chunkCount: Int

  /// Creates a position from an epoch and a number of chunks.
  public init(epoch: Int, chunkCount: Int) {
    self.epoch = epoch
    self.chunkCount = chunkCount
  }
}

/// A request that another process has sent to a running run.
public struct RunRequestEntry: Sendable, Hashable {
  /// The number of the request. The answer refers to it.
  public var number: Int
  /// The content, in a format that the sender and the run agree on.
  public var body: [UInt8]

  /// Creates a request from its number and content.
  public init(number: Int, body: [UInt8]) {
    self.number = number
    self.body = body
  }
}

/// An error that a run store throws.
public enum StoreProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The store cannot be opened or written, for example because its folder is not writable or the disk is full.
  case unusable(path: String, cause: String)
  /// The stored data differs from the data that was written.
  case damaged(path: String, cause: String)
  /// The store was written by a newer version of flowrun.
  case newer(path: String, version: Int)
  /// There is no run with this id.
  case unknown(run: String)
  /// Another process is executing the run.
  case held(run: String, by: RunHolder)
  /// Another process has taken over the run.
  case fenced(run: String)
  /// The process of the run was on another machine, and the store cannot determine whether it is still running.
  case elsewhere(run: String, on: String)
  /// The run was resumed in the meantime, and has ended.
  case moved(run: String)

  /// A message with the problem and, if possible, advice.
  public var description: String {
    switch self {
    case .unusable(let path, let cause): "the run store '\(path)' cannot be used: \(cause)"
    case .damaged(let path, let cause): "the run store '\(path)' is damaged: \(cause)"
    case .newer(let path, let version):
      "the run store '\(path)' has format \(version), which this flowrun does not know; use a newer flowrun"
    case .unknown(let run): "there is no run '\(run)'"
    case .held(let run, let holder): "run \(run) is already running (\(holder))"
    case .fenced(let run): "run \(run) was taken over by another process"
    case .elsewhere(let run, let host):
      "run \(run) ran on '\(host)', and the store is on a network file system, where locks of other machines are not "
        + "reliable; resume it on '\(host)', or keep runs in PostgreSQL (--store) to resume them anywhere"
    case .moved(let run): "run \(run) has continued in another process; check its state again"
    }
  }
}
