import SyncCloud
import Synchronization

/// A zone of a cloud database in memory, with the faults of a real one. ``SimulatedCloud`` provides it as a service.
package struct SimulatedCloudZone: Sendable {
  /// A fault that affects the next call.
  package enum Fault: Hashable, Sendable {
    /// The call fails with an error and has no effect.
    case error(CloudZoneError)
    /// The call succeeds, but its response is lost.
    case lostAnswer
  }

  private struct Stored: Sendable {
    var bytes: [UInt8]
    var change: Int64
  }

  /// The account that is currently signed in.
  package private(set) var account: String
  package private(set) var exists = false
  /// The faults of the next calls, in order.
  package var faults: [Fault] = []
  /// The maximum number of records in a page of changes.
  package var pageLimit = 200
  /// The number of successful modifications.
  package private(set) var modifications = 0
  private var records: [String: Stored] = [:]
  private var removed: [String: Int64] = [:]
  private var change: Int64 = 0
  /// The current epoch, which ends when the zone is deleted or all tokens expire. Tokens of earlier epochs are refused.
  private var epoch: UInt8 = 1

  /// Creates the zone of an account. The zone does not exist in the service yet.
  package init(account: String = "ada") { self.account = account }

  package var count: Int { records.count }

  /// Deletes the zone, as a user can do in the settings of the device.
  package mutating func delete() {
    exists = false
    records = [:]
    removed = [:]
    epoch &+= 1
  }

  /// Makes all current tokens invalid.
  package mutating func expireTokens() { epoch &+= 1 }

  /// Signs in another user, whose zone does not exist yet.
  package mutating func signIn(_ account: String) {
    self.account = account
    delete()
  }

  /// Saves and removes records; see ``SyncCloud/CloudZone``.
  package mutating func modify(
    _ modification: CloudModification, serverMilliseconds: Int64
  ) throws(CloudZoneError) -> CloudModified {
    let isAnswerLost = try meetFault()
    if !exists {
      guard modification.saved.allSatisfy({ $0.tag == nil }) else { throw .zoneNotFound }
      exists = true
    }
    guard modification.saved.count + modification.removed.count <= CloudModification.recordLimit else {
      throw .limitExceeded
    }
    var problems: [String: CloudZoneError.Item] = [:]
    for record in modification.saved {
      if record.bytes.count > CloudModification.recordBytes {
        problems[record.name] = .tooLarge
      } else if record.tag != records[record.name].map({ Self.tag($0.change) }) {
        problems[record.name] = .changed
      }
    }
    guard problems.isEmpty else {
      for record in modification.saved where problems[record.name] == nil { problems[record.name] = .batchFailed }
      throw .partial(problems)
    }
    var tags: [String: CloudTag] = [:]
    for record in modification.saved {
      change += 1
      records[record.name] = Stored(bytes: record.bytes, change: change)
      removed[record.name] = nil
      tags[record.name] = Self.tag(change)
    }
    for name in modification.removed where records.removeValue(forKey: name) != nil {
      change += 1
      removed[name] = change
    }
    modifications += 1
    if isAnswerLost { throw .unreachable("the answer was lost") }
    return CloudModified(tags: tags, serverMilliseconds: serverMilliseconds)
  }

  /// Returns the records that have changed since a token; see ``SyncCloud/CloudZone``.
  package mutating func changes(
    since token: CloudToken?, serverMilliseconds: Int64
  ) throws(CloudZoneError) -> CloudChanges {
    let isAnswerLost = try meetFault()
    guard exists else { throw .zoneNotFound }
    var start: Int64 = 0
    if let token {
      guard token.bytes.first == epoch, token.bytes.count == 9 else { throw .tokenExpired }
      start = token.bytes.dropFirst().reduce(0) { $0 << 8 | Int64($1) }
    }
    var news = records.filter { $0.value.change > start }.map { ($0.value.change, $0.key) }
    news += removed.filter { $0.value > start }.map { ($0.value, $0.key) }
    news.sort { $0 < $1 }
    let page = news.prefix(pageLimit)
    let changed = page.compactMap { _, name in
      records[name].map { CloudRecord(name: name, bytes: $0.bytes, tag: Self.tag($0.change)) }
    }
    let end = page.last?.0 ?? start
    if isAnswerLost { throw .unreachable("the answer was lost") }
    return CloudChanges(
      changed: changed, removed: page.map(\.1).filter { records[$0] == nil },
      token: CloudToken([epoch] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: end >> (8 * $0)) }),
      hasMore: page.count < news.count, serverMilliseconds: serverMilliseconds)
  }

  private mutating func meetFault() throws(CloudZoneError) -> Bool {
    guard !faults.isEmpty else { return false }
    switch faults.removeFirst() {
    case .error(let error): throw error
    case .lostAnswer: return true
    }
  }

  private static func tag(_ change: Int64) -> CloudTag { CloudTag(Array("\(change)".utf8)) }
}

/// A cloud database in memory that several devices can share.
package final class SimulatedCloud: CloudZone {
  private let zone: Mutex<SimulatedCloudZone>
  private let now: @Sendable () -> Int64
  /// The account returned by the device's last call to `account()`, or nil. Other calls fail if the account has changed
  /// since.
  private let known = Mutex<String?>(nil)

  /// Creates a service for a zone. `now` returns the time in milliseconds since 1970.
  package init(_ zone: SimulatedCloudZone = SimulatedCloudZone(), now: @escaping @Sendable () -> Int64) {
    self.zone = Mutex(zone)
    self.now = now
  }

  /// Calls `body` with the zone, for example to add faults.
  package func withZone<Result: Sendable>(_ body: (inout SimulatedCloudZone) -> Result) -> Result {
    zone.withLock { zone in
      let result = body(&zone)
      return result
    }
  }

  /// Saves and removes records; see ``SyncCloud/CloudZone``.
  package func modify(_ modification: CloudModification) async throws(CloudZoneError) -> CloudModified {
    try checked { (zone) throws(CloudZoneError) in
      try zone.modify(modification, serverMilliseconds: now())
    }
  }

  /// Returns the changed records; see ``SyncCloud/CloudZone``.
  package func changes(since token: CloudToken?) async throws(CloudZoneError) -> CloudChanges {
    try checked { (zone) throws(CloudZoneError) in
      try zone.changes(since: token, serverMilliseconds: now())
    }
  }

  /// Returns the account that is currently signed in.
  package func account() async throws(CloudZoneError) -> String {
    let account = zone.withLock { $0.account }
    known.withLock { $0 = account }
    return account
  }

  private func checked<Result: Sendable>(
    _ body: (inout SimulatedCloudZone) throws(CloudZoneError) -> Result
  ) throws(CloudZoneError) -> Result {
    let known = known.withLock { $0 }
    let result = zone.withLock { zone -> Swift.Result<Result, CloudZoneError> in
      if let known, known != zone.account { return .failure(.accountChanged) }
      do throws(CloudZoneError) { return .success(try body(&zone)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
