@_exported import FlowStore
import FlowKit
import FlowPlatform
import FlowStoreSQLite
import Synchronization

/// The runs of an app, recorded in one SQLite file:
///
/// ```swift
/// let history = AppHistory(folder.path + "/runs.sqlite")
/// options.history = history.recording(Workflows.launch)
/// for run in try history.runs(limit: 10) { print(run.workflow, run.state, run.gateOpenedAfter ?? .zero) }
/// ```
///
/// Neither steps nor the gate wait for the file. If the file cannot be written, the run continues without a record, and
/// its report has a warning.
public struct AppHistory: Sendable {
  /// The absolute path of the file. Its folder may move, as an app's container does during an update.
  public let path: String
  /// The policy for removing old runs.
  public var retention = RunRetention()
  private let onDamage: @Sendable (_ cause: String, _ movedTo: String) -> Void
  private let suspension = RecordingSuspension()

  /// Creates a history in the file at an absolute path. The file is created with the first run.
  ///
  /// - Parameter onDamage: Called if the file was damaged, with the cause and the path that it was moved to. A new file
  ///   replaces it.
  public init(
    _ path: String, onDamage: @escaping @Sendable (_ cause: String, _ movedTo: String) -> Void = { _, _ in }
  ) {
    self.path = path
    self.onDamage = onDamage
  }

  /// Returns a recording of a workflow's runs, for `RunOptions.history`.
  ///
  /// - Parameter isDurable: True if no step may begin before all earlier entries are on disk.
  public func recording<Workflow: PackagedWorkflow>(
    _ workflow: Workflow, isDurable: Bool = false
  ) -> RunHistory {
    recording("\(Workflow.self)", compiled: Workflow.compiled, isDurable: isDurable)
  }

  /// Returns a recording of the runs of a compiled workflow under this name.
  public func recording(_ name: String, compiled: [UInt8], isDurable: Bool = false) -> RunHistory {
    let (path, onDamage) = (path, onDamage)
    let identity = FoundFile()
    var history = RunHistory(file: folder + "/" + name, definition: compiled, holder: .current) {
      [folder] damage throws(StoreProblem) in
      if let damage,
        let moved = try SQLiteRunStore.moveAside(path, identity.value.withLock { $0 }, atSeconds: WallTime.now / 1_000)
      {
        onDamage(damage, moved)
      }
      // Before the file is opened, because a file that cannot be opened has no other identity.
      identity.value.withLock { $0 = FileIdentity(path) }
      let store = try SQLiteRunStore(path, folder: folder)
      if isDurable { try store.prepareForDurable() }
      return store
    }
    history.isDurable = isDurable
    history.retention = retention
    history.suspension = suspension
    history.stepNames = { stored in (try? WorkflowGraph(compiled: stored))?.workflow.steps.map(\.id.text) }
    return history
  }

  /// Records the progress of all runs and releases the file, because iOS ends an app that is suspended while it locks a
  /// file of an app group. Returns when the file is released. Runs continue and are recorded after ``reactivate()``. A
  /// `LaunchModel` whose options have this history calls it.
  public func suspend() async { await suspension.suspend() }

  /// Acquires the file again. Throws a `StoreProblem` if another process has removed or resumed a run meanwhile;
  /// nothing more of that run is recorded.
  public func reactivate() async throws(StoreProblem) { try await suspension.reactivate() }

  /// The recorded runs, the newest first, or none before the first run. Throws a `StoreProblem` if the file cannot be
  /// read.
  public func runs(limit: Int? = nil) throws(StoreProblem) -> [RecordedRun] {
    guard let store = try opened(readOnly: true) else { return [] }
    var filter = RunFilter()
    filter.limit = limit
    return try store.runs(filter).map(RecordedRun.init)
  }

  /// Removes runs that have ended, and returns their number.
  @discardableResult
  public func remove(_ runs: [RecordedRun]) throws(StoreProblem) -> Int {
    guard let store = try opened(readOnly: false) else { return 0 }
    return try store.remove(runs.map(\.id))
  }

  private var folder: String { FilePath.folder(of: path) }

  private func opened(readOnly: Bool) throws(StoreProblem) -> SQLiteRunStore? {
    guard FilePath.exists(path), !SQLiteRunStore.isNew(path) else { return nil }
    return try SQLiteRunStore(path, readOnly: readOnly, folder: folder)
  }
}

/// The identity of the file that was opened or failed to open.
private final class FoundFile: Sendable {
  let value = Mutex<FileIdentity?>(nil)
}
