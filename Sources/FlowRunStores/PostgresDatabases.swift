import FlowCLI
import FlowCommandKit
import FlowStore

#if Network
  import FlowStorePostgres
#endif

/// Opens run stores in PostgreSQL databases, which several machines can share. Without the trait `Network`, none is
/// available.
struct PostgresDatabases: DatabaseProvider {
  var schemes: [String] { ["postgres", "postgresql"] }
  var form: String { "a PostgreSQL database, postgres://USER@HOST/NAME" }

  #if Network
    var obstacle: String? { nil }

    func open(_ address: String, isDurable: Bool) throws(StoreProblem) -> any RunStore {
      let store = try PostgresRunStore(address)
      if isDurable, store.mayForgetAtFailover {
        StandardOutput.writeError(
          "flowrun: the database has no synchronous standby (synchronous_standby_names, synchronous_commit): after a failover "
            + "steps may run again\n")
      }
      return store
    }
  #else
    var obstacle: String? { "this flowrun was built without network support (the package trait Network)" }

    func open(_ address: String, isDurable: Bool) throws(StoreProblem) -> any RunStore {
      throw .unusable(path: StoreAddress.masked(address), cause: "this flowrun was built without network support")
    }
  #endif
}
