import FlowCLI
import FlowPlatform
import FlowStore
import FlowStoreSQLite

/// Opens the run stores that `flowrun` supports: SQLite files next to workflows, and PostgreSQL databases.
package struct RunStores: StoreProvider {
  package init() {}

  package var databases: [any DatabaseProvider] { [PostgresDatabases()] }
  package var holder: RunHolder { .current }

  package func open(_ path: String, readOnly: Bool, folder: String) throws(StoreProblem) -> any FileRunStore {
    try SQLiteRunStore(path, readOnly: readOnly, folder: folder)
  }

  package func isNew(_ path: String) -> Bool { SQLiteRunStore.isNew(path) }

  package func moveAside(
    _ path: String, _ identity: FileIdentity?, atSeconds now: Int
  ) throws(StoreProblem) -> String? {
    try SQLiteRunStore.moveAside(path, identity, atSeconds: now)
  }
}
