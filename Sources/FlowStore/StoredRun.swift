/// A run as a store reports it without opening its journal.
public struct StoredRun: Sendable, Hashable {
  /// The run's id, a UUID in lower case.
  public var id: String
  /// The workflow's name.
  public var workflow: String
  /// The absolute path of its file.
  public var file: String
  /// The absolute path that its file had when the run was last begun. It differs from ``file`` if the folder of the store has
  /// been moved or copied since.
  public var recordedFile: String
  /// Milliseconds since 1970 at which it started.
  public var startedMilliseconds: Int
  /// Its state.
  public var state: State
  /// How often it was begun: 1, and one more each resume.
  public var epoch: Int
  /// Who runs it, or ran it last.
  public var holder: RunHolder
  /// What it was begun with, as who began it wrote it.
  public var header: [UInt8]
  /// Its conclusion, written by the process that ended it; empty while it runs.
  public var summary: [UInt8]

  /// The state of a run.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// A process runs it.
    case running
    /// Its process is gone.
    case interrupted
    case success, partial, failure, cancelled
  }

  /// The current state of a run.
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

/// The process that runs a run.
public struct RunHolder: Sendable, Hashable, CustomStringConvertible {
  /// Its number on its machine.
  public var process: Int
  /// The machine's name.
  public var host: String

  /// A process of a machine.
  public init(process: Int, host: String) {
    self.process = process
    self.host = host
  }

  /// `process 4711 on tower`.
  public var description: String { "process \(process) on \(host)" }
}

/// Which runs are asked for; without limits all, the newest first.
public struct RunFilter: Sendable, Hashable {
  /// Only the one with this id.
  public var id: String?
  /// Only those of this file, an absolute path.
  public var file: String?
  /// Only those that started since, in milliseconds since 1970.
  public var sinceMilliseconds: Int?
  /// Only those that stand so; empty: any.
  public var states: Set<StoredRun.State> = []
  /// At most this many.
  public var limit: Int?

  /// All runs.
  public init() {}
}

/// Runs out of a store.
public struct RunList: Sendable, Hashable {
  /// The newest first.
  public var runs: [StoredRun] = []
  /// The ids, as they are there, of runs of which the rest is not what was written.
  public var damaged: [String] = []
  /// The numbers of runs of which nothing can be read, not even whether they are there.
  public var unreadable: [Int] = []
  /// What is wrong with the store itself, from which runs may be missing unseen; nil: nothing, as far as is known.
  public var flaw: String?

  /// No run.
  public init() {}
}
