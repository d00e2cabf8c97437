import SyncCore

/// Where a zone lives: five calls, each atomic within the zone. An adapter for another service is one file.
///
/// Every implementation passes the same conformance suite and lets `Arbiter.decide` decide inside its transaction.
public protocol SyncBackend: Sendable {
  /// Makes changes, each on its own: one that conflicts or is refused does not stop the others.
  ///
  /// `heard` is the furthest cursor that the device has been given. A zone whose history does not contain it has lost
  /// something, most likely by a restored backup: this throws `BackendError.cursorExpired` before anything is applied. Nil
  /// is for a device that has nothing acknowledged in this zone.
  ///
  /// `store` is the store that the changes are for: another one throws `BackendError.otherStore` and applies nothing. Nil is for
  /// changes that are good anywhere.
  ///
  /// Throws for the request as a whole; then none, some or all of the changes may have been made, and asking again is
  /// safe (M4). At most `SyncLimits.operations` at once.
  func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply

  /// The records that changed after a cursor, oldest change first; nil for the whole zone.
  ///
  /// Gives at most `limit` records and, beyond the first, at most `maximumBytes` of packed cells. Of records that do not
  /// belong to the subscription it gives the keys alone, and without a cursor nothing; without a subscription all belong.
  /// Throws `BackendError.cursorExpired` for a cursor, of the request or that its reader has heard, which is not one of
  /// this history of the zone, and `BackendError.otherStore` where `store` is not this one.
  func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage

  /// Signs while the stream is read: the zone's present cursor at once, and after each change a notification or the
  /// change itself. The latest is repeated every 5 s until `device` has fetched it. Ends by throwing a `BackendError`
  /// when the channel closes, `otherStore` before the first sign where `store` is not this one.
  func watch(zone: String, device: DeviceID, store: StoreIdentity?) -> AsyncThrowingStream<ChannelSign, any Error>

  /// The store's identity: drawn when the store is made, and the same in every copy, backup and restored backup of it. All zones
  /// of a store have the same.
  func identity() async throws(BackendError) -> StoreIdentity

  /// The server's clock in milliseconds since 1970.
  func serverTime() async throws(BackendError) -> Int64

  /// Whether `watch` reports a commit of this very backend without having to look for it.
  var tellsOwnCommits: Bool { get }
}

extension SyncBackend {
  /// Most look for changes now and then.
  public var tellsOwnCommits: Bool { false }
}

extension SyncBackend {
  /// The same for whichever store this is, and without `heard` for a device that has nothing acknowledged in this zone.
  public func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor? = nil
  ) async throws(BackendError) -> CommitReply {
    try await commit(operations, zone: zone, heard: heard, store: nil)
  }

  /// The same for whichever store this is.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?
  ) async throws(BackendError) -> ChangePage {
    try await changes(
      zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription, store: nil)
  }

  /// The same for whichever store this is.
  public func watch(zone: String, device: DeviceID) -> AsyncThrowingStream<ChannelSign, any Error> {
    watch(zone: zone, device: device, store: nil)
  }

  /// The same for someone who only looks.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int
  ) async throws(BackendError) -> ChangePage {
    try await changes(zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: .nobody, of: nil)
  }
}

/// Who reads a zone, as far as forgetting goes: a deletion is kept until everybody has seen it who reads the zone and
/// acts in it (`SyncMachine.acknowledgement` tells).
public enum ZoneReader: Hashable, Sendable {
  /// A device, with the furthest cursor that it has been given.
  case device(DeviceID, heard: Cursor? = nil)
  /// Someone who keeps nothing of what is read.
  case nobody

  /// The furthest cursor that it has been given; nil for none.
  public var heard: Cursor? { if case .device(_, let heard) = self { heard } else { nil } }
}

/// What comes down a live channel.
public enum ChannelSign: Hashable, Sendable {
  /// The zone has changed up to here.
  case notification(Cursor)
  /// What has changed behind a cursor, all of it, as a fetch from there would have given it.
  case changes(ChangePage, since: Cursor)
  /// Nothing has changed; the channel lives.
  case alive
  /// The server's store can be reached again; the zone has changed up to here.
  case recovered(Cursor)

  /// How far the zone has changed, nil when the sign says nothing of that.
  public var cursor: Cursor? {
    switch self {
    case .notification(let cursor), .recovered(let cursor): cursor
    case .changes(let page, since: _): page.cursor
    case .alive: nil
    }
  }
}

/// The number of things that a backend takes or gives at once.
public enum SyncLimits {
  /// Operations in one commit.
  public static let operations = 200
  /// Records in one page of changes.
  public static let records = 2000
  /// How many bytes of writes to collections' records go in one commit: encoded, they fit into a body.
  public static let batchBytes = 700_000
  /// The largest body of a request in bytes.
  public static let bodyBytes = 1_048_576
  /// How often an unfetched notification is repeated, in milliseconds.
  public static let notificationRepeatMilliseconds: Int64 = 5000
  /// The number of times that an unfetched notification is repeated.
  public static let notificationRepeats = 12
  /// How often a live channel shows that it lives, in milliseconds.
  public static let keepAliveMilliseconds: Int64 = 30_000
}

/// What became of a commit's operations, in their order.
public struct CommitReply: Hashable, Sendable {
  /// One result an operation.
  public var results: [CommitResult]
  /// The zone's position when this was decided, its changes included.
  public var cursor: Cursor
  /// The server's clock when it answered, in milliseconds since 1970.
  public var serverMilliseconds: Int64

  /// Makes a reply.
  public init(results: [CommitResult], cursor: Cursor, serverMilliseconds: Int64) {
    self.results = results
    self.cursor = cursor
    self.serverMilliseconds = serverMilliseconds
  }

  /// Which incarnation of the zone the sequence numbers belong to.
  public var generation: UInt64 { cursor.generation }

  /// The last change that was made, nil when none was.
  public var lastSequence: Int64? {
    results.compactMap { if case .committed(_, let sequence, _) = $0 { sequence } else { nil } }.max()
  }
}

/// What became of one operation.
public enum CommitResult: Hashable, Sendable {
  /// Done: the record's new version, its place in the zone's order, and the stamp that a write got.
  case committed(version: Int64, sequence: Int64, stamp: Stamp?)
  /// The record says so already.
  case unchanged
  /// The record has another version than expected: here it is, nil when there is none.
  case conflict(SyncRecord?)
  /// It can never succeed.
  case refused(Arbiter.Refusal)
}

/// A page of changes.
public struct ChangePage: Hashable, Sendable {
  /// The store that they are from.
  public var store: StoreIdentity
  /// The changed records, oldest change first.
  public var records: [SyncRecord]
  /// Those that do not belong to what was subscribed to.
  public var others: [RecordMention]
  /// Where the page ends.
  public var cursor: Cursor
  /// Whether there is more behind it.
  public var hasMore: Bool
  /// The server's clock when it answered, in milliseconds since 1970.
  public var serverMilliseconds: Int64
  /// What the zone has forgotten. A cursor before that is no longer good: its device reads the zone whole.
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
