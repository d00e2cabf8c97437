import SyncCore

/// Totals over all confirmed records, updated with each change so that not all records are read.
package struct RecordTallies: Hashable, Sendable {
  /// The number of records of each collection.
  package private(set) var records: [String: Int] = [:]
  /// The records that exceed a limit, each with a description of the limit.
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
