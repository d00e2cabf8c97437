import SyncCore

/// Converts records to rows in a device's file, for programs that read the file with SQL.
package protocol RecordProjection: Sendable {
  /// Returns the packed row of a record. Returns an empty array if the record has no content, and nil if its collection
  /// is not in the schema.
  func row(of cell: Cell, key: RecordKey) -> [UInt8]?
}

extension RecordProjection {
  /// Returns the change to save for a record's row, or nil if the record's type is not shown. `isEmpty` is true if the
  /// row is removed.
  func change(_ cell: Cell, key: RecordKey) -> (change: StoreChange, isEmpty: Bool)? {
    guard RecordName.isWellFormed(key.type), let row = row(of: cell, key: key) else { return nil }
    return (.shown(key, row.isEmpty ? nil : row), row.isEmpty)
  }
}

extension StoreChange {
  /// The prefix of the keys of saved rows.
  package static let shownPrefix = "shown/"

  static func shown(_ key: RecordKey, _ row: [UInt8]?) -> StoreChange {
    StoreChange(key: shownPrefix + key.type + "/" + key.name, value: row)
  }
}
