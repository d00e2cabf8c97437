import FlowPluginKit
import SyncCore

/// The errors and checks that the actions on records have in common.
package enum RecordFailures {
  package static let reading = [
    Failure.schema, Failure.record, Failure.store, Failure.paused, Failure.parked, Failure.timeout,
  ]
  package static let writing = reading + [Failure.refused]

  /// Returns the given key, or a new one if it is nil or empty. Throws if the key is invalid.
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
  /// True if the server has acknowledged these actions, identified by the positions that `SyncSession.act` returned.
  package func isAcknowledged(_ acts: [Int64]) async -> Bool { await session.machine.fate(of: acts) == .acknowledged }
}
