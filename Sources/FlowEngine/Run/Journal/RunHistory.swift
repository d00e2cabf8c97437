import FlowStore

/// The settings for recording a run in a `RunStore`.
public struct RunHistory: Sendable {
  /// Opens the store before the first write. If the store is damaged, it is called again with the cause and may return
  /// a new store.
  package var open: @Sendable (_ damage: String?) throws(StoreProblem) -> any RunStore
  /// The absolute path of the workflow file.
  package var file: String
  /// The bytes of the workflow file at the start of the run.
  package var definition: [UInt8]
  /// The process that runs the run.
  package var holder: RunHolder
  /// True if each step's start must be on disk before the step begins.
  package var isDurable = false
  /// True if another process may take over the run while this one is alive, because leases of the store expire.
  package var canBeTakenOver = false
  /// Returns the fingerprints of the programs of external plugins, by plugin name. If one has changed, a resume treats
  /// its steps as changed. Called when the run is recorded.
  package var programs: @Sendable () -> [String: String] = { [:] }
  /// Returns the names of the steps in a recorded workflow, so that the newest success of each step is not deleted.
  /// Returns nil if the workflow cannot be read any more.
  package var stepNames: @Sendable (_ definition: [UInt8]) -> [String]? = { _ in nil }
  /// Releases the store while the app is suspended, or nil if the program is never suspended.
  package var suspension: RecordingSuspension?
  /// The old runs to remove after this one.
  package var retention = RunRetention()

  /// Creates a history that records in the store returned by `open`.
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

/// The requests that other processes can send to a run. They are stored as JSON.
package enum RunRequestWord: String, Sendable, CaseIterable {
  /// Cancels the run.
  case cancel
  /// Posts the event in `event` with the value in `value`, or with JSON from the named pipe in `secret` (`pipe` is its
  /// path, `bytes` the size). If `value-follows` is true, nothing is posted; the answer's `secret` is true if the value
  /// must be sent through a pipe.
  case post
  /// Answers the question of the step in `step` with `choice`, or with a secret from the named pipe in `secret`.
  case answer
}
