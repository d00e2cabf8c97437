import SyncCore

/// Creates rows that show collections' records in a device's file, for programs that read it with SQL.
package protocol RecordProjection: Sendable {
  /// Returns the packed row of a record, an empty array if the record is no longer known, or nil if its collection is
  /// not in the schema.
  func row(of cell: Cell, key: RecordKey) -> [UInt8]?
}

extension RecordProjection {
  /// Returns the change of a record's row, or nil if records of its type are not shown.
  func change(_ cell: Cell, key: RecordKey) -> (change: StoreChange, isEmpty: Bool)? {
    guard RecordName.isWellFormed(key.type), let row = row(of: cell, key: key) else { return nil }
    return (.shown(key, row.isEmpty ? nil : row), row.isEmpty)
  }
}

extension StoreChange {
  /// The prefix of the keys under which shown rows are stored.
  package static let shownPrefix = "shown/"

  static func shown(_ key: RecordKey, _ row: [UInt8]?) -> StoreChange {
    StoreChange(key: shownPrefix + key.type + "/" + key.name, value: row)
  }
}
