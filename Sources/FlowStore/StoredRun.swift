/// The stored data of a run, without its journal.
public struct StoredRun: Sendable, Hashable {
  /// The id of the run, a UUID in lower case.
  public var id: String
  /// The name of the workflow that the run executes.
  public var workflow: String
  /// The absolute path of the workflow file.
  public var file: String
  /// The absolute path of the workflow file when the run was last started or resumed. It differs from ``file`` if the
  /// folder of the store has been moved or copied since then.
  package var recordedFile: String
  /// The time at which the run started, in milliseconds since 1970.
  package var startedMilliseconds: Int
  /// The state of the run: running, interrupted, or its conclusion.
  public var state: State
  /// The number of times the run was started: 1, plus 1 for each resume.
  public var epoch: Int
  /// The process that is executing the run, or executed it last.
  package var holder: RunHolder
  /// The data about the start of the run, in the format of the process that started it.
  package var header: [UInt8]
  /// A summary of the report, written by the process that ended the run. Empty until then.
  public var summary: [UInt8]

  /// The states of a run.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The process of the run is executing it.
    case running
    /// The process of the run ended before the run did.
    case interrupted
    case success, partial, failure, cancelled
  }

  /// Creates a run. ``recordedFile`` is the same as `file`.
  public init(
    id: String, workflow: String, file: String, startedMilliseconds: Int, state: State, epoch: Int, holder: RunHolder,
    header: [UInt8], summary: [UInt8] = []
  ) {
    self.id = id
    self.workflow = workflow
    self.file = file
    recordedFile = file
    self.startedMilliseconds = startedMilliseconds
    self.state = state
    self.epoch = epoch
    self.holder = holder
    self.header = header
    self.summary = summary
  }
}

/// A process that executes a run.
public struct RunHolder: Sendable, Hashable, CustomStringConvertible {
  /// The id of the process on its machine.
  public var process: Int
  /// The name of the machine on which the process runs.
  public var host: String

  /// Creates a holder from a process id and the name of its machine.
  public init(process: Int, host: String) {
    self.process = process
    self.host = host
  }

  /// A description such as `process 4711 on tower`.
  public var description: String { "process \(process) on \(host)" }
}

/// The criteria for listing runs. Without criteria, all runs are listed, the newest first.
public struct RunFilter: Sendable, Hashable {
  /// The id of the only run to list, or nil to list runs with any id.
  public var id: String?
  /// The absolute path of the workflow file of the runs to list, or nil to list the runs of all files.
  public var file: String?
  /// The earliest start of the runs to list, in milliseconds since 1970, or nil to list runs with any start.
  package var sinceMilliseconds: Int?
  /// The states of the runs to list, or an empty set to list runs in all states.
  package var states: Set<StoredRun.State> = []
  /// The maximum number of runs to list, or nil to list all.
  public var limit: Int?

  /// Creates a filter without criteria, which all runs pass.
  public init() {}
}

/// The runs that a store has listed.
public struct RunList: Sendable, Hashable {
  /// The undamaged runs, the newest first.
  public var runs: [StoredRun] = []
  /// The ids of runs whose rows do not match their checksums.
  public var damaged: [String] = []
  /// The numbers of rows that cannot be read. Some of them may belong to no run.
  package var unreadable: [Int] = []
  /// The damage to the store itself, which may have hidden runs, or nil if none is known.
  package var flaw: String?

  /// Creates an empty list.
  public init() {}
}
