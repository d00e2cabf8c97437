import FlowPluginKit
import SyncCore

/// What can go wrong with records, and what all their actions ask first.
package enum RecordFailures {
  package static let reading = [
    Failure.schema, Failure.record, Failure.store, Failure.paused, Failure.parked, Failure.timeout,
  ]
  package static let writing = reading + [Failure.refused]

  /// A key as it is given, or a new one.
  package static func key(_ given: String?) throws -> String {
    guard let given, !given.isEmpty else { return RecordStore.newKey() }
    guard RecordKey(type: "records", name: given).isWellFormed else {
      throw ActionError(
        Failure.record.code, "a key is 1 to \(RecordKey.maximumLength) bytes without control characters")
    }
    return given
  }
}

extension Connection {
  /// Whether the server has what was done, by the positions that `SyncSession.act` gave.
  package func isAcknowledged(_ acts: [Int64]) async -> Bool { await session.machine.fate(of: acts) == .acknowledged }
}
