import SyncCore

/// What is known of all confirmed records together, so that they need not be read.
public struct RecordTallies: Hashable, Sendable {
  /// The number of records that each collection has.
  public private(set) var records: [String: Int] = [:]
  /// Which records hold something over a limit, and what.
  public private(set) var overLimit: [RecordKey: String] = [:]

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
