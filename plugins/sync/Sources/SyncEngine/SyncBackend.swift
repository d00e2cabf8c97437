import SyncCore

/// A store of zones: five calls, each atomic within the zone. An adapter for another service is one file.
///
/// Every implementation passes the same conformance suite and calls `Arbiter.decide` inside its transaction.
public protocol SyncBackend: Sendable {
  /// Commits operations independently of each other: one that conflicts or is refused does not stop the others.
  ///
  /// `heard` is the furthest cursor that the device has received. A zone whose history does not contain it has lost
  /// data, usually by restoring a backup: this throws `BackendError.cursorExpired` before anything is applied. Nil is
  /// for a device without acknowledged changes in this zone.
  ///
  /// `store` is the store that the changes are for. Another store throws `BackendError.otherStore` and applies nothing.
  /// Nil is for changes that are valid in any store.
  ///
  /// An error concerns the request as a whole. Some or all of the operations may have been committed then, and sending
  /// them again is safe (M4). At most `SyncLimits.operations` per call.
  func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply

  /// Returns the records that changed after a cursor, oldest change first, or the whole zone for nil.
  ///
  /// Returns at most `limit` records and, beyond the first, at most `maximumBytes` of packed cells. For records outside
  /// of the subscription it returns only the keys, or nothing if there is no cursor. Without a subscription all records
  /// belong. Throws `BackendError.cursorExpired` if a cursor, of the request or the furthest one of its reader, is not
  /// from this history of the zone, and `BackendError.otherStore` if `store` is not this one.
  func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage

  /// Returns the zone's present cursor at once, and after each change a notification or the change itself, while the
  /// stream is read. The latest one is repeated every 5 s until `device` has fetched it. Ends with a `BackendError`
  /// when the channel closes, and with `otherStore` before the first sign if `store` is not this one.
  func watch(zone: String, device: DeviceID, store: StoreIdentity?) -> AsyncThrowingStream<ChannelSign, any Error>

  /// Returns the store's identity: drawn when the store is made, and the same in every copy and backup of it. All zones
  /// of a store have the same.
  func identity() async throws(BackendError) -> StoreIdentity

  /// The server's clock in milliseconds since 1970.
  func serverTime() async throws(BackendError) -> Int64

  /// True if `watch` reports commits of this same backend without looking for them.
  var tellsOwnCommits: Bool { get }
}

extension SyncBackend {
  /// Most backends look for changes at intervals.
  public var tellsOwnCommits: Bool { false }
}

extension SyncBackend {
  /// Commits to any store, for a device without acknowledged changes in this zone.
  public func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor? = nil
  ) async throws(BackendError) -> CommitReply {
    try await commit(operations, zone: zone, heard: heard, store: nil)
  }

  /// Returns changes of any store.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?
  ) async throws(BackendError) -> ChangePage {
    try await changes(
      zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription, store: nil)
  }

  /// Watches a zone in any store.
  public func watch(zone: String, device: DeviceID) -> AsyncThrowingStream<ChannelSign, any Error> {
    watch(zone: zone, device: device, store: nil)
  }

  /// Returns changes for a reader that keeps nothing.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int
  ) async throws(BackendError) -> ChangePage {
    try await changes(zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: .nobody, of: nil)
  }
}

/// The reader of a zone. A deletion is kept until every device that reads the zone and writes to it has seen it (see
/// `SyncMachine.acknowledgement`).
public enum ZoneReader: Hashable, Sendable {
  /// A device, with the furthest cursor that it has received.
  case device(DeviceID, heard: Cursor? = nil)
  /// A reader that keeps nothing.
  case nobody

  /// The furthest cursor that it has received, or nil.
  public var heard: Cursor? { if case .device(_, let heard) = self { heard } else { nil } }
}

/// A message on a live channel.
public enum ChannelSign: Hashable, Sendable {
  /// The zone has changed up to this position.
  case notification(Cursor)
  /// All changes after a cursor, as a fetch would have returned them.
  case changes(ChangePage, since: Cursor)
  /// A heartbeat: nothing has changed.
  case alive
  /// The server's store is reachable again, and the zone has changed up to this position.
  case recovered(Cursor)

  /// The zone's position, or nil if the sign has none.
  public var cursor: Cursor? {
    switch self {
    case .notification(let cursor), .recovered(let cursor): cursor
    case .changes(let page, since: _): page.cursor
    case .alive: nil
    }
  }
}

/// The limits of a backend per call.
public enum SyncLimits {
  /// The maximum number of operations in a commit.
  public static let operations = 200
  /// The maximum number of records in a page of changes.
  public static let records = 2000
  /// The maximum size of the writes in one commit, in bytes. Encoded, they fit into a request's body.
  public static let batchBytes = 700_000
  /// The maximum size of a request's body, in bytes.
  public static let bodyBytes = 1_048_576
  /// The interval at which an unfetched notification is repeated, in milliseconds.
  public static let notificationRepeatMilliseconds: Int64 = 5000
  /// The number of times that an unfetched notification is repeated.
  public static let notificationRepeats = 12
  /// The interval of heartbeats on a live channel, in milliseconds.
  public static let keepAliveMilliseconds: Int64 = 30_000
}

/// The results of a commit's operations, in order.
public struct CommitReply: Hashable, Sendable {
  /// One result per operation.
  public var results: [CommitResult]
  /// The zone's position after the commit.
  public var cursor: Cursor
  /// The server's time of the response, in milliseconds since 1970.
  public var serverMilliseconds: Int64

  /// Makes a reply.
  public init(results: [CommitResult], cursor: Cursor, serverMilliseconds: Int64) {
    self.results = results
    self.cursor = cursor
    self.serverMilliseconds = serverMilliseconds
  }

  /// The incarnation of the zone that the sequence numbers belong to.
  public var generation: UInt64 { cursor.generation }

  /// The number of the last committed change, or nil if there was none.
  public var lastSequence: Int64? {
    results.compactMap { if case .committed(_, let sequence, _) = $0 { sequence } else { nil } }.max()
  }
}

/// The result of one operation.
public enum CommitResult: Hashable, Sendable {
  /// Committed, with the record's new version, its sequence number, and the stamp that a write got.
  case committed(version: Int64, sequence: Int64, stamp: Stamp?)
  /// The record already contains the change.
  case unchanged
  /// The record has another version than expected: here it is, nil when there is none.
  case conflict(SyncRecord?)
  /// It can never succeed.
  case refused(Arbiter.Refusal)
}

/// A page of changes.
public struct ChangePage: Hashable, Sendable {
  /// The store that the changes are from.
  public var store: StoreIdentity
  /// The changed records, oldest change first.
  public var records: [SyncRecord]
  /// Those that do not belong to what was subscribed to.
  public var others: [RecordMention]
  /// The end of the page.
  public var cursor: Cursor
  /// True if more changes follow.
  public var hasMore: Bool
  /// The server's time of the response, in milliseconds since 1970.
  public var serverMilliseconds: Int64
  /// The deletions that the zone has forgotten. A device with an older cursor reads the whole zone.
  public var dropped: Dropped

  /// Makes a page.
  public init(
    store: StoreIdentity, records: [SyncRecord], cursor: Cursor, hasMore: Bool, serverMilliseconds: Int64,
    dropped: Dropped = Dropped(), others: [RecordMention] = []
  ) {
    self.store = store
    self.dropped = dropped
    self.others = others
    self.records = records
    self.cursor = cursor
    self.hasMore = hasMore
    self.serverMilliseconds = serverMilliseconds
  }
}
