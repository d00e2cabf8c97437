import struct Foundation.Data
import GRDB
import SyncCore
import SyncEngine

extension SQLiteReplicaStore {
  /// Under which key the tables that a file shows are noted.
  static let shownKey = "shown"

  /// Has the file show these collections; true when the tables had to be made, so that they are empty now.
  public func show(_ tables: [ShownTable]) throws(ReplicaError) -> Bool {
    let schema = ShownTable.schema(tables)
    let text = schema.joined(separator: ";\n")
    do {
      return try queue.write { database in
        let known = try Data.fetchOne(
          database, sql: "SELECT value FROM replica WHERE key = ?", arguments: [Self.shownKey])
        if let known, String(decoding: known, as: UTF8.self) == text { return false }
        try Self.dropShown(database)
        for sql in schema { try database.execute(sql: sql) }
        try database.execute(
          sql: "INSERT OR REPLACE INTO replica VALUES (?, ?)", arguments: [Self.shownKey, Data(text.utf8)])
        return true
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// The tables that the file shows, with the names of their columns alone.
  public func shownTables() throws(ReplicaError) -> [ShownTable] {
    do {
      return try queue.read { database in
        let names = try String.fetchAll(
          database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 1) = '_'")
        return try names.sorted().map { name in
          // Before them stand the key, whether it is deleted, and when and by whom it was changed.
          let columns = try database.columns(in: name).dropFirst(4)
          return ShownTable(name: String(name.dropFirst()), columns: columns.map { .init(name: $0.name) })
        }
      }
    } catch {
      throw .storage(SQLiteFailure.text(error, path: path))
    }
  }

  /// Has the file show everything anew when it is next used.
  public static let showsAnew = StoreChange(key: shownKey, value: nil)

  /// Everything in the file but the device's own table shows something.
  private static func dropShown(_ database: Database) throws {
    for kind in ["view", "table"] {
      let names = try String.fetchAll(
        database,
        sql: "SELECT name FROM sqlite_master WHERE type = ? AND name <> 'replica' AND name NOT LIKE 'sqlite_%'",
        arguments: [kind])
      for name in names { try database.execute(sql: "DROP \(kind) \(ShownTable.quoted(name))") }
    }
  }

  /// Puts a row into the table of its collection; nothing where the file shows no such collection any more.
  static func show(_ change: StoreChange, _ database: Database) throws {
    let parts = change.key.dropFirst(StoreChange.shownPrefix.count).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return }
    guard let value = change.value else {
      try database.cachedStatement(sql: "DELETE FROM \(ShownTable.quoted("_" + parts[0])) WHERE _key = ?")
        .execute(arguments: [String(parts[1])])
      return
    }
    let row = try ShownRow(packed: value)
    let places = Array(repeating: "?", count: row.values.count + 4).joined(separator: ", ")
    let table = ShownTable.quoted("_" + parts[0])
    let values: [(any DatabaseValueConvertible)?] =
      [String(parts[1]), row.isDeleted, row.changedMilliseconds, row.changedBy] + row.values.map(\.column)
    try database.cachedStatement(sql: "INSERT OR REPLACE INTO \(table) VALUES (\(places))")
      .execute(arguments: StatementArguments(values))
  }
}

extension Scalar {
  /// The value as a column holds it.
  fileprivate var column: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .boolean(let flag): flag
    case .integer(let number): number
    case .number(let number): number
    case .text(let text), .json(let text): text
    }
  }
}
