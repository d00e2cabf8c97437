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
/// Nothing waits for the file: neither a step nor the gate. A file that cannot be written costs the record and not the run, whose
/// report then has a warning.
public struct AppHistory: Sendable {
  /// The absolute path of the file. Its folder may move, as the container of an app does when it is updated.
  public let path: String
  /// The number of runs that are kept.
  public var retention = RunRetention()
  private let onDamage: @Sendable (_ cause: String, _ movedTo: String) -> Void

  /// The runs in the file at an absolute path, which is made with its first run.
  ///
  /// - Parameter onDamage: called when the file was damaged, with the cause and the path that it was moved to. A new file was made
  ///   in its place.
  public init(
    _ path: String, onDamage: @escaping @Sendable (_ cause: String, _ movedTo: String) -> Void = { _, _ in }
  ) {
    self.path = path
    self.onDamage = onDamage
  }

  /// Records runs of a workflow, as `RunOptions.history`.
  ///
  /// - Parameter isDurable: whether no step may begin before everything up to then is on disk.
  public func recording<Workflow: PackagedWorkflow>(
    _ workflow: Workflow, isDurable: Bool = false
  ) -> RunHistory {
    recording("\(Workflow.self)", compiled: Workflow.compiled, isDurable: isDurable)
  }

  /// Records runs of a workflow by a name of your choice, with its compiled bytes.
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
      // Before it is opened: what cannot be opened has no other identity.
      identity.value.withLock { $0 = StoreIdentity(path) }
      let store = try SQLiteRunStore(path, folder: folder)
      if isDurable { try store.prepareForDurable() }
      return store
    }
    history.isDurable = isDurable
    history.retention = retention
    history.stepNames = { stored in (try? WorkflowGraph(compiled: stored))?.workflow.steps.map(\.id.text) }
    return history
  }

  /// The recorded runs, the newest first; none before the first one. Throws a `StoreProblem` if the file cannot be read.
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

/// Which file was opened, or was tried to be.
private final class FoundFile: Sendable {
  let value = Mutex<StoreIdentity?>(nil)
}
