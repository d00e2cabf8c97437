import FlowCommandKit
import FlowPlatform
import FlowStore

/// Opens run stores: files next to workflows, and databases by the schemes of their addresses.
package protocol StoreProvider: Sendable {
  /// The databases that an address may name.
  var databases: [any DatabaseProvider] { get }

  /// This process as the holder of runs.
  var holder: RunHolder { get }

  /// Opens the store in the file at an absolute path. The file is created if it is missing, unless `readOnly`.
  ///
  /// - Parameter folder: The absolute path of the folder of all workflows of the store.
  func open(_ path: String, readOnly: Bool, folder: String) throws(StoreProblem) -> any FileRunStore

  /// True if there cannot be a run in the store at a path.
  func isNew(_ path: String) -> Bool

  /// Renames a damaged store within its folder and returns the new name. Returns nil if the file at the path is no
  /// longer `identity`.
  func moveAside(_ path: String, _ identity: FileIdentity?, atSeconds now: Int) throws(StoreProblem) -> String?
}

/// Opens the run stores in databases of one kind.
package protocol DatabaseProvider: Sendable {
  /// The schemes of the addresses, such as `postgres`.
  var schemes: [String] { get }
  /// The form of an address in messages, such as `postgres://USER@HOST/NAME`, after what it is the address of.
  var form: String { get }
  /// The reason why this program cannot open such a store, or nil if it can.
  var obstacle: String? { get }

  /// Connects to the database. If the run is durable, prints a warning if the database may lose what it has confirmed.
  func open(_ address: String, isDurable: Bool) throws(StoreProblem) -> any RunStore
}

/// No run stores: no run can be recorded.
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
