import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowStore
import FlowSyntax
import FlowSystem
import Synchronization

/// The run history that the command uses. By default, it is in `.flowrun/runs.sqlite` next to the workflows.
package enum RunMemory {
  /// Returns the path of the store for workflows in a folder.
  package static func path(in folder: String) -> String { "\(folder)/.flowrun/runs.sqlite" }

  /// Opens the store for workflows in a folder. The store stays valid if the folder is moved.
  static func openStore(in folder: String, readOnly: Bool = false) throws(StoreProblem) -> any FileRunStore {
    let store = try CommandParts.current.stores.open(path(in: folder), readOnly: readOnly, folder: folder)
    OpenStores.shared.add(store)
    return store
  }

  /// The identity of this process as the holder of runs.
  package static var holder: RunHolder { CommandParts.current.stores.holder }

  /// Returns the history for a run of the file at an absolute path, or nil if the run is not recorded. A workflow from
  /// a pipe is not recorded, because it could not be read again.
  static func history(
    of file: String, _ definition: [UInt8], _ workflow: Workflow, _ installation: Installation, _ request: RunRequest,
    _ early: EarlyStore?
  ) throws(UsageProblem) -> RunHistory? {
    let isDurable = workflow.isDurable || request.isDurable
    if request.store != nil, !request.keepsHistory {
      throw UsageProblem("--store and --no-history cannot be combined; use one of them")
    }
    guard workflow.keepsHistory, request.keepsHistory, FileAccess.isRegular(file) else {
      guard !isDurable else {
        throw UsageProblem("a durable run must be recorded; leave --no-history and 'history: false' out")
      }
      return nil
    }
    return try history(
      of: file, definition, workflow, installation, isDurable: isDurable, store: request.store, early)
  }

  /// Starts to open the store for a run in the background. Returns nil if the run is not recorded or the store is a
  /// database.
  static func openEarly(_ request: RunRequest) -> EarlyStore? {
    guard request.keepsHistory, request.store == nil else { return nil }
    return EarlyStore(in: FilePath.folder(of: FilePath.absolute(request.file)))
  }

  /// Returns the history for a run: in the database at `address` or, if that is nil, in the store next to the file.
  static func history(
    of file: String, _ definition: [UInt8], _ workflow: Workflow, _ installation: Installation, isDurable: Bool,
    store address: String?, _ early: EarlyStore? = nil
  ) throws(UsageProblem) -> RunHistory {
    let database: (provider: any DatabaseProvider, address: String)?
    if let address { database = (try self.database(of: address), address) } else { database = nil }
    let folder = FilePath.folder(of: file)
    let found = FoundStore()
    var history = RunHistory(file: file, definition: definition, holder: holder) {
      (damage) throws(StoreProblem) in
      if let database { return try database.provider.open(database.address, isDurable: isDurable) }
      return try openFile(in: folder, isDurable: isDurable, damage: damage, found, early)
    }
    history.isDurable = isDurable
    history.canBeTakenOver = address != nil
    history.stepNames = { stored in
      stored == definition ? workflow.steps.map(\.id.text) : stepNames(of: stored, file, installation)
    }
    if let digests = installation.digests(of: workflow) { history.programs = digests }
    return history
  }

  /// The identity of the store file that was opened most recently, even if opening it failed.
  private final class FoundStore: Sendable {
    let identity = Mutex<FileIdentity?>(nil)
  }

  /// Opens the store of a folder. If `damage` is not nil, the store is damaged and is first renamed, unless another
  /// process has already done so.
  private static func openFile(
    in folder: String, isDurable: Bool, damage: String?, _ found: FoundStore, _ early: EarlyStore?
  ) throws(StoreProblem) -> any FileRunStore {
    let path = path(in: folder)
    if let damage,
      let aside = try CommandParts.current.stores.moveAside(path, found.identity.withLock { $0 }, atSeconds: time(nil))
    {
      StandardOutput.writeError(
        "flowrun: the run store is damaged (\(TerminalText.visible(damage))) and was moved to "
          + "'\(TerminalText.visible(aside))'; a new one was created\n")
    }
    let opened = damage == nil ? early?.take() : nil
    // The identity is read before the store is opened, because it is also needed if opening fails.
    found.identity.withLock { $0 = opened == nil ? FileIdentity(path) : opened?.identity }
    let store: any FileRunStore
    if let opened { store = opened } else { store = try openStore(in: folder) }
    if isDurable { try store.prepareForDurable() }
    return store
  }

  /// Returns the ids of the steps in a definition. Returns nil if the definition cannot be loaded with the installed
  /// plugins.
  static func stepNames(of definition: [UInt8], _ file: String, _ installation: Installation) -> [String]? {
    WorkflowLoader(catalog: installation.registry).load(bytes: definition, file: file).graph?.workflow.steps.map(
      \.id.text)
  }

  /// Opens the store of a folder, or of the folder that contains a workflow file, for reading or, if `writes` is true,
  /// for writing. Throws a ``UsageProblem`` if no run is recorded there.
  package static func open(_ place: String, writes: Bool = false) throws -> any FileRunStore {
    let folder = folder(of: place)
    let path = path(in: folder)
    guard FilePath.exists(path), !CommandParts.current.stores.isNew(path) else { throw missing(place, path) }
    do throws(StoreProblem) {
      return try openStore(in: folder, readOnly: !writes)
    } catch {
      // The store can be read even if its folder is not writable.
      guard case .unusable = error, writes else { throw error }
      return try openStore(in: folder, readOnly: true)
    }
  }

  /// Returns the error for a missing store, or for a folder that cannot be searched. `place` is the folder or file that
  /// the user has named.
  private static func missing(_ place: String, _ path: String) -> any Error {
    var status = stat()
    if stat(path, &status) != 0, errno == EACCES {
      return StoreProblem.unusable(path: path, cause: SystemError.reason(EACCES))
    }
    let folder = folder(of: place)
    guard FilePath.exists(place) || FilePath.exists(folder + "/.flowrun") else {
      return UsageProblem("there is no file or folder '\(place)'")
    }
    return UsageProblem("no run is recorded in '\(folder)'; name the workflow's file or folder with --in")
  }

  /// Returns the absolute path of `place` or, if `place` is not a folder, of the folder that contains it.
  package static func folder(of place: String) -> String {
    let path = FilePath.absolute(place)
    var status = stat()
    let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    let folder = isFolder ? path : FilePath.folder(of: path)
    return folder.hasSuffix("/.") ? String(folder.dropLast(2)) : folder
  }
}
