import SyncCore

/// A store of zones. Each of its calls is atomic within the zone. An adapter for another service is one file.
///
/// Every implementation calls `Arbiter.decide` inside its transaction and passes the same conformance suite.
public protocol SyncBackend: Sendable {
  /// Commits operations independently of each other: one that is in conflict or refused does not stop the others.
  ///
  /// `heard` is the furthest cursor that the device has received, or nil for a device without acknowledged changes in
  /// this zone. A zone whose history does not contain it has lost data, usually because a backup was restored. The call
  /// then throws `BackendError.cursorExpired` and applies nothing.
  ///
  /// `store` is the store that the changes belong to, or nil for changes that are valid in any store. For a different
  /// store the call throws `BackendError.otherStore` and applies nothing.
  ///
  /// Any other error concerns the request as a whole. Some or all of its operations may have been committed, and
  /// sending them again is safe (M4). A call has at most `SyncLimits.operations` operations.
  func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply

  /// Returns the records that changed after a cursor, oldest change first, or the whole zone if the cursor is nil.
  ///
  /// Returns at most `limit` records and, after the first one, at most `maximumBytes` of packed cells. For records
  /// outside of the subscription it returns only the keys, or nothing without a cursor. Throws
  /// `BackendError.cursorExpired` if the cursor, or the furthest cursor of the reader, is not in this zone's history.
  /// Throws `BackendError.otherStore` if `store` is a different store.
  func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage

  /// Returns a stream with the zone's current cursor and, after each change, a notification or the change itself. The
  /// latest one is repeated every 5 s until `device` has fetched it. The stream ends with a `BackendError` when the
  /// channel closes, and with `otherStore` at once if `store` is a different store.
  func watch(zone: String, device: DeviceID, store: StoreIdentity?) -> AsyncThrowingStream<ChannelSign, any Error>

  /// Returns the identity of the store, which all of its zones share. It is drawn when the store is created, and stays
  /// the same in every copy and backup.
  func identity() async throws(BackendError) -> StoreIdentity

  /// The server's clock in milliseconds since 1970.
  func serverTime() async throws(BackendError) -> Int64

  /// True if `watch` reports commits made through this backend at once, without polling.
  var tellsOwnCommits: Bool { get }
}

extension SyncBackend {
  /// The default is false, because most backends poll for changes.
  public var tellsOwnCommits: Bool { false }
}

extension SyncBackend {
  /// Commits to any store, for a device without acknowledged changes in this zone.
  package func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor? = nil
  ) async throws(BackendError) -> CommitReply {
    try await commit(operations, zone: zone, heard: heard, store: nil)
  }

  /// Returns changes from any store.
  package func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?
  ) async throws(BackendError) -> ChangePage {
    try await changes(
      zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription, store: nil)
  }

  /// Watches a zone in any store.
  package func watch(zone: String, device: DeviceID) -> AsyncThrowingStream<ChannelSign, any Error> {
    watch(zone: zone, device: device, store: nil)
  }

  /// Returns changes to a reader that stores nothing.
  package func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int
  ) async throws(BackendError) -> ChangePage {
    try await changes(zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: .nobody, of: nil)
  }
}

/// A reader of a zone. A deletion is kept until all devices that read and write the zone have seen it (see
/// `SyncMachine.acknowledgement`).
public enum ZoneReader: Hashable, Sendable {
  /// A device and the furthest cursor that it has received.
  case device(DeviceID, heard: Cursor? = nil)
  /// A reader that stores nothing.
  case nobody

  /// The furthest cursor that the reader has received, or nil.
  package var heard: Cursor? { if case .device(_, let heard) = self { heard } else { nil } }
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

  /// The zone's position in the sign, or nil for a heartbeat.
  package var cursor: Cursor? {
    switch self {
    case .notification(let cursor), .recovered(let cursor): cursor
    case .changes(let page, since: _): page.cursor
    case .alive: nil
    }
  }
}

/// The limits of a backend per call.
package enum SyncLimits {
  /// The maximum number of operations in a commit.
  package static let operations = 200
  /// The maximum number of records in a page of changes.
  package static let records = 2000
  /// The maximum size of the writes in one commit, in bytes. Once encoded, they fit into the body of a request.
  package static let batchBytes = 700_000
  /// The maximum size of a request's body, in bytes.
  package static let bodyBytes = 1_048_576
  /// The interval at which an unfetched notification is repeated, in milliseconds.
  package static let notificationRepeatMilliseconds: Int64 = 5000
  /// The number of times that an unfetched notification is repeated.
  package static let notificationRepeats = 12
  /// The interval of heartbeats on a live channel, in milliseconds.
  package static let keepAliveMilliseconds: Int64 = 30_000
}

/// The results of a commit's operations, in order.
public struct CommitReply: Hashable, Sendable {
  /// One result per operation.
  package var results: [CommitResult]
  /// The zone's position after the commit.
  package var cursor: Cursor
  /// The server's time of the response, in milliseconds since 1970.
  package var serverMilliseconds: Int64

  /// Creates a reply.
  package init(results: [CommitResult], cursor: Cursor, serverMilliseconds: Int64) {
    self.results = results
    self.cursor = cursor
    self.serverMilliseconds = serverMilliseconds
  }

  /// The incarnation of the zone in which the sequence numbers were assigned.
  package var generation: UInt64 { cursor.generation }

  /// The sequence number of the last committed change, or nil if nothing was committed.
  package var lastSequence: Int64? {
    results.compactMap { if case .committed(_, let sequence, _) = $0 { sequence } else { nil } }.max()
  }
}

/// The result of one operation.
package enum CommitResult: Hashable, Sendable {
  /// The operation was committed. Contains the record's new version, its sequence number, and the stamp given to a
  /// write.
  case committed(version: Int64, sequence: Int64, stamp: Stamp?)
  /// The record already contains the change.
  case unchanged
  /// The record has another version than expected. Contains the stored record, or nil if there is none.
  case conflict(SyncRecord?)
  /// The operation can never succeed.
  case refused(Arbiter.Refusal)
}

/// A page of changes.
public struct ChangePage: Hashable, Sendable {
  /// The store of the changes.
  package var store: StoreIdentity
  /// The changed records, oldest change first.
  package var records: [SyncRecord]
  /// The changed records outside of the subscription.
  package var others: [RecordMention]
  /// The cursor at the end of the page.
  package var cursor: Cursor
  /// True if more changes follow.
  package var hasMore: Bool
  /// The server's time of the response, in milliseconds since 1970.
  package var serverMilliseconds: Int64
  /// The deletions that the zone has forgotten. A device with an older cursor reads the whole zone.
  package var dropped: Dropped

  /// Creates a page.
  package init(
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
