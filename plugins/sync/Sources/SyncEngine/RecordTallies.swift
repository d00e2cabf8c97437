import SyncCore

/// Totals over all confirmed records. They are updated with each change, because reading all records would be slow.
package struct RecordTallies: Hashable, Sendable {
  /// The number of records in each collection, including deleted ones.
  package private(set) var records: [String: Int] = [:]
  /// The records that exceed a limit, each with a message about the limit.
  package private(set) var overLimit: [RecordKey: String] = [:]

  mutating func forget(_ key: RecordKey) {
    records[key.type, default: 0] -= 1
    overLimit[key] = nil
  }

  mutating func note(_ record: SyncRecord, instead known: SyncRecord?) {
    if known == nil { records[record.key.type, default: 0] += 1 }
    if let problem = RecordLimits.problem(withValuesOf: record.cell) {
      overLimit[record.key] = problem
    } else if !overLimit.isEmpty {
      overLimit[record.key] = nil
    }
  }
}
