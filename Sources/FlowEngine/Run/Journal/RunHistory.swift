import FlowStore

/// The recording of a run in a store. See `RunStore`.
public struct RunHistory: Sendable {
  /// Opens the store before the first write. Called again with the cause if the store is damaged; it may then return
  /// another store.
  public var open: @Sendable (_ damage: String?) throws(StoreProblem) -> any RunStore
  /// The absolute path of the workflow's file.
  public var file: String
  /// The bytes of the workflow file at the start of the run.
  public var definition: [UInt8]
  /// The process that runs it.
  public var holder: RunHolder
  /// True if no step may begin before all earlier entries are on disk.
  public var isDurable = false
  /// True if another process may take over the run while this one is alive, because the store's leases expire.
  public var canBeTakenOver = false
  /// Returns the fingerprints of external plugins' programs, by plugin name. A resume treats a step with a changed
  /// program as a changed step. Called when the run is recorded.
  public var programs: @Sendable () -> [String: String] = { [:] }
  /// Returns the names of a definition's steps, in order, so that the newest success of each step is retained. Nil if
  /// they can no longer be determined.
  public var stepNames: @Sendable (_ definition: [UInt8]) -> [String]? = { _ in nil }
  /// The old runs to remove after this one.
  public var retention = RunRetention()

  /// Creates a history in the store that `open` returns.
  public init(
    file: String, definition: [UInt8], holder: RunHolder,
    open: @escaping @Sendable (_ damage: String?) throws(StoreProblem) -> any RunStore
  ) {
    self.file = file
    self.definition = definition
    self.holder = holder
    self.open = open
  }
}

/// The requests of other processes to a run, as stored in JSON.
public enum RunRequestWord: String, Sendable, CaseIterable {
  /// Cancel the run.
  case cancel
  /// Post the event under `event` with `value`, or with the JSON of `bytes` bytes in the named pipe under `pipe` of
  /// `secret`. With `value-follows` nothing is posted; the answer has `secret` if the value must be sent through a
  /// pipe.
  case post
  /// Answer the question of the step under `step` with `choice`, or with a secret of `bytes` bytes in the named pipe
  /// under `pipe` of `secret`.
  case answer
}
