import FlowStore

/// The settings for recording a run in a `RunStore`.
public struct RunHistory: Sendable {
  /// Opens the store before the first write. If the store is damaged, the closure is called again with the cause and
  /// may return a new store.
  package var open: @Sendable (_ damage: String?) throws(StoreProblem) -> any RunStore
  /// The absolute path of the workflow file.
  package var file: String
  /// The bytes of the workflow file at the start of the run.
  package var definition: [UInt8]
  /// The process that executes the run.
  package var holder: RunHolder
  /// True if the start of each step must be on disk before the step begins.
  package var isDurable = false
  /// True if another process may take over the run while this process is alive, because leases of the store expire.
  package var canBeTakenOver = false
  /// Returns the fingerprints of the programs of external plugins, by plugin name. It is called when the run is
  /// recorded. A resume treats the steps of a plugin whose fingerprint differs as changed.
  package var programs: @Sendable () -> [String: String] = { [:] }
  /// Returns the names of the steps in a recorded workflow, so that the latest success of each step is not deleted.
  /// Returns nil if the workflow can no longer be read.
  package var stepNames: @Sendable (_ definition: [UInt8]) -> [String]? = { _ in nil }
  /// The object that releases the store while the app is suspended, or nil if the program is never suspended.
  package var suspension: RecordingSuspension?
  /// The rule that decides which old runs are removed after this one.
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

/// The requests that other processes can send to a run, as JSON.
package enum RunRequestWord: String, Sendable, CaseIterable {
  /// Cancels the run.
  case cancel
  /// Posts the event in `event`. Its value is in `value`, or is JSON in the named pipe that `secret` describes (`pipe`
  /// is its path, `bytes` the size). If `value-follows` is true, nothing is posted; `secret` in the answer is true if
  /// the value must be sent through a pipe.
  case post
  /// Answers the question of the step in `step` with `choice`, or with a secret from the named pipe in `secret`.
  case answer
}
