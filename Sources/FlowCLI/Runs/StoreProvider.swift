import FlowCommandKit
import FlowPlatform
import FlowStore

/// Opens run stores: files next to workflows, and databases whose kind depends on the scheme of the address.
package protocol StoreProvider: Sendable {
  /// The kinds of databases that an address can name.
  var databases: [any DatabaseProvider] { get }

  /// The identity of this process as the holder of runs.
  var holder: RunHolder { get }

  /// Opens the store in the file at an absolute path. Creates the file if it is missing, unless `readOnly` is true.
  ///
  /// - Parameter folder: The absolute path of the folder that contains all workflows of the store.
  func open(_ path: String, readOnly: Bool, folder: String) throws(StoreProblem) -> any FileRunStore

  /// True if the store at a path cannot contain any run.
  func isNew(_ path: String) -> Bool

  /// Renames a damaged store within its folder. Returns the new name, or nil if the file at the path is no longer
  /// `identity`.
  func moveAside(_ path: String, _ identity: FileIdentity?, atSeconds now: Int) throws(StoreProblem) -> String?
}

/// Opens the run stores in databases of one kind.
package protocol DatabaseProvider: Sendable {
  /// The schemes of addresses that name such a database, such as `postgres`.
  var schemes: [String] { get }
  /// The kind of database and the form of its addresses, for messages.
  var form: String { get }
  /// The reason why this program cannot open stores of this kind, or nil if it can.
  var obstacle: String? { get }

  /// Connects to the database at an address. If `isDurable` is true, prints a warning if the database may lose data
  /// that it has confirmed.
  func open(_ address: String, isDurable: Bool) throws(StoreProblem) -> any RunStore
}

/// The absence of run stores. No run can be recorded.
package struct WithoutStores: StoreProvider {
  package init() {}

  package var databases: [any DatabaseProvider] { [] }
  package var holder: RunHolder { RunHolder(process: Int(getpid()), host: "") }
  package func isNew(_ path: String) -> Bool { true }

  package func open(_ path: String, readOnly: Bool, folder: String) throws(StoreProblem) -> any FileRunStore {
    throw .unusable(path: path, cause: "this program has no run stores")
  }

  package func moveAside(
    _ path: String, _ identity: FileIdentity?, atSeconds now: Int
  ) throws(StoreProblem) -> String? {
    nil
  }
}
