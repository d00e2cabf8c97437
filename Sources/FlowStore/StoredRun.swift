/// A run as stored, without its journal.
public struct StoredRun: Sendable, Hashable {
  /// The run's id, a UUID in lower case.
  public var id: String
  /// The workflow's name.
  public var workflow: String
  /// The absolute path of the workflow file.
  public var file: String
  /// The absolute path of the workflow file when the run was last started or resumed. It differs from ``file`` if the
  /// folder of the store has been moved or copied since.
  package var recordedFile: String
  /// The start, in milliseconds since 1970.
  package var startedMilliseconds: Int
  /// The state of the run.
  public var state: State
  /// The number of times it was started: 1, plus 1 for each resume.
  public var epoch: Int
  /// The process that runs it or ran it last.
  package var holder: RunHolder
  /// The data about its start, in the format of the process that started it.
  package var header: [UInt8]
  /// The conclusion, written by the process that ended it; empty while it runs.
  public var summary: [UInt8]

  /// The state of a run.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Its process is running.
    case running
    /// Its process has ended without finishing it.
    case interrupted
    case success, partial, failure, cancelled
  }

  /// Creates the state of a run.
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

/// A process that runs a run.
public struct RunHolder: Sendable, Hashable, CustomStringConvertible {
  /// The process id.
  public var process: Int
  /// The name of its machine.
  public var host: String

  /// Creates a holder from a process id and the name of its machine.
  public init(process: Int, host: String) {
    self.process = process
    self.host = host
  }

  /// A description such as `process 4711 on tower`.
  public var description: String { "process \(process) on \(host)" }
}

/// The criteria for listing runs; without criteria, all runs are listed, the newest first.
public struct RunFilter: Sendable, Hashable {
  /// The id of the only run to list.
  public var id: String?
  /// The absolute path of the workflow file of the runs to list.
  public var file: String?
  /// The earliest start of the runs to list, in milliseconds since 1970.
  package var sinceMilliseconds: Int?
  /// The states of the runs to list; empty for all states.
  package var states: Set<StoredRun.State> = []
  /// The maximum number of runs.
  public var limit: Int?

  /// Creates a filter that all runs pass.
  public init() {}
}

/// Runs listed by a store.
public struct RunList: Sendable, Hashable {
  /// The runs, the newest first.
  public var runs: [StoredRun] = []
  /// The ids of runs whose rows fail their checksum.
  public var damaged: [String] = []
  /// The numbers of runs whose rows cannot be read; some of them may not exist.
  package var unreadable: [Int] = []
  /// The damage to the store itself, which may hide runs, or nil if none is known.
  package var flaw: String?

  /// Creates an empty list.
  public init() {}
}
