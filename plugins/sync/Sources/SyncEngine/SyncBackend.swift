import SyncCore

/// A store of zones. Each operation, and each transaction of operations, is applied as a whole or not at all. A call
/// with several of them is not atomic.
///
/// Every implementation calls `Arbiter.decide` inside its transactions and passes the same conformance tests.
public protocol SyncBackend: Sendable {
  /// Commits operations independently of each other: a conflict or refusal of one does not stop the others. Only the
  /// operations of a transaction are committed together or not at all.
  ///
  /// `heard` is the furthest cursor that the device has received, or nil for a device without acknowledged changes in
  /// this zone. If the zone's history does not contain it, the zone has lost data, usually because a backup was
  /// restored. The call then throws `BackendError.cursorExpired` and applies nothing.
  ///
  /// `store` is the store that the changes belong to, or nil if they are valid in any store. If the backend has a
  /// different store, the call throws `BackendError.otherStore` and applies nothing.
  ///
  /// Any other error concerns the request as a whole. Some or all of its operations may have been committed, and it is
  /// safe to send them again (M4). A call has at most `SyncLimits.operations` operations.
  func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply

  /// Returns the records that have changed since a cursor, oldest change first, or the whole zone if the cursor is nil.
  ///
  /// A page contains at most `limit` records and, after the first one, at most `maximumBytes` of packed cells. For
  /// records outside the subscription, it contains only the keys and, without a cursor, only those of records that
  /// change during the fetch. Throws `BackendError.cursorExpired` if the zone's history does not contain the cursor or
  /// the reader's furthest cursor. Throws `BackendError.otherStore` if the backend's store is not `store`.
  func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage

  /// Returns a stream with the zone's current cursor and, after each change, a notification or the change itself. Until
  /// `device` has fetched the change, a notification is repeated every 5 s, at most `SyncLimits.notificationRepeats`
  /// times. The stream ends with a `BackendError` when the channel closes, and immediately with `otherStore` if the
  /// backend's store is not `store`.
  func watch(zone: String, device: DeviceID, store: StoreIdentity?) -> AsyncThrowingStream<ChannelSign, any Error>

  /// Returns the identity of the store, which all of its zones share. It is drawn when the store is created and stays
  /// the same in every copy and backup.
  func identity() async throws(BackendError) -> StoreIdentity

  /// Returns the time of the server's clock, in milliseconds since 1970.
  func serverTime() async throws(BackendError) -> Int64

  /// True if `watch` reports commits made through this backend immediately, without polling.
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

  /// Opens the live channel of a zone, regardless of the store's identity.
  package func watch(zone: String, device: DeviceID) -> AsyncThrowingStream<ChannelSign, any Error> {
    watch(zone: zone, device: device, store: nil)
  }

  /// Returns changes in any store to a reader that stores nothing.
  package func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int
  ) async throws(BackendError) -> ChangePage {
    try await changes(zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: .nobody, of: nil)
  }
}

/// The reader of a page of changes.
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

  /// The zone's position, or nil for a heartbeat.
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
  /// The maximum size of the writes in one commit, in bytes. After encoding, they fit into the body of one request.
  package static let batchBytes = 700_000
  /// The maximum size of a request's body, in bytes.
  package static let bodyBytes = 1_048_576
  /// The interval at which a notification is repeated until the device fetches the change, in milliseconds.
  package static let notificationRepeatMilliseconds: Int64 = 5000
  /// The maximum number of times that a notification is repeated.
  package static let notificationRepeats = 12
  /// The interval of heartbeats on a live channel, in milliseconds.
  package static let keepAliveMilliseconds: Int64 = 30_000
}

/// The results of a commit's operations, in order.
public struct CommitReply: Hashable, Sendable {
  /// The results, one per operation.
  package var results: [CommitResult]
  /// The zone's position after the commit.
  package var cursor: Cursor
  /// The server's time when it responded, in milliseconds since 1970.
  package var serverMilliseconds: Int64

  package init(results: [CommitResult], cursor: Cursor, serverMilliseconds: Int64) {
    self.results = results
    self.cursor = cursor
    self.serverMilliseconds = serverMilliseconds
  }

  /// The incarnation of the zone that assigned the sequence numbers.
  package var generation: UInt64 { cursor.generation }

  /// The sequence number of the last committed change, or nil if nothing was committed.
  package var lastSequence: Int64? {
    results.compactMap { if case .committed(_, let sequence, _) = $0 { sequence } else { nil } }.max()
  }
}

/// The result of one operation.
package enum CommitResult: Hashable, Sendable {
  /// The operation was committed. Contains the record's new version, the sequence number of the change and the final
  /// stamp of a write.
  case committed(version: Int64, sequence: Int64, stamp: Stamp?)
  /// The change has no effect, usually because the record already contains it.
  case unchanged
  /// The operation was not committed and must be decided again from the stored record; see `Arbiter.Decision.conflict`.
  /// Contains that record, or nil if there is none.
  case conflict(SyncRecord?)
  /// The operation can never succeed.
  case refused(Arbiter.Refusal)
}

/// A page of changes in a zone.
public struct ChangePage: Hashable, Sendable {
  /// The store that contains the zone.
  package var store: StoreIdentity
  /// The changed records, oldest change first.
  package var records: [SyncRecord]
  /// The changed records outside of the subscription.
  package var others: [RecordMention]
  /// The cursor at the end of the page.
  package var cursor: Cursor
  /// True if more changes follow.
  package var hasMore: Bool
  /// The server's time when it responded, in milliseconds since 1970.
  package var serverMilliseconds: Int64
  /// The limits up to which the zone has forgotten deletions. A device with an older cursor fetches the whole zone.
  package var dropped: Dropped

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
