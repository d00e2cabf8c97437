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

/// The runs that `flowrun ui` shows: those of the workflows in and below a folder, or those in a database.
///
/// Every call can block, because it reads from a disk or a database.
package final class RunLibrary: Sendable {
  /// The absolute path of the folder with the workflows.
  package let folder: String
  /// The address of the database, or nil if each folder has its own store.
  package let address: String?
  /// The folders of plugins named on the command line.
  package let pluginFolders: [String]
  private let writes: Bool
  private let database: (any RunStore)?
  private let known = Mutex(Known())
  let pages = Mutex<[(key: String, page: RunPageView)]>([])
  let items = Mutex<[(key: String, items: [Int: [Int: RecordedItem]])]>([])

  private struct Known {
    var stores: [String: any FileRunStore] = [:]
    /// The folders with a run history.
    var folders: [String] = []
    /// The workflows in folders below the library's folder that have no run history.
    var others: [String] = []
    var foldersSeenAt: Int?
  }

  /// The maximum number of runs that are read from a store, the newest first.
  package static let runLimit = 500
  /// The time for which the list of folders is cached.
  private static let foldersMilliseconds = 5_000

  /// Opens the database at `store`, or the stores of the workflows in and below `folder`. If `isReadOnly` is true, no
  /// requests can be sent to runs.
  package init(folder: String, store: String?, pluginFolders: [String], isReadOnly: Bool) throws {
    guard FilePath.isFolder(folder) else { throw UsageProblem("'\(folder)' is not a folder") }
    self.folder = FilePath.normalized(folder)
    // Runs are started in the folders of their workflows, so the paths must be absolute.
    self.pluginFolders = pluginFolders.map(FilePath.absolute)
    address = store
    writes = !isReadOnly
    // This program has the run stores of `flowrun`, but none of its subcommands.
    CommandParts.current.stores = RunStores()
    database = try store.map { try RunMemory.open(address: $0) }
  }

  // MARK: Runs

  /// Runs, sorted from the newest to the oldest, and the errors of stores that could not be read.
  package struct List: Sendable {
    package var runs: [StoredRun] = []
    /// The errors, one sentence each.
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
        // In a store, runs are in the order of their starts, even if the clock was set back.
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

  /// Returns the run with this id and its store. Returns nil if there is no such run.
  package func find(_ id: String) throws -> (run: StoredRun, store: any RunStore)? {
    // A string that cannot be an id is not looked up.
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

  /// Sends a request to a run. `flowrun cancel`, `post` and `answer` do the same.
  package func ask(_ run: StoredRun, in store: any RunStore, _ question: ValueObject) async throws {
    var question = question
    if question["choice"] != nil { question["by"] = .string("\(Environment.userName) on \(RunMemory.holder.host)") }
    _ = try await RunQuestion.ask(run, in: store, question)
  }

  /// Answers the question of a step with a secret. The secret is not stored.
  package func answer(_ run: StoredRun, in store: any RunStore, _ step: String, withSecret secret: String) async throws
  {
    try await RunQuestion.answer(run, in: store, step, withSecret: secret)
  }

  /// The environment of this process. Runs that it starts have the same environment.
  package static var environment: [String: String] { Environment.all }

  /// Returns the message of an error as a sentence that pages show.
  package static func message(of error: any Error) -> String {
    var text = "\(error)"
    if text.hasPrefix("flowrun: ") { text.removeFirst("flowrun: ".count) }
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  // MARK: Stores

  private func places() -> [String] {
    database == nil ? search().folders : [""]
  }

  /// Searches the folders below the library's folder, at most every few seconds.
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

  /// Clears the cached list of folders, because a folder may now have its first run.
  package func forgetFolders() { known.withLock { $0.foldersSeenAt = nil } }

  private func store(at place: String) throws -> any RunStore {
    if let database { return database }
    let path = RunMemory.path(in: place)
    // When a store is damaged, the next run moves it to another name and creates a new file in its place.
    let isSame = { (store: any FileRunStore) in store.identity == FileIdentity(path) }
    if let store = known.withLock({ $0.stores[path] }), isSame(store) { return store }
    let store = try RunMemory.open(place, writes: writes)
    known.withLock { $0.stores[path] = store }
    return store
  }

  // MARK: Workflows

  package struct WorkflowFile: Sendable {
    package var path: String
    /// The path relative to the folder of the library. Pages show it as the name of the workflow.
    package var name: String
    package var runs: [StoredRun]
  }

  /// Returns the paths of the workflows in a folder.
  private static func workflows(in folder: String) -> [String] {
    (FilePath.names(in: folder) ?? []).filter { RunFolders.isWorkflowName($0) && PluginFiles.kind(of: $0) == nil }
      .map { "\(folder)/\($0)" }.filter { FileAccess.isRegular($0) && WorkflowFiles.isWorkflow($0) }
  }

  /// Returns the workflows with runs, the one that ran last first, then the others in the same folders and in those
  /// below the library's folder.
  package func workflows(of list: List) -> [WorkflowFile] {
    var files: [String] = []
    var runs: [String: [StoredRun]] = [:]
    for run in list.runs {
      if runs[run.file] == nil { files.append(run.file) }
      runs[run.file, default: []].append(run)
    }
    // A database does not contain workflows without runs; those in the folder belong to it, too.
    let found = search()
    let folders = [folder] + found.folders.filter { $0 != folder }
    let others = folders.flatMap(Self.workflows) + found.others
    files += others.filter { runs[$0] == nil }
    return files.map { WorkflowFile(path: $0, name: name(of: $0), runs: runs[$0] ?? []) }
  }

  /// Returns the name that pages show for a workflow file.
  package func name(of file: String) -> String {
    FilePath.path(of: file, below: folder) ?? file
  }
}
