import FlowCLI
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowInsightCommands
import FlowModel
import FlowRunStores
import FlowStore
import FlowSystem
import Synchronization

/// The runs that `flowrun ui` shows: those of all workflows in a folder and below it, or those in a database.
///
/// Every call may block, because it reads from a disk or a database.
package final class RunLibrary: Sendable {
  /// The absolute path of the folder that contains the workflows.
  package let folder: String
  /// The address of the database. Nil if the runs are in the stores next to the workflows.
  package let address: String?
  /// The plugin folders given on the command line, as absolute paths.
  package let pluginFolders: [String]
  private let writes: Bool
  private let database: (any RunStore)?
  private let known = Mutex(Known())
  let pages = Mutex<[(key: String, page: RunPageView)]>([])
  let items = Mutex<[(key: String, items: [Int: [Int: RecordedItem]])]>([])

  private struct Known {
    var stores: [String: any FileRunStore] = [:]
    /// The folders that contain a run history.
    var folders: [String] = []
    /// The paths of workflows in other folders, which have no run history.
    var others: [String] = []
    var foldersSeenAt: Int?
  }

  /// The maximum number of runs read from a store. The newest ones are read.
  package static let runLimit = 500
  /// The time for which the list of folders is cached.
  private static let foldersMilliseconds = 5_000

  /// Opens the database at `store` or, if it is nil, the stores of the workflows in `folder` and below. If `isReadOnly`
  /// is true, no requests can be sent to runs.
  package init(folder: String, store: String?, pluginFolders: [String], isReadOnly: Bool) throws {
    guard FilePath.isFolder(folder) else { throw UsageProblem("'\(folder)' is not a folder") }
    self.folder = FilePath.normalized(folder)
    // Runs are started in the folders of their workflows, so paths must be absolute.
    self.pluginFolders = pluginFolders.map(FilePath.absolute)
    address = store
    writes = !isReadOnly
    // This program can open the same run stores as `flowrun`, but has none of its subcommands.
    CommandParts.current.stores = RunStores()
    database = try store.map { try RunMemory.open(address: $0) }
  }

  /// Runs from the newest to the oldest, and the problems of stores that could not be read.
  package struct List: Sendable {
    package var runs: [StoredRun] = []
    /// A sentence for each store that could not be read.
    package var problems: [String] = []
  }

  /// Returns the newest runs. At most `limit` runs are read from each store.
  package func list(limit: Int = RunLibrary.runLimit) -> List {
    var list = List()
    var runs: [(latest: Int, run: StoredRun)] = []
    var filter = RunFilter()
    filter.limit = limit
    for place in places() {
      do {
        let found = try store(at: place).list(filter)
        // Within a store, runs keep the order of their starts, even if the clock was set back.
        var latest = Int.max
        runs += found.runs.map { run in
          latest = min(latest, run.startedMilliseconds)
          return (latest, run)
        }
        if let flaw = found.flaw { list.problems.append("the run store in '\(place)' is damaged: \(flaw)") }
        if !found.damaged.isEmpty {
          list.problems.append("the records of \(found.damaged.count) runs in '\(place)' are damaged; see flowrun runs")
        }
      } catch {
        list.problems.append(Self.message(of: error))
      }
    }
    let sorted = runs.enumerated().sorted { ($1.element.latest, $0.offset) < ($0.element.latest, $1.offset) }
    list.runs = sorted.map(\.element.run)
    return list
  }

  /// Returns the run with this id and its store. If there is no such run, returns nil, or throws if a store could not
  /// be read.
  package func find(_ id: String) throws -> (run: StoredRun, store: any RunStore)? {
    // Text that cannot be an id is not looked up.
    guard id.utf8.count == 36, id.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return nil }
    var problem: (any Error)?
    for place in places() {
      do {
        let store = try store(at: place)
        if let run = try store.run(id) { return (run, store) }
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
    return nil
  }

  /// Sends a request to a run and waits for its answer, as `flowrun cancel`, `post` and `answer` do.
  package func ask(_ run: StoredRun, in store: any RunStore, _ question: ValueObject) async throws {
    var question = question
    if question["choice"] != nil { question["by"] = .string("\(Environment.userName) on \(RunMemory.holder.host)") }
    _ = try await RunQuestion.ask(run, in: store, question)
  }

  /// Answers the question of a step with a secret, which is not stored.
  package func answer(_ run: StoredRun, in store: any RunStore, _ step: String, withSecret secret: String) async throws
  {
    try await RunQuestion.answer(run, in: store, step, withSecret: secret)
  }

  /// The environment of this process, which the runs that it starts inherit.
  package static var environment: [String: String] { Environment.all }

  /// Returns the message of an error in the form that pages show, without a prefix or final line break.
  package static func message(of error: any Error) -> String {
    var text = "\(error)"
    if text.hasPrefix("flowrun: ") { text.removeFirst("flowrun: ".count) }
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  private func places() -> [String] {
    database == nil ? search().folders : [""]
  }

  /// Searches for workflows in the library's folder and below, at most every few seconds.
  private func search() -> (folders: [String], others: [String]) {
    known.withLock { known in
      let now = WallTime.now
      if let seen = known.foldersSeenAt, now - seen < Self.foldersMilliseconds, now >= seen {
        return (known.folders, known.others)
      }
      known.foldersSeenAt = now
      let found = RunFolders.search(folder)
      known.folders = (RunFolders.hasRuns(folder) ? [folder] : []) + found.runs.map { "\(folder)/\($0)" }
      let others = found.workflows.filter { !found.runs.contains($0) }
      known.others = others.flatMap { Self.workflows(in: "\(folder)/\($0)") }
      return (known.folders, known.others)
    }
  }

  /// Discards the cached list of folders, because a folder may have its first run now.
  package func forgetFolders() { known.withLock { $0.foldersSeenAt = nil } }

  private func store(at place: String) throws -> any RunStore {
    if let database { return database }
    let path = RunMemory.path(in: place)
    // The open store is used only if its file is still the same. When a store is damaged, the next run renames its file
    // and creates a new one.
    let isSame = { (store: any FileRunStore) in store.identity == FileIdentity(path) }
    if let store = known.withLock({ $0.stores[path] }), isSame(store) { return store }
    let store = try RunMemory.open(place, writes: writes)
    known.withLock { $0.stores[path] = store }
    return store
  }

  package struct WorkflowFile: Sendable {
    package var path: String
    /// The path relative to the library's folder, which pages show as the name of the workflow.
    package var name: String
    package var runs: [StoredRun]
  }

  /// Returns the paths of the workflows in a folder.
  private static func workflows(in folder: String) -> [String] {
    (FilePath.names(in: folder) ?? []).filter { RunFolders.isWorkflowName($0) && PluginFiles.kind(of: $0) == nil }
      .map { "\(folder)/\($0)" }.filter { FileAccess.isRegular($0) && WorkflowFiles.isWorkflow($0) }
  }

  /// Returns the workflows with runs, the one that ran last first, followed by other workflows in the same folders and
  /// below the library's folder.
  package func workflows(of list: List) -> [WorkflowFile] {
    var files: [String] = []
    var runs: [String: [StoredRun]] = [:]
    for run in list.runs {
      if runs[run.file] == nil { files.append(run.file) }
      runs[run.file, default: []].append(run)
    }
    // Workflows without runs are found in the folder, even if the runs are in a database.
    let found = search()
    let folders = [folder] + found.folders.filter { $0 != folder }
    let others = folders.flatMap(Self.workflows) + found.others
    files += others.filter { runs[$0] == nil }
    return files.map { WorkflowFile(path: $0, name: name(of: $0), runs: runs[$0] ?? []) }
  }

  /// Returns the name that pages show for a workflow file: its path relative to the library's folder, if the file is in
  /// that folder.
  package func name(of file: String) -> String {
    FilePath.path(of: file, below: folder) ?? file
  }
}
