import SyncCore

/// How records of collections are shown in a device's file, for everything that reads it with SQL.
public protocol RecordProjection: Sendable {
  /// The row that shows a record as it reads now, packed; no bytes for one that is no longer known, and nil when its
  /// collection is none of the schema's.
  func row(of cell: Cell, key: RecordKey) -> [UInt8]?
}

extension RecordProjection {
  /// What the store shows of a record from now on; nil if it shows none of its kind.
  func change(_ cell: Cell, key: RecordKey) -> (change: StoreChange, isEmpty: Bool)? {
    guard RecordName.isWellFormed(key.type), let row = row(of: cell, key: key) else { return nil }
    return (.shown(key, row.isEmpty ? nil : row), row.isEmpty)
  }
}

extension StoreChange {
  /// Under which keys the shown rows of records go to the store.
  public static let shownPrefix = "shown/"

  static func shown(_ key: RecordKey, _ row: [UInt8]?) -> StoreChange {
    StoreChange(key: shownPrefix + key.type + "/" + key.name, value: row)
  }
}
