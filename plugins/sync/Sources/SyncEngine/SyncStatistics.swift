import SyncCore

/// Counters that are saved with the device's state, for the status and the metrics.
package struct SyncStatistics: Hashable, Sendable {
  /// The number of the user's actions on this device.
  package var actions: Int64 = 0
  /// The number of changes that the server has acknowledged.
  package var acknowledged: Int64 = 0
  /// The number of requests sent.
  package var requests: Int64 = 0
  /// The time of the last successful request, in milliseconds since 1970 on the device's clock, or 0 if there was none
  /// (S15).
  package var lastSuccessMilliseconds: Int64 = 0
  /// The time when this device last completed a fetch of all changes made on other devices, in milliseconds since 1970
  /// on its clock, or 0 if it never has.
  package var lastHeardMilliseconds: Int64 = 0
  /// The number of conflicts decided by each rule.
  package var conflicts: [ConflictRule: Int64] = [:]

  package init() {}
}

extension SyncStatistics {
  func packed() -> [UInt8] {
    var packer = Packer()
    for number in [actions, acknowledged, requests, lastSuccessMilliseconds] { packer.signed(number) }
    for rule in ConflictRule.allCases { packer.signed(conflicts[rule] ?? 0) }
    packer.signed(lastHeardMilliseconds)
    return packer.bytes
  }

  init(packed bytes: [UInt8]) throws(PackingError) {
    self.init()
    if bytes.isEmpty { return }
    var reader = Unpacker(bytes)
    actions = try reader.signed("the count of actions")
    acknowledged = try reader.signed("the count of acknowledged changes")
    requests = try reader.signed("the count of requests")
    lastSuccessMilliseconds = try reader.signed("the time of the last success")
    for rule in ConflictRule.allCases {
      let count = try reader.signed("the count of conflicts")
      if count != 0 { conflicts[rule] = count }
    }
    lastHeardMilliseconds = try reader.signed("the time of the last hearing")
  }
}
