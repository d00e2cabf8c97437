import FlowCommandKit
import FlowStore
import FlowSystem

#if Network
  import FlowStorePostgres
#endif

// The run history in a database that several machines share.
extension RunMemory {
  /// Opens the store in a PostgreSQL database. `option` is the name of the option that has the address.
  package static func open(address: String, option: String = "--store") throws -> any RunStore {
    try checkAddress(address, option: option)
    return try openDatabase(address)
  }

  static func checkAddress(_ address: String, option: String = "--store") throws(UsageProblem) {
    guard address.hasPrefix("postgres://") || address.hasPrefix("postgresql://") else {
      throw UsageProblem(
        "\(option) '\(StoreAddress.masked(address))': write the address of a PostgreSQL database, postgres://USER@HOST/NAME"
      )
    }
    #if !Network
      throw UsageProblem("\(option): this flowrun was built without network support (the package trait Network)")
    #endif
  }

  /// Connects to the database. Its address must have been checked.
  static func openDatabase(_ address: String, isDurable: Bool = false) throws(StoreProblem) -> any RunStore {
    #if Network
      let store = try PostgresRunStore(address)
      if isDurable, store.mayForgetAtFailover {
        StandardOutput.writeError(
          "flowrun: the database has no synchronous standby (synchronous_standby_names, synchronous_commit): after a failover "
            + "steps may run again\n")
      }
      return store
    #else
      throw .unusable(path: StoreAddress.masked(address), cause: "this flowrun was built without network support")
    #endif
  }
}
