/// Records runs and reads them again.
///
/// A store knows nothing about workflows. A run's journal is a list of opaque chunks; its definition and its summary
/// are bytes. The process that writes a run has a lease with an epoch. A later lease has a higher epoch, and writes
/// with a lower one are refused. Calls may wait for a disk, so steps and gates must not wait for them.
/// `RunStoreConformance` tests the common behavior of all stores.
public protocol RunStore: Sendable {
  /// Creates a run with the first chunks of its journal in one change, which is on disk on return if `isDurable`. Its
  /// first epoch is 1. Equal definitions are stored once.
  func create(
    _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
  ) throws(StoreProblem) -> any RunLease

  /// Appends a chunk to the journal; it is on disk on return if `isDurable`. Throws `fenced` if another process has
  /// taken the run over.
  func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem)

  /// Records a finished run with its whole journal in one change.
  func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem)

  /// Writes the end of a run and releases its lease.
  func finish(_ lease: any RunLease, state: StoredRun.State, summary: [UInt8]) throws(StoreProblem)

  /// Takes over a run that no process runs, with the next epoch. Throws `held` if a process runs it, `moved` if it has
  /// changed since it was at `position`, and `unknown` if there is no such run. Nothing else of the run changes before
  /// ``resume(_:as:chunks:)``.
  func take(_ run: String, at position: RunPosition, by holder: RunHolder) throws(StoreProblem) -> any RunLease

  /// Releases a run that was taken over but not written, and restores its earlier state `run`.
  func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem)

  /// Resumes a run that was taken over, with a new definition and the first chunks under the new lease. All of it is
  /// one change that is on disk on return, because chunks refer to steps by their index in the definition.
  func resume(_ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem)

  /// The folder for output of running runs that other processes of the machine can read before it is recorded, or nil.
  /// Its first user creates it.
  var liveFolder: String? { get }

  /// Returns the matching runs, the one created last first, regardless of the clock. Damaged runs are listed by id and
  /// do not affect the others.
  func list(_ filter: RunFilter) throws(StoreProblem) -> RunList

  /// Returns the chunks of a run in the order in which they were written, except the first `first`. Throws `unknown`.
  func chunks(of run: String, from first: Int) throws(StoreProblem) -> [[UInt8]]

  /// Returns the sizes of journals and summaries in bytes, by run; empty runs may be left out.
  func sizes() throws(StoreProblem) -> [String: Int]

  /// Returns the definition with which a run was last started or resumed. Throws `unknown`.
  func definition(of run: String) throws(StoreProblem) -> [UInt8]

  /// Removes runs that are not running, including damaged ones, with all data that belongs only to them. Returns their
  /// number.
  func remove(_ runs: [String]) throws(StoreProblem) -> Int

  /// Sends a request to a running run and returns its number, for ``answer(to:)``. Throws `unknown`.
  func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int

  /// Returns the unanswered requests to a run in order. Throws `fenced` if another process has taken the run over.
  func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry]

  /// Answers a request.
  func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem)

  /// Returns the answer to a request, or nil if there is none yet. An answered request is removed.
  func answer(to request: Int) throws(StoreProblem) -> [UInt8]?
}

extension RunStore {
  /// Returns nil by default.
  public var liveFolder: String? { nil }

  /// Returns the matching runs that are not damaged, the newest first.
  public func runs(_ filter: RunFilter) throws(StoreProblem) -> [StoredRun] { try list(filter).runs }

  /// Returns the chunks of a run in the order in which they were written.
  public func chunks(of run: String) throws(StoreProblem) -> [[UInt8]] { try chunks(of: run, from: 0) }

  /// Returns a run, or nil if there is none with this id.
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

/// The exclusive right to write a run, valid as long as the object exists.
public protocol RunLease: AnyObject, Sendable {
  /// The run's id.
  var run: String { get }
  /// The number of the lease, starting at 1.
  var epoch: Int { get }
  /// True if no other process can have the run, so that steps may start and remote steps may continue.
  var isSure: Bool { get }
  /// True if another process is known to have taken the run over.
  var isFenced: Bool { get }
}

extension RunLease {
  /// True by default, for leases that last until the process ends.
  public var isSure: Bool { true }

  /// False by default, for leases that last until the process ends.
  public var isFenced: Bool { false }
}

/// The point up to which a process has read a run.
public struct RunPosition: Sendable, Hashable {
  /// Its last epoch.
  public var epoch: Int
  /// The number of chunks in its journal.
  package var chunkCount: Int

  /// Creates a position.
  public init(epoch: Int, chunkCount: Int) {
    self.epoch = epoch
    self.chunkCount = chunkCount
  }
}

/// A request to a running run.
public struct RunRequestEntry: Sendable, Hashable {
  /// Its number, which the answer refers to.
  public var number: Int
  /// The content, in the format of the process that sent it.
  public var body: [UInt8]

  /// Creates a request.
  public init(number: Int, body: [UInt8]) {
    self.number = number
    self.body = body
  }
}

/// An error of a store.
public enum StoreProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The store cannot be opened or written, for example because its folder is not writable or the disk is full.
  case unusable(path: String, cause: String)
  /// The stored data differ from what was written.
  case damaged(path: String, cause: String)
  /// The store was written by a newer flowrun.
  case newer(path: String, version: Int)
  /// There is no such run.
  case unknown(run: String)
  /// Another process runs it.
  case held(run: String, by: RunHolder)
  /// Another process has taken the run over.
  case fenced(run: String)
  /// The run's process was on another machine, and the store does not know whether it is still running.
  case elsewhere(run: String, on: String)
  /// The run was continued and ended in the meantime.
  case moved(run: String)

  /// The problem, with advice if there is any.
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
