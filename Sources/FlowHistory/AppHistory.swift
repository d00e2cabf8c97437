@_exported import FlowStore
import FlowKit
import FlowPlatform
import FlowStoreSQLite
import Synchronization

/// The recorded runs of an app, in one SQLite file:
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
  /// The absolute path of the file. The folder may move, as an app's container does during an update.
  public let path: String
  /// The rule that decides which old runs are removed.
  public var retention = RunRetention()
  private let onDamage: @Sendable (_ cause: String, _ movedTo: String) -> Void
  private let suspension = RecordingSuspension()

  /// Creates a history in the file at an absolute path. The file is created with the first run.
  ///
  /// - Parameter onDamage: Called if the file was damaged and a new one has replaced it, with the cause and the path to
  ///   which the damaged file was moved.
  public init(
    _ path: String, onDamage: @escaping @Sendable (_ cause: String, _ movedTo: String) -> Void = { _, _ in }
  ) {
    self.path = path
    self.onDamage = onDamage
  }

  /// Returns the recording of a workflow's runs, for `RunOptions.history`.
  ///
  /// - Parameter isDurable: True if no step may begin before all earlier entries are on disk.
  public func recording<Workflow: PackagedWorkflow>(
    _ workflow: Workflow, isDurable: Bool = false
  ) -> RunHistory {
    recording("\(Workflow.self)", compiled: Workflow.compiled, isDurable: isDurable)
  }

  /// Returns the recording of a compiled workflow's runs, under the given name.
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
      // Read the identity before the file is opened, because it is also needed for a file that cannot be opened.
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

  /// Records the progress of all runs and releases the file, because iOS ends a suspended app that has a lock on a file
  /// in an app group. When it returns, the file is released. Runs continue and are recorded after ``reactivate()``. A
  /// `LaunchModel` whose options contain this history calls it.
  public func suspend() async { await suspension.suspend() }

  /// Acquires the file again. Throws a `StoreProblem` if another process has removed or resumed a run in the meantime;
  /// that run is no longer recorded.
  public func reactivate() async throws(StoreProblem) { try await suspension.reactivate() }

  /// Returns the recorded runs, the newest first. Throws a `StoreProblem` if the file cannot be read.
  public func runs(limit: Int? = nil) throws(StoreProblem) -> [RecordedRun] {
    guard let store = try opened(readOnly: true) else { return [] }
    var filter = RunFilter()
    filter.limit = limit
    return try store.runs(filter).map(RecordedRun.init)
  }

  /// Removes the given runs, except those that are still running, and returns the number of removed runs. Throws a
  /// `StoreProblem` if the file cannot be read or written.
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

/// The identity of the file that was opened last, or that could not be opened.
private final class FoundFile: Sendable {
  let value = Mutex<FileIdentity?>(nil)
}
