import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowStore
import FlowStoreSQLite
import FlowSystem
import Synchronization

/// The runs of the workflows below a folder, or in a database, as `flowrun ui` shows them.
///
/// Every call may wait for a disk or a database.
package final class RunLibrary: Sendable {
  /// The folder, as an absolute path.
  package let folder: String
  /// The address of the database; nil: files next to the workflows.
  package let address: String?
  /// Folders of plugins that the command line names.
  package let pluginFolders: [String]
  private let writes: Bool
  private let database: (any RunStore)?
  private let known = Mutex(Known())
  let pages = Mutex<[(key: String, page: RunPageView)]>([])
  let items = Mutex<[(key: String, items: [Int: [Int: RecordedItem]])]>([])

  private struct Known {
    var stores: [String: SQLiteRunStore] = [:]
    var folders: [String] = []
    var foldersSeenAt: Int?
  }

  /// How many runs of a store are looked at, the newest.
  package static let runLimit = 500
  /// How long the list of folders is believed.
  private static let foldersMilliseconds = 5_000

  /// Opens the database at `store`, or else reads the files of the workflows in `folder` and below. With `isReadOnly` nothing
  /// can be asked of a run.
  package init(folder: String, store: String?, pluginFolders: [String], isReadOnly: Bool) throws {
    guard FilePath.isFolder(folder) else { throw UsageProblem("'\(folder)' is not a folder") }
    self.folder = FilePath.normalized(folder)
    // Runs start in the folders of their workflows.
    self.pluginFolders = pluginFolders.map(FilePath.absolute)
    address = store
    writes = !isReadOnly
    database = try store.map { try RunMemory.open(address: $0) }
  }

  // MARK: Runs

  /// Runs, the newest first, with what is wrong with stores that could not be read.
  package struct List: Sendable {
    /// The runs.
    package var runs: [StoredRun] = []
    /// What could not be read, in sentences.
    package var problems: [String] = []
  }

  /// The newest runs, so many of each store.
  package func list(limit: Int = RunLibrary.runLimit) -> List {
    var list = List()
    var runs: [(latest: Int, run: StoredRun)] = []
    var filter = RunFilter()
    filter.limit = limit
    for place in places() {
      do {
        let found = try store(at: place).list(filter)
        // A store has its runs in the order in which they began, whatever the clock said then.
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

  /// The run with this id and its store; nil: there is none.
  package func find(_ id: String) throws -> (run: StoredRun, store: any RunStore)? {
    // Nothing else can be an id, whatever an address says.
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

  /// Asks something of a run: what `flowrun cancel`, `post` and `answer` do.
  package func ask(_ run: StoredRun, in store: any RunStore, _ question: ValueObject) async throws {
    var question = question
    if question["choice"] != nil { question["by"] = .string("\(Environment.userName) on \(RunMemory.holder.host)") }
    _ = try await RunQuestion.ask(run, in: store, question)
  }

  /// Answers the question of a step with a secret, which is written nowhere.
  package func answer(_ run: StoredRun, in store: any RunStore, _ step: String, withSecret secret: String) async throws
  {
    try await RunQuestion.answer(run, in: store, step, withSecret: secret)
  }

  /// The environment of this process, which its runs have.
  package static var environment: [String: String] { Environment.all }

  /// What went wrong, in one sentence for people.
  package static func message(of error: any Error) -> String {
    var text = "\(error)"
    if text.hasPrefix("flowrun: ") { text.removeFirst("flowrun: ".count) }
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  // MARK: Stores

  private func places() -> [String] {
    guard database == nil else { return [""] }
    return known.withLock { known in
      let now = WallTime.now
      if let seen = known.foldersSeenAt, now - seen < Self.foldersMilliseconds, now >= seen { return known.folders }
      known.foldersSeenAt = now
      known.folders =
        (RunFolders.hasRuns(folder) ? [folder] : []) + RunFolders.below(folder).map { "\(folder)/\($0)" }
      return known.folders
    }
  }

  /// Looks for folders with runs again, since there may be a first run in one.
  package func forgetFolders() { known.withLock { $0.foldersSeenAt = nil } }

  private func store(at place: String) throws -> any RunStore {
    if let database { return database }
    let path = RunMemory.path(in: place)
    // A damaged store is moved aside by the next run, and another file takes its place.
    let isSame = { (store: SQLiteRunStore) in store.identity == StoreIdentity(path) }
    if let store = known.withLock({ $0.stores[path] }), isSame(store) { return store }
    let store = try RunMemory.open(place, writes: writes)
    known.withLock { $0.stores[path] = store }
    return store
  }

  // MARK: Workflows

  /// A workflow file.
  package struct WorkflowFile: Sendable {
    /// Its absolute path.
    package var path: String
    /// The path below the folder that is shown, by which pages name it.
    package var name: String
    /// Its runs, the newest first.
    package var runs: [StoredRun]
  }

  /// The workflows with runs, those that ran last first, and those next to them that have none.
  package func workflows(of list: List) -> [WorkflowFile] {
    var files: [String] = []
    var runs: [String: [StoredRun]] = [:]
    for run in list.runs {
      if runs[run.file] == nil { files.append(run.file) }
      runs[run.file, default: []].append(run)
    }
    // A database does not know of workflows without runs; those in the folder belong to it, too.
    var folders = [folder]
    if database == nil { folders += places().filter { $0 != folder } }
    let workflows = "\(folder)/workflows"
    if !folders.contains(workflows) { folders.append(workflows) }
    for folder in folders {
      for name in FilePath.names(in: folder) ?? [] where name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
        let path = "\(folder)/\(name)"
        guard runs[path] == nil, FileAccess.isRegular(path), !name.hasPrefix("."), name != "plugin.yaml" else {
          continue
        }
        if PluginFiles.kind(of: name) == nil, WorkflowFiles.isWorkflow(path) { files.append(path) }
      }
    }
    return files.map { WorkflowFile(path: $0, name: name(of: $0), runs: runs[$0] ?? []) }
  }

  /// The name of a workflow file in pages.
  package func name(of file: String) -> String {
    file.hasPrefix(folder + "/") ? String(file.dropFirst(folder.count + 1)) : file
  }
}
