import FlowModel
import FlowPluginKit
import FlowSQLite

/// The key-value pairs of a store. Each value is a row with JSON. The table is created with the first change.
package struct StoreKeyValues: KeyValueStore {
  package let store: Store

  /// Creates a view of a store's key-value pairs.
  package init(store: Store) { self.store = store }

  /// The maximum size of a value as JSON: 1 MiB.
  package static let limitBytes = Limits.outputBytes

  package func get(_ key: String, in scope: String) throws -> Value? {
    try StoreFailure.translating(path: store.path) {
      try store.pool.read { db -> String? in
        guard try Self.hasTable(db) else { return nil }
        return try db.first("SELECT value FROM KeyValue WHERE scope = ? AND key = ?", [.text(scope), .text(key)]) {
          $0.text(0)
        }
      }
    }.map { try decode($0, key: key, scope: scope) }
  }

  package func all(in scope: String) throws -> [String: Value] {
    let rows = try StoreFailure.translating(path: store.path) {
      try store.pool.read { db -> [(key: String, text: String)] in
        guard try Self.hasTable(db) else { return [] }
        return try db.all("SELECT key, value FROM KeyValue WHERE scope = ?", [.text(scope)]) {
          (key: $0.text(0), text: $0.text(1))
        }
      }
    }
    var values: [String: Value] = [:]
    for row in rows { values[row.key] = try decode(row.text, key: row.key, scope: scope) }
    return values
  }

  package func apply(_ changes: [KeyValueChange], in scope: String) throws {
    try StoreFailure.translating(path: store.path) {
      try store.pool.write { db in
        try Self.makeTable(db)
        for change in changes {
          switch change {
          case .put(let key, let value):
            let text = JSONText.write(value)
            guard text.utf8.count <= Self.limitBytes else {
              throw ActionError(
                "value-too-large",
                "the value of '\(key)' in '\(scope)' has \(text.utf8.count) bytes, more than \(Self.limitBytes)",
                isRetryable: false)
            }
            try db.run(
              "INSERT OR REPLACE INTO KeyValue (scope, key, value) VALUES (?, ?, ?)",
              [.text(scope), .text(key), .text(text)])
          case .delete(let key):
            try db.run("DELETE FROM KeyValue WHERE scope = ? AND key = ?", [.text(scope), .text(key)])
          }
        }
      }
    }
  }

  /// Creates the table unless it exists. Must be called in a transaction that prevents other processes from writing.
  package static func makeTable(_ db: SQLiteConnection) throws {
    guard try !hasTable(db) else { return }
    try db.execute(
      """
      CREATE TABLE KeyValue (
        scope TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (scope, key)
      ) STRICT, WITHOUT ROWID
      """)
  }

  /// True if the table exists, which is the case once a value has been stored or deleted.
  package static func hasTable(_ db: SQLiteConnection) throws -> Bool { try db.hasTable("KeyValue") }

  private func decode(_ text: String, key: String, scope: String) throws -> Value {
    do {
      return try JSONText.parse(text)
    } catch {
      throw StoreFailure.storeCorrupt.error(
        "the value of '\(key)' in '\(scope)' of the store '\(store.path)' is damaged", "\(error)")
    }
  }
}
