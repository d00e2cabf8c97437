import SyncCore

/// What has happened so far, for the status and the metrics.
public struct SyncStatistics: Hashable, Sendable {
  /// Actions of the user on this device.
  public var actions: Int64 = 0
  /// Changes that the server acknowledged.
  public var acknowledged: Int64 = 0
  /// Requests sent.
  public var requests: Int64 = 0
  /// When a request last succeeded, in milliseconds since 1970 on the device's clock; 0 for never (S15).
  public var lastSuccessMilliseconds: Int64 = 0
  /// When this device last heard all that others had done, in milliseconds since 1970 on its clock; 0 for never.
  public var lastHeardMilliseconds: Int64 = 0
  /// The number of conflicts that each rule decided.
  public var conflicts: [ConflictRule: Int64] = [:]

  /// Nothing has happened.
  public init() {}
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
