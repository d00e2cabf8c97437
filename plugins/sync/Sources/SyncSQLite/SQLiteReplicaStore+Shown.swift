import FlowSQLite
import SyncCore
import SyncEngine

extension SQLiteReplicaStore {
  /// The key of the stored definitions of the tables with rows.
  static let shownKey = "shown"

  /// Creates the tables for these collections in place of other ones, unless the file already has them. Returns true if
  /// they were created and are therefore empty.
  package func show(_ tables: [ShownTable]) throws(ReplicaError) -> Bool {
    let schema = ShownTable.schema(tables)
    let text = schema.joined(separator: ";\n")
    do {
      return try queue.sync { database in
        try database.transaction {
          if try Self.value(Self.shownKey, database) == Array(text.utf8) { return false }
          try Self.dropShown(database)
          for sql in schema { try database.execute(sql) }
          try database.run(
            "INSERT OR REPLACE INTO replica VALUES (?, ?)", [.text(Self.shownKey), .bytes(Array(text.utf8))])
          return true
        }
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// Returns the tables that contain rows of records, with only the names of their columns.
  package func shownTables() throws(ReplicaError) -> [ShownTable] {
    do {
      return try queue.sync { database in
        try database.snapshot {
          let names = try database.all(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 1) = '_'"
          ) { $0.text(0) }
          return try names.sorted().map { name in
            // The first four columns contain the key, whether the record is deleted, and the time and device of its
            // last change.
            let columns = try database.all("SELECT name FROM pragma_table_info(?) ORDER BY cid", [.text(name)]) {
              ShownTable.Column(name: $0.text(0))
            }
            return ShownTable(name: String(name.dropFirst()), columns: Array(columns.dropFirst(4)))
          }
        }
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// A change that makes the file write the rows of all records again when it is next opened.
  package static let showsAnew = StoreChange(key: shownKey, value: nil)

  /// Removes all tables and views except the device's own table.
  private static func dropShown(_ database: SQLiteConnection) throws {
    for kind in ["view", "table"] {
      let names = try database.all(
        "SELECT name FROM sqlite_master WHERE type = ? AND name <> 'replica' AND name NOT LIKE 'sqlite_%'",
        [.text(kind)]
      ) { $0.text(0) }
      for name in names { try database.execute("DROP \(kind) \(ShownTable.quoted(name))") }
    }
  }

  /// Writes or removes a row in the table of its collection. Throws if the file has no such table.
  static func show(_ change: StoreChange, _ database: SQLiteConnection) throws {
    let parts = change.key.dropFirst(StoreChange.shownPrefix.count).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return }
    guard let value = change.value else {
      try database.run(
        "DELETE FROM \(ShownTable.quoted("_" + parts[0])) WHERE _key = ?", [.text(String(parts[1]))])
      return
    }
    let row = try ShownRow(packed: value)
    let places = Array(repeating: "?", count: row.values.count + 4).joined(separator: ", ")
    let table = ShownTable.quoted("_" + parts[0])
    let values: [SQLiteValue] =
      [
        .text(String(parts[1])), SQLiteValue(row.isDeleted), .integer(row.changedMilliseconds), .text(row.changedBy),
      ] + row.values.map(\.column)
    try database.run("INSERT OR REPLACE INTO \(table) VALUES (\(places))", values)
  }
}

extension Scalar {
  var column: SQLiteValue {
    switch self {
    case .null: .null
    case .boolean(let flag): SQLiteValue(flag)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .text(let text), .json(let text): .text(text)
    }
  }
}
