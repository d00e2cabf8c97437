import FlowCommandKit
import FlowStore

// The run history in a database, which several machines can share.
extension RunMemory {
  /// Opens the store in the database at `address`. `option` is the option that contains the address.
  package static func open(address: String, option: String = "--store") throws -> any RunStore {
    try database(of: address, option: option).open(address, isDurable: false)
  }

  /// Returns the provider for the database at an address.
  static func database(
    of address: String, option: String = "--store"
  ) throws(UsageProblem) -> any DatabaseProvider {
    let databases = CommandParts.current.stores.databases
    let scheme = address.firstRange(of: "://").map { String(address[..<$0.lowerBound]) }
    guard let database = databases.first(where: { scheme.map($0.schemes.contains) ?? false }) else {
      let forms = databases.map(\.form).joined(separator: ", or of ")
      throw UsageProblem(
        "\(option) '\(StoreAddress.masked(address))': "
          + (forms.isEmpty ? "this program has no databases" : "write the address of \(forms)"))
    }
    if let obstacle = database.obstacle { throw UsageProblem("\(option): \(obstacle)") }
    return database
  }
}
