import FlowStore

/// Where a run is recorded while it continues; see `RunStore`.
public struct RunHistory: Sendable {
  /// Opens the store, when there is something to write. Called once more when the store was found damaged, with the cause,
  /// and may return another store then.
  public var open: @Sendable (_ damage: String?) throws(StoreProblem) -> any RunStore
  /// The absolute path of the workflow's file.
  public var file: String
  /// What the run is begun as: the bytes of the file.
  public var definition: [UInt8]
  /// Who runs it.
  public var holder: RunHolder
  /// Whether no step may begin before all entries up to then are on disk.
  public var isDurable = false
  /// Whether another process may take the run over while this one lives: the store's leases run out.
  public var canBeTakenOver = false
  /// What distinguishes the programs of external plugins, by the plugin's name: a step whose program has changed is a different
  /// step to a resume. Called when the run is written.
  public var programs: @Sendable () -> [String: String] = { [:] }
  /// The names of the steps of a definition, in their order, so that the newest success of each outlives the rest; nil if
  /// they can no longer be reported.
  public var stepNames: @Sendable (_ definition: [UInt8]) -> [String]? = { _ in nil }
  /// Which old runs are removed behind this one.
  public var retention = RunRetention()

  /// A history in the store that `open` gives.
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

/// What is asked of a run by another process: the words that travel through the store, as JSON.
public enum RunRequestWord: String, Sendable, CaseIterable {
  /// Cancel the run.
  case cancel
  /// Post the event under `event` with `value`, or with the JSON of `bytes` that is in the named pipe under `pipe` of `secret`. With
  /// `value-follows` nothing is posted: the answer has under `secret` if the value must come through a pipe.
  case post
  /// Answer the question of the step under `step` with `choice`, or with a secret of `bytes` that is in the named pipe under `pipe`
  /// of `secret`.
  case answer
}
