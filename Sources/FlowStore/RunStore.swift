/// Where runs are recorded while they continue, and found again.
///
/// A store knows nothing of workflows: a run's journal is a list of opaque chunks, its definition and its summary are
/// bytes. Anyone who writes a run holds a lease on it, of one epoch; a later holder has a higher one, and what comes
/// under a lower is refused. Every call may wait for a disk: none is made where a step or a gate would wait for it.
/// `RunStoreConformance` says what all stores have in common.
public protocol RunStore: Sendable {
  /// Begins a run, with the first chunks of its journal, all at once; on disk when it returns where `isDurable`. Its first
  /// epoch is 1. The definition is kept once, however many runs have it.
  func create(
    _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
  ) throws(StoreProblem) -> any RunLease

  /// Adds a chunk behind those of the run; on disk when it returns where `isDurable`. Throws `fenced` when someone else has
  /// the run by now.
  func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem)

  /// Begins a run, writes all of its journal and its end at once: a run that is over before anything was written.
  func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem)

  /// Writes the end of a run and lets it go.
  func finish(_ lease: any RunLease, state: StoredRun.State, summary: [UInt8]) throws(StoreProblem)

  /// Takes a run that no process runs any more, with the next epoch. Throws `held` while a process runs it, `moved` when it has
  /// changed since it was at `position`, `unknown` where there is none. Nothing else of the run changes until
  /// ``resume(_:as:chunks:)``.
  func take(_ run: String, at position: RunPosition, by holder: RunHolder) throws(StoreProblem) -> any RunLease

  /// Returns a run that was taken and under which nothing was written: it is again as it was, which is `run`.
  func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem)

  /// Resumes a run that was taken as `definition`, with the first chunks under its lease, all at once and on disk when it
  /// returns: chunks speak of steps by their places in the definition.
  func resume(_ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem)

  /// The folder for what other processes of the machine read of running runs before it is recorded, or nil. Its first user
  /// creates it.
  var liveFolder: String? { get }

  /// The runs that fit, the one that was created last first, whatever the clock said, and the names of those whose state cannot be read: one that is
  /// damaged hides no other.
  func list(_ filter: RunFilter) throws(StoreProblem) -> RunList

  /// The chunks of a run, in the order in which they were written, without the first `first` of them. Throws `unknown`.
  func chunks(of run: String, from first: Int) throws(StoreProblem) -> [[UInt8]]

  /// The number of bytes that the journals and summaries of the runs have; runs without any may be left out.
  func sizes() throws(StoreProblem) -> [String: Int]

  /// What a run was last begun as. Throws `unknown`.
  func definition(of run: String) throws(StoreProblem) -> [UInt8]

  /// Removes runs that are not running, damaged ones too, with all that only they had; says how many there were.
  func remove(_ runs: [String]) throws(StoreProblem) -> Int

  /// Asks something of a run that continues; its number is for ``answer(to:)``. Throws `unknown`.
  func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int

  /// What has been asked of a run and not been answered, in order. Throws `fenced` when someone else has the run by now.
  func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry]

  /// Answers a request.
  func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem)

  /// What was answered; nil: nothing yet. A request that was answered is forgotten.
  func answer(to request: Int) throws(StoreProblem) -> [UInt8]?
}

extension RunStore {
  /// None.
  public var liveFolder: String? { nil }

  /// The runs that fit and are not damaged, the newest first.
  public func runs(_ filter: RunFilter) throws(StoreProblem) -> [StoredRun] { try list(filter).runs }

  /// The chunks of a run, in the order in which they were written.
  public func chunks(of run: String) throws(StoreProblem) -> [[UInt8]] { try chunks(of: run, from: 0) }

  /// One run; nil: there is none.
  public func run(_ id: String) throws(StoreProblem) -> StoredRun? {
    var filter = RunFilter()
    filter.id = id
    return try runs(filter).first
  }

  /// Begins a run whose journal is empty as yet.
  public func create(_ run: StoredRun, definition: [UInt8]) throws(StoreProblem) -> any RunLease {
    try create(run, definition: definition, chunks: [], isDurable: false)
  }
}

/// The right to write a run, for as long as it lives.
public protocol RunLease: AnyObject, Sendable {
  /// The run's id.
  var run: String { get }
  /// Which holder this is; the first is 1.
  var epoch: Int { get }
  /// Whether it is certain that no other process can hold the run yet: what runs for it elsewhere may be kept going.
  var isSure: Bool { get }
  /// Whether it is known that someone else has the run.
  var isFenced: Bool { get }
}

extension RunLease {
  /// Always, where the run is held until the process ends.
  public var isSure: Bool { true }

  /// Never, where the run is held until the process ends.
  public var isFenced: Bool { false }
}

/// How much of a run is known.
public struct RunPosition: Sendable, Hashable {
  /// Its last epoch.
  public var epoch: Int
  /// The number of chunks that its journal has.
  public var chunkCount: Int

  /// A run of this epoch with this many chunks.
  public init(epoch: Int, chunkCount: Int) {
    self.epoch = epoch
    self.chunkCount = chunkCount
  }
}

/// A request to a running run.
public struct RunRequestEntry: Sendable, Hashable {
  /// Its number, for the answer.
  public var number: Int
  /// What is asked, as the asker wrote it.
  public var body: [UInt8]

  /// A request.
  public init(number: Int, body: [UInt8]) {
    self.number = number
    self.body = body
  }
}

/// Why a store could not do what it was asked.
public enum StoreProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The store cannot be opened or written: it is in a folder that may not be written, the disk is full.
  case unusable(path: String, cause: String)
  /// What is stored is not what was written.
  case damaged(path: String, cause: String)
  /// Written by a newer flowrun.
  case newer(path: String, version: Int)
  /// There is no such run.
  case unknown(run: String)
  /// Another process runs it.
  case held(run: String, by: RunHolder)
  /// Another process has taken the run over.
  case fenced(run: String)
  /// Its process ran on another machine, and the store does not know whether it still does.
  case elsewhere(run: String, on: String)
  /// It continued, and ended, while it was being looked at.
  case moved(run: String)

  /// What went wrong and what to do.
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
